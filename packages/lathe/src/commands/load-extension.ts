// `lathe load-extension <file>`: loads a file the way extensions are loaded and lists what it exports. For developers
// of extensions; there is no extension API yet, so loading is all that can be done with one.

import { resolve } from "node:path";
import { ExtensionError } from "../extensions/errors.ts";
import { type Libraries, runningLibraries } from "../extensions/libraries.ts";
import { loadExtension } from "../extensions/load.ts";
import { homePaths } from "../home/paths.ts";
import { CliError, EXIT, usageError } from "../usage/exit.ts";
import type { Command } from "./command.ts";

export const loadExtensionCommand: Command = async (argv, machine) => {
  const [path, extra] = argv;
  if (path === undefined || extra !== undefined) throw usageError("Name one file: lathe load-extension <file>");
  const cacheFolder = `${homePaths(machine.env, machine.userHome).cache}/extensions`;
  const exports = await loadExtension(resolve(machine.cwd, path), { cacheFolder }).catch((error: unknown) => {
    if (error instanceof ExtensionError) throw new CliError(EXIT.failed, error.message, { cause: error });
    throw error;
  });
  const libraries = await runningLibraries();
  for (const [name, value] of Object.entries(exports))
    machine.stdout.write(`${name}: ${typeof value}${originOf(value, libraries)}\n`);
  return EXIT.done;
};

/** Whether a value is one of the running libraries' own, or an instance of a class of theirs: the nearest one. */
function originOf(value: unknown, libraries: Libraries): string {
  const own = nameOf((candidate) => candidate === value, libraries);
  if (own !== undefined) return `, ${own}`;
  if (typeof value !== "object") return "";
  for (let type = value; type !== null; type = Object.getPrototypeOf(type)) {
    const made = nameOf((candidate) => typeof candidate === "function" && candidate.prototype === type, libraries);
    if (made !== undefined) return `, an instance of ${made}`;
  }
  return "";
}

function nameOf(fits: (candidate: unknown) => boolean, libraries: Libraries): string | undefined {
  for (const [library, exports] of Object.entries(libraries))
    for (const [name, candidate] of Object.entries(exports)) if (fits(candidate)) return `${name} of ${library}`;
  return undefined;
}
