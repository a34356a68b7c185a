// Writes files that the user approved, such as a plan, below the project's `.lathe` folder and nowhere else.

import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * `file` is two folders below the project. Those folders may come with the repository as links, and the file may be a
 * hard link.
 */
export async function saveInProject(file: string, text: string): Promise<void> {
  const folder = dirname(file);
  for (const path of [dirname(folder), folder]) {
    await mkdir(path, { recursive: true });
    if ((await lstat(path)).isSymbolicLink()) throw new Error(`${path} is a link`);
  }
  const temporary = `${file}.${process.pid}.tmp`;
  // A killed process with the same id may have left it.
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { flag: "wx" });
  await rename(temporary, file);
}
