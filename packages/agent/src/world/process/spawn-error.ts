// Explains why a program could not be started, and names it.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { InsideNames } from "./confinement.ts";
import { EnvError, type ProgramArgv } from "./types.ts";

export interface ProgramRequest {
  readonly argv: ProgramArgv;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The folders that shells search if there is no PATH. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

export function spawnError(error: NodeJS.ErrnoException, request: ProgramRequest): EnvError {
  const program = request.argv[0];
  if (error.code === "ENOENT" && !existsSync(request.cwd)) {
    const message = `Working directory does not exist: ${request.cwd}. Run the command from an existing directory.`;
    return new EnvError("not_found", message, { path: request.cwd, cause: error });
  }
  if (error.code === "ENOTDIR") {
    const message = `Working directory is not a directory: ${request.cwd}. Name a directory to run the command in.`;
    return new EnvError("not_directory", message, { path: request.cwd, cause: error });
  }
  if (error.code === "ENOENT") {
    const message = `Program not found: ${program}. Install it or put it on PATH.`;
    return new EnvError("unavailable", message, { path: program, cause: error });
  }
  if (error.code === "E2BIG") {
    const message = "Command too long for the system. Write it to a script file and run that.";
    return new EnvError("io", message, { cause: error });
  }
  if (["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"].includes(error.code ?? "")) {
    const message = `Could not start ${program}: the system is out of resources (${error.code}). Try again when fewer programs are running.`;
    return new EnvError("busy", message, { path: program, cause: error });
  }
  return new EnvError("io", `Could not start ${program}: ${error.message}. Check the program and try again.`, {
    path: program,
    cause: error,
  });
}

export function cancelledError(program: string): EnvError {
  return new EnvError("closed", `${program} was not started: the call was cancelled.`, { path: program });
}

/** Checked before the start: the shell that replaces itself with the program could only print the error to stderr. */
export function refuseMissingProgram(request: ProgramRequest): void {
  const [program] = request.argv;
  const folders = program.includes("/") ? [""] : (request.env["PATH"] ?? DEFAULT_PATH).split(delimiter);
  const candidates = folders.map((folder) => resolve(request.cwd, folder, program)).filter(isFile);
  if (candidates.some(isExecutable)) return;
  if (candidates.length === 0) throw spawnError(Object.assign(new Error("no such file"), { code: "ENOENT" }), request);
  const message = `Not executable: ${program}. Run chmod +x on it, or name the program that runs it.`;
  throw new EnvError("permission_denied", message, { path: program });
}

/** A sandbox has its own folders in place of the machine's, so an existing folder may not exist in it. */
export function refuseHiddenDirectory(names: InsideNames | undefined, { cwd }: Pick<ProgramRequest, "cwd">): void {
  if (!names || existsSync(names.hostPath(cwd)) || !existsSync(cwd)) return;
  const message = `The sandbox does not show the directory ${cwd}. Add it to the folders that commands may write to, or run the command elsewhere.`;
  throw new EnvError("not_found", message, { path: cwd });
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // a folder of PATH that we may not enter
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function refuseZeroBytes(argv: ProgramArgv): void {
  if (!argv.some((argument) => argument.includes("\0"))) return;
  throw new EnvError("io", "A command cannot contain a zero byte. Remove it, or write the bytes to a file first.");
}
