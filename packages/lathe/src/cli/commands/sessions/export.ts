// `lathe sessions export` and `lathe --export`.

import type { Workspace } from "../../../config/workspace/workspace.ts";
import { EXIT, type ExitCode } from "../../../platform/usage/exit.ts";
import { exportSession, sessionPage } from "../../../sessions/export/export-session.ts";
import { findSession } from "../../../sessions/find.ts";
import { writePieces } from "../../../sessions/write-pieces.ts";
import { verbArgs } from "../verb-args.ts";
import { singleName, type Verb } from "./verb.ts";

export const exportVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, { out: { type: "string", short: "o" } });
  return exportTo(workspace, singleName(positionals, "export"), values.out);
};

/** `-` means stdout. */
export async function exportTo(workspace: Workspace, session: string, out?: string): Promise<ExitCode> {
  const { path } = findSession(workspace, session);
  const { stdout } = workspace.machine;
  if (out === "-") await writePieces(stdout, sessionPage(workspace, path));
  else stdout.write(`${await exportSession(workspace, path, { out })}\n`);
  return EXIT.done;
}
