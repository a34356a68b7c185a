// `lathe sessions export` and `lathe --export`.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { EXIT, type ExitCode, usageError } from "../../cli/exit.ts";
import { verbArgs } from "../../commands/verb-args.ts";
import { exportSession } from "../../export/session.ts";
import type { Workspace } from "../../run/workspace.ts";
import { findSession, idOf } from "../find.ts";
import { named, type Verb } from "./verb.ts";

export const exportVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, { out: { type: "string", short: "o" } });
  return exportTo(workspace, named(positionals[0], "export"), values.out);
};

/** `-` is stdout; without a name the file is `lathe-<id>.html` where the command was started. */
export async function exportTo(workspace: Workspace, session: string, out?: string): Promise<ExitCode> {
  const { machine, paths } = workspace;
  const { path } = findSession(workspace, session);
  const page = await exportSession(machine, paths.blobs, path);
  if (out === "-") {
    machine.stdout.write(page);
    return EXIT.done;
  }
  const file = resolve(machine.cwd, out ?? `lathe-${idOf(path).slice(0, 8)}.html`);
  try {
    writeFileSync(file, page);
  } catch (error) {
    throw usageError(`The page cannot be written: ${(error as Error).message}. Choose another file with --out.`);
  }
  machine.stdout.write(`${file}\n`);
  return EXIT.done;
}
