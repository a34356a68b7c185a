// The default mix-in: an environment that reads, writes, lists and runs commands gets byte reads, stat, delete and move
// through small shell scripts.

import { posix } from "node:path";
import { connectByRelay } from "./port.ts";
import { type RunScript, ShellFiles } from "./shell-files.ts";
import { quoteShell } from "./shell-quote.ts";
import { EnvError, type ExecutionEnvironment } from "./types.ts";

/** An environment without the operations that shell scripts can provide. */
export type MinimalEnvironment = Omit<
  ExecutionEnvironment,
  "readBytes" | "stat" | "deleteFile" | "moveFile" | "resolve" | "connect"
> &
  Partial<Pick<ExecutionEnvironment, "connect">>;

type Derived = Exclude<keyof ExecutionEnvironment, keyof MinimalEnvironment> | "connect";

const SCRIPT_TIMEOUT_MS = 60_000;
/** As base64, this stays well below the output limit of a command. */
const PIECE = 1 << 19;

const PROGRAMS = ["base64", "stat", "readlink", "head", "tail"];
const READY = "lathe-shell-ready";

/** Fails if the scripts cannot run there, and says what is missing. */
async function checkShell({ execCommand }: Pick<MinimalEnvironment, "execCommand">): Promise<void> {
  const probe = `for program in ${PROGRAMS.join(" ")}; do command -v $program >/dev/null || echo $program; done; echo ${READY}`;
  const { stdout, stderr, exitCode } = await execCommand(probe, SCRIPT_TIMEOUT_MS);
  const lines = stdout.trim().split("\n");
  const isShell = lines.pop() === READY;
  if (isShell && lines.length === 0) return;
  const missing = isShell
    ? lines.join(", ")
    : `a POSIX shell (exit code ${exitCode}: ${stderr.trim() || stdout.trim()})`;
  const advice = "Provide it, or implement readBytes, stat, deleteFile and moveFile in the environment.";
  throw new EnvError("unavailable", `withFileCommands: the environment's commands lack ${missing}. ${advice}`);
}

/** Completes an environment: the missing file operations run as shell commands in it. */
export function withFileCommands(minimal: MinimalEnvironment): ExecutionEnvironment {
  let checked: Promise<void> | undefined;
  // Command output is text, so bytes travel as base64; the exit code bypasses the pipe.
  const run: RunScript = async ({ script, args }) => {
    checked ??= checkShell({ execCommand: (...given) => minimal.execCommand(...given) });
    await checked;
    const inner = `sh -c ${quoteShell(script)} lathe ${args.map(quoteShell).join(" ")}`;
    const command = `exec 5>&1; code=$( { { ${inner}; echo $? >&6; } | base64 >&5; } 6>&1 ); exit $code`;
    const { stdout, stderr, exitCode, truncated } = await minimal.execCommand(command, SCRIPT_TIMEOUT_MS);
    if (truncated) throw new EnvError("io", `The answer about ${args[0]} is too long for a command's output.`);
    return { exitCode, stdout: Buffer.from(stdout, "base64"), stderr };
  };
  const resolve = (path: string) => posix.resolve(minimal.workingDirectory(), path);
  const files = new ShellFiles(run);
  const added: Pick<ExecutionEnvironment, Derived> = {
    resolve,
    readBytes: async (path, range = { start: 0, end: Number.POSITIVE_INFINITY }) => {
      const pieces: Buffer[] = [];
      for (let start = range.start; ; start += PIECE) {
        const piece = await files.readBytes(resolve(path), { start, end: Math.min(range.end, start + PIECE) });
        pieces.push(piece);
        if (piece.length < PIECE) return Buffer.concat(pieces);
      }
    },
    stat: (path) => files.stat(resolve(path)),
    deleteFile: (path, options = {}) => files.deleteFile(resolve(path), options),
    connect: (port, options) => minimal.connect?.(port, options) ?? connectByRelay(minimal, port, options),
    moveFile: (from, to, options = {}) => files.moveFile(resolve(from), resolve(to), options),
  };
  // A proxy rather than a copy, so that methods of the minimal environment keep their `this`.
  return new Proxy(minimal as ExecutionEnvironment, {
    get(target, name) {
      if (Object.hasOwn(added, name)) return added[name as Derived];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
