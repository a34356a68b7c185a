// Files of the project that hooks run: the process that changes one decides what runs next, outside of any sandbox and without a question.

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isInside } from "@lathe/agent/policy";

/** Real paths of the files in the project that the words of these commands name. */
export function programFiles(commands: readonly string[], cwd: string): readonly string[] {
  const words = commands.flatMap((command) => command.split(/[\s;|&<>()`]+/));
  const paths = words.map((word) => {
    const plain = word.replace(/["']/g, "");
    return resolve(cwd, plain.replace(/^\$(?:\w+_PROJECT_DIR|\{\w+_PROJECT_DIR\})/, cwd));
  });
  const files = paths.filter((path) => isInside(path, cwd) && isFile(path));
  return [...new Set(files.map((path) => realpathSync.native(path)))];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // a word that is no path
  }
}
