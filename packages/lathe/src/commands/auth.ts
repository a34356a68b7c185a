// `lathe auth status [provider]`: which credential each provider would use, never the secret itself. Nothing is sent.

import { providerRows } from "@lathe/llm/providers";
import { EXIT, usageError } from "../cli/exit.ts";
import { findCredential } from "../credentials/resolve.ts";
import { cloudSign, credentialQuery, credentialSources } from "../run/credentials.ts";
import { modelsOf } from "../run/model.ts";
import { openWorkspace } from "../run/workspace.ts";
import type { Command } from "./command.ts";
import { table } from "./table.ts";

export const authCommand: Command = async ([verb = "status", only], machine) => {
  if (verb !== "status") throw usageError(`lathe auth knows status, not "${verb}".`);
  const workspace = await openWorkspace(machine, {});
  const models = await modelsOf(workspace);
  const sources = credentialSources(workspace);
  const known = [
    ...providerRows.filter(({ unsupported }) => unsupported === undefined).map(({ id }) => id),
    ...Object.keys(models.registry.config.providers ?? {}),
    ...sources.store.providers(),
  ];
  const providers = [...new Set(known)].filter((id) => only === undefined || id === only);
  if (providers.length === 0) throw usageError(`Unknown provider "${only}". See: lathe models`);
  const rows: string[][] = [];
  for (const id of providers) {
    const found = await findCredential(credentialQuery(id, workspace.env, models.configOf(id)), sources);
    const sign = cloudSign(id, workspace.env);
    const source = found?.source ?? (sign === undefined ? undefined : `$${sign}`);
    // Local servers need no key: only worth a line when asked for.
    if (source !== undefined && (found?.kind !== "none" || only !== undefined)) rows.push([id, source]);
    else if (only !== undefined) rows.push([id, `none; run: lathe login ${id}`]);
  }
  machine.stdout.write(
    rows.length > 0
      ? table(rows)
      : "No credentials. Set a key such as ANTHROPIC_API_KEY, or run: lathe login <provider>\n",
  );
  return EXIT.done;
};
