// Shells as starters: the arguments that run a command, and those that mark a program before it begins.

import { existsSync } from "node:fs";
import { type Mark, SET_LOCKS } from "./marks.ts";
import type { ProgramArgv } from "./types.ts";

export const SH = "/bin/sh";
export const BASH = "/bin/bash";
const SHELLS: readonly string[] = [BASH, SH];

/** Arguments that run a shell command: with bash if available, otherwise sh. */
export function shellArgv(command: string): ProgramArgv {
  return [SHELLS.find((shell) => existsSync(shell)) ?? SH, "-c", command];
}

/**
 * Processes started by a shell may leave its group and environment, but keep a resource limit. `prelude`: shell text
 * that runs before the command replaces the shell.
 */
export function markedShell(
  mark: Mark,
  argv: ProgramArgv,
  env: Readonly<Record<string, string>>,
  interleaved: boolean,
  prelude = "",
): ProgramArgv {
  const [program, option, command] = argv;
  if (!SHELLS.includes(program)) return argv;
  // A plain sh marks itself, which saves a process.
  if (program === SH && option === "-c" && command !== undefined && argv.length === 3)
    return [SH, "-c", `${ownMark(mark, interleaved, prelude)}${command}`];
  const [sh, ...rest] = markedProgram(mark, argv, interleaved, prelude);
  // In POSIX mode, bash does not read $BASH_ENV; the command's own shell will.
  return sh === SH && program === BASH && !keepsVariables(env) ? [BASH, "--posix", ...rest] : [sh, ...rest];
}

/**
 * sh starts in less than half the time of bash, but Debian's sh drops variables whose names no shell could assign, such
 * as functions that bash exported.
 */
function keepsVariables(env: Readonly<Record<string, string>>): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
}

/** The same for a program that is not a shell. */
export function markedProgram(mark: Mark, argv: ProgramArgv, interleaved: boolean, prelude = ""): ProgramArgv {
  const linux = process.platform === "linux";
  if (!linux && !interleaved) return argv;
  const script = `${linux ? `${prelude}${SET_LOCKS}; ` : ""}shift; exec "$@"${interleaved ? " 2>&1" : ""}`;
  return [SH, "-c", script, "lathe", mark.locks, ...argv];
}

/** Text with which our shell sets its own mark. */
export function ownMark(mark: Mark, interleaved: boolean, prelude: string): string {
  const locks = SET_LOCKS.replaceAll('"$1"', mark.locks);
  return `${process.platform === "linux" ? `${prelude}${locks}; ` : ""}${interleaved ? "exec 2>&1; " : ""}`;
}
