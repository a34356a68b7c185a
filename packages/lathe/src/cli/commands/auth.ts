// `lathe auth status [provider]`: which credential each provider would use and which accounts it has, never a secret
// itself. It sends nothing, unless `--usage` asks the vendors how much of each account is used up.

import { statSync } from "node:fs";
import { providerRows } from "@lathe/llm/providers";
import { findCredential } from "../../config/credentials/resolve.ts";
import { searchAccounts } from "../../config/credentials/search-engines.ts";
import { signInCommand } from "../../config/credentials/source.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { Run } from "../../hosts/run.ts";
import { accountChoicesFor } from "../../models/account-choices.ts";
import { type ListedStoredAccount, listStoredAccounts } from "../../models/account-list.ts";
import { cloudSign, credentialQuery, credentialSources } from "../../models/credentials.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { table } from "../../sessions/tables/table.ts";
import type { Command } from "./command.ts";

/** The status of one provider. */
interface ProviderStatus {
  readonly provider: string;
  /** The credential that a request would use. */
  readonly source: string;
  readonly accounts: readonly ListedStoredAccount[];
}

export const authCommand: Command = async (argv, machine) => {
  const { only, wantsJson, asksUsage } = optionsOf(argv);
  const workspace = await new Run(machine).open({});
  const statuses = await statusesOf(workspace, only, asksUsage);
  const login = signInCommand(workspace.accounts().place);
  const broker = await workspace.accounts().address?.();
  if (broker !== undefined && !wantsJson) machine.stdout.write(`Credentials are kept by the broker at ${broker}.\n`);
  if (wantsJson) machine.stdout.write(`${JSON.stringify(statuses, null, 2)}\n`);
  else if (statuses.length > 0) machine.stdout.write(table(statuses.flatMap(rowsOf)));
  else machine.stdout.write(`No credentials. Set a key such as ANTHROPIC_API_KEY, or run: ${login} <provider>\n`);
  const mode = statSync(workspace.paths.auth, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0)
    machine.stderr.write(`lathe: Others can read ${workspace.paths.auth}. Run: chmod 600 ${workspace.paths.auth}\n`);
  return EXIT.done;
};

function optionsOf(argv: readonly string[]) {
  const [verb = "status", only, ...more] = argv.filter((word) => !word.startsWith("-"));
  const options = argv.filter((word) => word.startsWith("-"));
  if (verb !== "status") throw usageError(`Unknown command "lathe auth ${verb}". Use: lathe auth status`);
  const unknown = options.find((option) => option !== "--json" && option !== "--usage");
  if (unknown !== undefined || more.length > 0)
    throw usageError("lathe auth status takes one provider, --json and --usage.");
  return { only, wantsJson: options.includes("--json"), asksUsage: options.includes("--usage") };
}

async function statusesOf(
  workspace: SessionWorkspace,
  only: string | undefined,
  asksUsage: boolean,
): Promise<readonly ProviderStatus[]> {
  const models = await workspace.models();
  // The choices of a session that would start now.
  const sources = credentialSources({ ...workspace, accountChoices: accountChoicesFor(workspace) });
  const known = [
    ...providerRows.filter(({ unsupported }) => unsupported === undefined).map(({ id }) => id),
    ...Object.keys(models.registry.config.providers ?? {}),
    ...searchAccounts.map(({ id }) => id),
    ...(await sources.accounts.providers()),
  ];
  const providers = [...new Set(known)].filter((id) => only === undefined || id === only);
  if (providers.length === 0) throw usageError(`Unknown provider "${only}". See: lathe models`);
  const statuses: ProviderStatus[] = [];
  for (const provider of providers) {
    const query = credentialQuery(provider, workspace.env, models.configOf(provider));
    const found = await findCredential(query, sources);
    const sign = cloudSign(provider, workspace.env);
    const named = found?.source ?? (sign === undefined ? undefined : `$${sign}`);
    // A user who has just set a variable will wonder why it has no effect.
    const hidden = query.envNames.find((name) => workspace.env[name]);
    const source = hidden === undefined || named === `$${hidden}` ? named : `${named}, before $${hidden}`;
    const wish = { asksUsage, used: found?.account?.id, now: sources.now() };
    const accounts = await listStoredAccounts(workspace.accounts(), provider, wish);
    // Local servers need no key, so they are only listed when the user asks for them.
    if (source !== undefined && (found?.kind !== "none" || only !== undefined))
      statuses.push({ provider, source, accounts });
    else if (only !== undefined)
      statuses.push({ provider, source: `none; run: ${signInCommand(sources.accounts.place)} ${provider}`, accounts });
  }
  return statuses;
}

/** One line, followed by a line per account if there are several. */
function rowsOf({ provider, source, accounts }: ProviderStatus): string[][] {
  const [first] = accounts;
  if (!first) return [[provider, source]];
  if (accounts.length === 1) return [first.left === undefined ? [provider, source] : [provider, source, first.left]];
  return [
    [provider, source],
    ...accounts.map(({ description, isUsed, left }) => [
      "",
      `${isUsed ? "*" : "-"} ${description}`,
      ...(left === undefined ? [] : [left]),
    ]),
  ];
}
