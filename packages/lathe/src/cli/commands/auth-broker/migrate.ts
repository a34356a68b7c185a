// `lathe auth-broker migrate --from-local`: uploads the credentials of this machine to the configured broker.
// Credentials that the broker already has stay as they are, so the command can be run again.

import { providerRows } from "@lathe/llm/providers";
import { BrokerClient } from "../../../config/credentials/broker/broker-client.ts";
import { hasBroker } from "../../../config/credentials/broker/place.ts";
import type { NewCredential, Snapshot } from "../../../config/credentials/broker/wire.ts";
import { searchAccounts } from "../../../config/credentials/search-engines.ts";
import type { OpenAccount } from "../../../config/credentials/store.ts";
import type { SessionWorkspace } from "../../../conversation/session-workspace.ts";
import { ACCOUNT_NAME, PROVIDER } from "../../../doors/broker/server/handlers.ts";
import { Run } from "../../../hosts/run.ts";
import { configuredBroker } from "../../../models/broker-source.ts";
import { credentialQuery, credentialStore } from "../../../models/credentials.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";

const OPTIONS = {
  "from-local": { type: "boolean" },
  "include-oauth": { type: "boolean" },
  "include-env": { type: "boolean" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const;

interface Migrated {
  readonly provider: string;
  readonly name: string;
  readonly type: "api_key" | "oauth";
  readonly outcome: "uploaded" | "would be uploaded" | "unchanged" | "skipped";
  readonly note?: string;
}

/** A credential to upload, or a row that says why it stays here. */
type Candidate = NewCredential | { readonly row: Migrated };

export const brokerMigrate: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, OPTIONS, "auth-broker");
  if (!values["from-local"] || positionals[0] !== undefined)
    throw usageError("Add --from-local: lathe auth-broker migrate --from-local [--include-oauth] [--include-env]");
  const workspace = await new Run(machine).open({});
  if (!hasBroker(workspace))
    throw usageError(
      "No broker is configured. Set LATHE_AUTH_BROKER_URL and LATHE_AUTH_BROKER_TOKEN, or auth.broker.url.",
    );
  const place = await configuredBroker(workspace);
  const client = new BrokerClient(place, machine.deps.fetch);
  const snapshot = await client.snapshot();
  const takesSignIns = values["include-oauth"] ?? false;
  const stored = (await credentialStore(workspace).all()).map((one) => candidateOf(one, takesSignIns));
  const inVariables = values["include-env"] ? await fromVariables(workspace) : [];
  const rows: Migrated[] = [];
  for (const candidate of [...stored, ...inVariables]) {
    const row = "row" in candidate ? candidate.row : planUpload(candidate, snapshot);
    if (row.outcome !== "would be uploaded" || "row" in candidate || values["dry-run"]) rows.push(row);
    else {
      await client.add(candidate);
      rows.push({ ...row, outcome: "uploaded" });
    }
  }
  const { stdout } = machine;
  const uploaded = rows.filter(({ outcome }) => outcome === "uploaded").length;
  if (values.json) stdout.write(`${JSON.stringify({ broker: place.url, uploaded, credentials: rows }, null, 2)}\n`);
  else
    stdout.write(
      `${table(rows.map(({ provider, name, type, outcome, note }) => [provider, name, type === "api_key" ? "key" : "sign-in", outcome, note ?? ""]))}Uploaded ${uploaded} to ${place.url}.\n`,
    );
  return EXIT.done;
};

function candidateOf({ info, credential }: OpenAccount, takesSignIns: boolean): Candidate {
  const { provider, name, type, identity, disabled } = info;
  const skipped = (note: string): Candidate => ({ row: { provider, name, type, outcome: "skipped", note } });
  if (!PROVIDER.test(provider) || !ACCOUNT_NAME.test(name))
    return skipped("the broker accepts only letters, digits and some punctuation in names");
  if (disabled !== undefined) return skipped(`disabled: ${disabled.cause}`);
  if (credential.type === "api_key") return { provider, name, credential: { type: "api_key", key: credential.key } };
  if (credential.mcp !== undefined) return skipped("sign-ins of MCP servers stay on this machine");
  if (!takesSignIns) return skipped("a sign-in; see --include-oauth");
  const { access, refresh, expires } = credential;
  return {
    provider,
    name,
    ...(identity === undefined ? {} : { identity }),
    credential: {
      type: "oauth",
      access,
      ...(refresh === undefined ? {} : { refresh }),
      ...(expires === undefined ? {} : { expires }),
    },
  };
}

/**
 * Credentials from the user's variables, named after the variable. A project's .env file is not used: its keys are not
 * meant for a team.
 */
async function fromVariables(workspace: SessionWorkspace): Promise<readonly Candidate[]> {
  const models = await workspace.models();
  const providers = [...providerRows.map(({ id }) => id), ...searchAccounts.map(({ id }) => id)];
  return [...new Set(providers)].flatMap((provider): Candidate[] => {
    const query = credentialQuery(provider, workspace.userEnv, models.configOf(provider));
    const name = query.envNames.find((variable) => workspace.userEnv[variable]?.trim());
    const value = name === undefined ? undefined : workspace.userEnv[name]?.trim();
    if (name === undefined || !value) return [];
    const isBearer = query.bearerEnvNames?.includes(name);
    return [
      {
        provider,
        name,
        credential: isBearer ? { type: "oauth", access: value } : { type: "api_key", key: value },
      },
    ];
  });
}

/**
 * A credential of the team with that name is not replaced. A sign-in with that name counts as the same: the broker has
 * renewed it since.
 */
function planUpload({ provider, name, credential }: NewCredential, { credentials }: Snapshot): Migrated {
  const row = { provider, name, type: credential.type };
  const there = credentials.find((one) => one.provider === provider && one.name === name)?.credential;
  if (there === undefined) return { ...row, outcome: "would be uploaded" };
  const isSame =
    credential.type === "api_key"
      ? there.type === "api_key" && there.key === credential.key
      : there.type === "oauth" && (there.refresh !== undefined || there.access === credential.access);
  if (isSame) return { ...row, outcome: "unchanged" };
  return {
    ...row,
    outcome: "skipped",
    note: `the broker has another one of that name: delete it there, or store yours with another --account first`,
  };
}
