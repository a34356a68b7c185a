// Writes a session as one HTML page.

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Workspace } from "../run/workspace.ts";
import { idOf } from "../sessions/find.ts";
import { exportSession as pageOf } from "./session.ts";

/** Gives the page's path: `out`, else `lathe-<id>.html` where the command was started. */
export async function exportSession(workspace: Workspace, path: string, out?: string): Promise<string> {
  const { machine, paths } = workspace;
  const file = resolve(machine.cwd, out ?? `lathe-${idOf(path).slice(0, 8)}.html`);
  await writeFile(file, await pageOf(machine, paths.blobs, path));
  return file;
}
