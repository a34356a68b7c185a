// Files that the user has approved at a question, such as a plan: written below `.lathe` of the project and nowhere else.

import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** `file`: two folders below the project. A folder that comes with the project may be a link, and the file another name of one. */
export async function saveInProject(file: string, text: string): Promise<void> {
  const folder = dirname(file);
  for (const path of [dirname(folder), folder]) {
    await mkdir(path, { recursive: true });
    if ((await lstat(path)).isSymbolicLink()) throw new Error(`${path} is a link`);
  }
  const temporary = `${file}.${process.pid}.tmp`;
  // Of a process that was killed here and had the same id.
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { flag: "wx" });
  await rename(temporary, file);
}
