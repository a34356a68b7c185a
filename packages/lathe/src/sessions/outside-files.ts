// Remembers session files outside the sessions folder (`--session <path>`), so that the blobs they use are not deleted.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const NAME = "elsewhere.txt";

/** The paths that still exist. */
export function outsideFiles(sessionsRoot: string): string[] {
  return [...new Set(lines(sessionsRoot))].filter((path) => path !== "" && existsSync(path));
}

export function rememberOutsideFile(sessionsRoot: string, path: string): void {
  if (!relative(sessionsRoot, path).startsWith("..") || lines(sessionsRoot).includes(path)) return;
  try {
    mkdirSync(sessionsRoot, { recursive: true, mode: 0o700 });
    appendFileSync(join(sessionsRoot, NAME), `${path}\n`, { mode: 0o600 });
  } catch {
    // a home directory that cannot be written to holds no blobs either
  }
}

function lines(sessionsRoot: string): string[] {
  try {
    return readFileSync(join(sessionsRoot, NAME), "utf8").split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
