// Copies the artifacts of a session that continues as another one; they keep their numbers.

import { constants, copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isArtifactName, LOCAL_FOLDER } from "./file-artifacts.ts";

/** Returns the names of those that could not be copied: the copy still works, only their text is missing. */
export function copyArtifacts(from: string, to: string): string[] {
  copyLocalTexts(from, to);
  return artifactsIn(from).filter((name) => !isCopied(join(from, name), to, name));
}

/** Copies the texts that the session and its children exchanged under local://. */
function copyLocalTexts(from: string, to: string): void {
  const source = join(from, LOCAL_FOLDER);
  if (!existsSync(source)) return;
  cpSync(source, join(to, LOCAL_FOLDER), {
    recursive: true,
    // Copies only files and folders, because a link may lead anywhere.
    filter: (path) => lstatSync(path).isFile() || lstatSync(path).isDirectory(),
  });
}

/** An unreadable folder counts as empty. */
function artifactsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isArtifactName);
  } catch {
    return [];
  }
}

/** A pipe may have the name of an artifact. */
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
