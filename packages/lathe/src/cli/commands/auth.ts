// `lathe auth status [provider]`: which credential each provider would use, never the secret itself. Nothing is sent.

import { statSync } from "node:fs";
import { providerRows } from "@lathe/llm/providers";
import { findCredential } from "../../config/credentials/resolve.ts";
import { searchAccounts } from "../../config/credentials/search-engines.ts";
import { Run } from "../../hosts/run.ts";
import { cloudSign, credentialQuery, credentialSources } from "../../models/credentials.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { table } from "../../sessions/tables/table.ts";
import type { Command } from "./command.ts";

export const authCommand: Command = async ([verb = "status", only], machine) => {
  if (verb !== "status") throw usageError(`Unknown command "lathe auth ${verb}". Use: lathe auth status`);
  const workspace = await new Run(machine).open({});
  const models = await workspace.models();
  const sources = credentialSources(workspace);
  const known = [
    ...providerRows.filter(({ unsupported }) => unsupported === undefined).map(({ id }) => id),
    ...Object.keys(models.registry.config.providers ?? {}),
    ...searchAccounts.map(({ id }) => id),
    ...sources.store.providers(),
  ];
  const providers = [...new Set(known)].filter((id) => only === undefined || id === only);
  if (providers.length === 0) throw usageError(`Unknown provider "${only}". See: lathe models`);
  const rows: string[][] = [];
  for (const id of providers) {
    const query = credentialQuery(id, workspace.env, models.configOf(id));
    const found = await findCredential(query, sources);
    const sign = cloudSign(id, workspace.env);
    const named = found?.source ?? (sign === undefined ? undefined : `$${sign}`);
    // A user who has just set a variable wonders why it has no effect.
    const hidden = query.envNames.find((name) => workspace.env[name]);
    const source = hidden === undefined || named === `$${hidden}` ? named : `${named}, before $${hidden}`;
    // Local servers need no key: only worth a line when asked for.
    if (source !== undefined && (found?.kind !== "none" || only !== undefined)) rows.push([id, source]);
    else if (only !== undefined) rows.push([id, `none; run: lathe login ${id}`]);
  }
  machine.stdout.write(
    rows.length > 0
      ? table(rows)
      : "No credentials. Set a key such as ANTHROPIC_API_KEY, or run: lathe login <provider>\n",
  );
  const mode = statSync(workspace.paths.auth, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0)
    machine.stderr.write(`lathe: Others can read ${workspace.paths.auth}. Run: chmod 600 ${workspace.paths.auth}\n`);
  return EXIT.done;
};
