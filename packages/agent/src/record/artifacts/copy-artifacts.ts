// Artifacts of a session that goes on as another one: the copy has them under the same numbers.

import { constants, copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isArtifactName, LOCAL_FOLDER } from "./file-artifacts.ts";

/** Names of those that could not be copied: without them the copy still works, only their text is missing. */
export function copyArtifacts(from: string, to: string): string[] {
  copyLocalTexts(from, to);
  return artifactsIn(from).filter((name) => !isCopied(join(from, name), to, name));
}

/** What the session and its children left for each other under local://. */
function copyLocalTexts(from: string, to: string): void {
  const source = join(from, LOCAL_FOLDER);
  if (!existsSync(source)) return;
  cpSync(source, join(to, LOCAL_FOLDER), {
    recursive: true,
    // Files and folders only: a link may lead anywhere.
    filter: (path) => lstatSync(path).isFile() || lstatSync(path).isDirectory(),
  });
}

/** A folder that cannot be read has none to offer. */
function artifactsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isArtifactName);
  } catch {
    return [];
  }
}

/** Under the name of an artifact may lie a pipe. */
function isCopied(file: string, folder: string, name: string): boolean {
  try {
    if (!lstatSync(file).isFile()) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    copyFileSync(file, join(folder, name), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return true;
  } catch {
    return false;
  }
}
