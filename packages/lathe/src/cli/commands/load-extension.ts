// `lathe load-extension <file>`: loads a file the way extensions are loaded and lists its exports, without running it.
// For developers of extensions.

import { resolve } from "node:path";
import { describeLoadFailure, ExtensionError } from "../../additions/extensions/errors.ts";
import { type Libraries, runningLibraries } from "../../additions/extensions/libraries.ts";
import { loadExtension } from "../../additions/extensions/load.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

export const loadExtensionCommand: Command = async (argv, machine) => {
  const [path, extra] = argv;
  if (path === undefined || extra !== undefined) throw usageError("Name one file: lathe load-extension <file>");
  const file = resolve(machine.cwd, path);
  const loaded = reportExit(file, machine);
  try {
    const exports = await load(file, machine);
    const libraries = await runningLibraries();
    for (const [name, value] of Object.entries(exports))
      machine.stdout.write(`${name}: ${typeof value}${originOf(value, libraries)}\n`);
    return EXIT.done;
  } finally {
    loaded();
    // Timers and servers in the file would keep the process alive; the exit code is already set.
    machine.stdout.write("", () => setImmediate(() => machine.exit?.()));
  }
};

async function load(file: string, machine: Machine): Promise<Readonly<Record<string, unknown>>> {
  const cacheFolder = `${homePaths(machine.env, machine.userHome).cache}/extensions`;
  try {
    const exports = await loadExtension(file, { cacheFolder });
    // By then an unhandled rejection has been reported.
    await new Promise((done) => setImmediate(done));
    return exports;
  } catch (error) {
    if (error instanceof ExtensionError) throw new CliError(EXIT.failed, error.message, { cause: error });
    throw error;
  }
}

/**
 * If the process ends while the file loads, the file caused it: this reports a failure. Call the returned function once
 * the file is loaded.
 */
function reportExit(file: string, { stderr }: Machine): () => void {
  let problem = `${file} ended the process while it was loading: remove the call of process.exit.`;
  const onError = (error: unknown): void => {
    problem = describeLoadFailure(file, error).message;
    process.exit();
  };
  const onExit = (): void => {
    stderr.write(`lathe: ${problem}\n`);
    process.exitCode = EXIT.failed;
  };
  // It must run before the listener that treats every uncaught error as a bug of ours.
  process.prependListener("uncaughtException", onError);
  process.once("exit", onExit);
  return () => process.off("uncaughtException", onError).off("exit", onExit);
}

/** Which running library exports the value, or the closest class that it is an instance of. */
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
