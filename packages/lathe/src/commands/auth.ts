// `lathe auth status`: which credential each provider would use, never the secret itself.

import { providerRows } from "@lathe/llm/providers";
import { EXIT, usageError } from "../cli/exit.ts";
import { credentialOf, credentialSources } from "../run/credentials.ts";
import { openWorkspace } from "../run/workspace.ts";
import type { Command } from "./index.ts";
import { table } from "./table.ts";

export const authCommand: Command = async ([verb = "status", only], machine) => {
  if (verb !== "status") throw usageError(`lathe auth knows status, not "${verb}".`);
  const workspace = await openWorkspace(machine, {});
  const sources = credentialSources(workspace);
  const rows: string[][] = [];
  for (const row of providerRows) {
    if (row.unsupported !== undefined || (only !== undefined && row.id !== only)) continue;
    // A sign-in that has expired must not hide the others.
    const source = await credentialOf(row, sources).then(
      (found) => found?.source,
      (error: Error) => error.message,
    );
    if (source !== undefined || only !== undefined)
      rows.push([row.id, source ?? `none; set ${row.keyEnv[0] ?? "a key"} or run: lathe login ${row.id}`]);
  }
  machine.stdout.write(
    rows.length > 0
      ? table(rows)
      : "No credentials. Set a key such as ANTHROPIC_API_KEY, or run: lathe login <provider>\n",
  );
  return EXIT.done;
};
