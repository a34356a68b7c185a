// How programs are started inside namespaces: system programs by their real path, and commands without showing their
// text.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProgramArgv } from "../../process/types.ts";
import { quoteShell } from "../shell-quote.ts";
import { missingProgram } from "./refusal.ts";

/** Where the system keeps its programs. The user's PATH may lead into the project. */
const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/current-system/sw/bin"];

const ARGV_VARIABLE = "LATHE_ARGV";

/**
 * The text of the command must not be among the arguments of the programs that start it: `pkill -f server.js` would
 * match these too, and end its own call. So a variable holds it.
 */
export function startFromVariable(): ProgramArgv {
  return shell(`eval "set -- $${ARGV_VARIABLE}"; unset ${ARGV_VARIABLE}; exec "$@"`);
}

export const argvVariable = (argv: ProgramArgv): Record<string, string> => ({
  [ARGV_VARIABLE]: argv.map(quoteShell).join(" "),
});

/** Keeps namespaces open until its input ends, and runs `beside` until then. */
export function keeper(beside: ProgramArgv | undefined): ProgramArgv {
  const start = beside ? `${beside.map(quoteShell).join(" ")} &` : "echo ready";
  return shell(`${start}\nwhile read -r line; do :; done`);
}

/**
 * Bash if it is available: other shells drop variables with names they do not accept, such as exported functions, and
 * do not reap processes that they did not start. If its input were a socket, bash would read the user's start-up file.
 */
function shell(script: string): ProgramArgv {
  return existsSync("/bin/bash")
    ? ["/bin/bash", "--posix", "--norc", "--noprofile", "-c", script]
    : ["/bin/sh", "-c", script];
}

/** Undefined if it is not installed. */
export function findSystemProgram(name: string): string | undefined {
  return SYSTEM_FOLDERS.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
}

export function systemProgram(name: string): string {
  const path = findSystemProgram(name);
  if (path === undefined) throw missingProgram(name);
  return path;
}
