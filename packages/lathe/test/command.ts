// Runs the command as a user would, with its own home and directory: inside the test, from sources; or the built
// command, in a process with real pipes, for what concerns processes: signals, kills, exits, memory, several at once,
// code that users bring.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InsideCommand, runInside } from "./machine.ts";

export const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
export const SAMPLE = fileURLToPath(new URL("../sample", import.meta.url));
/** Code compiled by starts in other homes. File names contain a hash of the content. */
const COMPILED = fileURLToPath(new URL("../../../.cache/compiled", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

export interface Sandbox {
  /** Working directory of the command. */
  readonly dir: string;
  readonly home: string;
  readonly env: Record<string, string>;
  /** Runs the command inside the test, if that is possible. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs the built command in its own process. */
  runBuilt(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs the command inside the test, with pipes: the test writes and reads while it runs. */
  open(args: readonly string[], env?: Record<string, string>): InsideCommand;
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams;
  remove(): Promise<void>;
}

/**
 * `untouched` leaves the home empty, as on the first start; otherwise it has compiled code of earlier starts, which
 * saves a third of each.
 */
export async function sandbox(options: { sample?: boolean; untouched?: boolean } = {}): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "c-")));
  const dir = join(root, "project");
  const home = join(root, "home");
  if (options.sample) await cp(SAMPLE, dir, { recursive: true });
  await mkdir(dir, { recursive: true });
  await mkdir(home);
  if (!options.untouched) {
    await mkdir(COMPILED, { recursive: true });
    await mkdir(join(home, ".lathe/cache"), { recursive: true, mode: 0o700 });
    await symlink(COMPILED, join(home, ".lathe/cache/code"));
  }
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: home, LATHE_HOME: join(home, ".lathe") };
  const start: Sandbox["start"] = (args, extra = {}) =>
    spawn(process.execPath, [CLI, ...args], { cwd: dir, env: { ...env, ...extra } });
  const runBuilt: Sandbox["runBuilt"] = async (args, { env: extra = {}, stdin = "", cwd = dir } = {}) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env: { ...env, ...extra } });
    const finished = collect(child);
    child.stdin.on("error", () => {}); // a command that does not read its input
    child.stdin.end(stdin);
    return finished;
  };
  return {
    dir,
    home,
    env,
    open: (args, extra = {}) => new InsideCommand(args, { cwd: dir, env: { ...env, ...extra } }),
    start,
    run: (args, options = {}) =>
      needsProcess(options)
        ? runBuilt(args, options)
        : runInside(args, { cwd: dir, ...options, env: { ...env, ...options.env } }),
    runBuilt,
    // A command that was hung up may still be writing its last output.
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Whether a run needs a process: for node's options or preloaded libraries. */
const needsProcess = ({ env }: RunOptions): boolean =>
  env?.["NODE_OPTIONS"] !== undefined || env?.["LD_PRELOAD"] !== undefined;

export async function collect(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}
