// Project files that hooks run. They must be protected: whoever changes one decides what runs next, outside any sandbox
// and without approval.

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isInside } from "@lathe/agent/policy";

/** Real paths of project files that these commands name. */
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
    return false; // a word that is not a path
  }
}
