// File tools for a place that only commands can reach, such as a mount namespace: each operation is a small script that
// runs in there, so paths and links mean exactly what they mean to commands. If every program sees the same files, one
// shell stays open for these scripts.

import type { HeldShell } from "./held-shell.ts";
import { lineWindow } from "./lines.ts";
import { type ScriptCall, type ScriptResult, ShellFiles } from "./shell-files.ts";
import {
  type BackgroundCommand,
  type DirEntry,
  EnvError,
  type ExecOptions,
  type ExecResult,
  type ExecutionEnvironment,
  type FileStat,
  type PathOptions,
  type ProcessOptions,
  type ProgramArgv,
  type TwoWayProcess,
  type WriteOptions,
} from "./types.ts";
import { WrappedEnvironment } from "./wrapped.ts";

/** An environment that can start programs. */
type Starting = ExecutionEnvironment & Required<Pick<ExecutionEnvironment, "startProcess">>;

/** Less than the amount that may be queued for a slow reader. */
const PIECE = 1 << 20;
/** A script that takes longer than this in the shared shell gets a separate program. */
const HELD_TIMEOUT_MS = 60_000;

/**
 * The inner environment runs commands and searches. Nothing runs `outside`, because the files there are not the files
 * in here.
 */
export class InsideFiles extends WrappedEnvironment {
  readonly #files: ShellFiles;
  readonly #held: HeldShell | undefined;
  #writes = 0;

  /**
   * `held`: omit it if a later program may see less than an earlier one, as in a sandbox whose rules change with the
   * files.
   */
  constructor(inner: Starting, held?: HeldShell) {
    super(inner);
    this.#held = held;
    this.#files = new ShellFiles((call) => this.#run(inner, call));
  }

  override async cleanup(): Promise<void> {
    await this.#held?.end();
    await super.cleanup();
  }

  async #run(inner: Starting, call: ScriptCall): Promise<ScriptResult> {
    const result = await this.#held?.run(call, HELD_TIMEOUT_MS);
    if (typeof result === "object") return result;
    if (call.once && result !== undefined && result !== "own-program")
      throw new EnvError(
        "io",
        "The shell in the isolated copy ended during the operation. Check the files, and try again.",
      );
    return runScript(inner, call);
  }

  override async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return lineWindow((await this.#files.readBytes(this.resolve(path))).toString("utf8"), offset, limit);
  }

  override readBytes(path: string, range?: { start: number; end: number }): Promise<Uint8Array> {
    return this.#files.readBytes(this.resolve(path), range);
  }

  override writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    return this.#files.writeFile(this.resolve(path), content, `.lathe-inside-${++this.#writes}.tmp`, options);
  }

  override deleteFile(path: string, options: PathOptions = {}): Promise<void> {
    return this.#files.deleteFile(this.resolve(path), options);
  }

  override moveFile(from: string, to: string, options: PathOptions = {}): Promise<void> {
    return this.#files.moveFile(this.resolve(from), this.resolve(to), options);
  }

  override async fileExists(path: string): Promise<boolean> {
    const stat = await this.stat(path);
    return stat !== undefined && stat.kind !== "dangling";
  }

  override stat(path: string): Promise<FileStat | undefined> {
    return this.#files.stat(this.resolve(path));
  }

  override listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    return this.#files.listDirectory(this.resolve(path), depth);
  }

  /** The host has a different file at that path. */
  override async localPath(): Promise<undefined> {}

  override execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    return super.execCommand(command, timeoutMs, { ...options, outside: false });
  }

  protected override startInner(command: string, options: ExecOptions = {}): BackgroundCommand {
    return super.startInner(command, { ...options, outside: false });
  }

  protected override startInnerProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<TwoWayProcess> {
    return super.startInnerProcess(argv, { ...options, outside: false });
  }
}

async function runScript(env: Starting, { script, args, stdin }: ScriptCall): Promise<ScriptResult> {
  const running = await env.startProcess(["/bin/sh", "-c", script, "lathe", ...args], { cwd: "/" });
  const feeding = feed(running, stdin);
  const chunks: Uint8Array[] = [];
  for await (const chunk of running.stdout) chunks.push(chunk);
  const { exitCode } = await running.exited;
  await feeding;
  return { exitCode, stdout: Buffer.concat(chunks), stderr: running.readStderr().text };
}

/** A script that refuses does not read its input; its exit code says why. */
async function feed(running: TwoWayProcess, stdin: Uint8Array | undefined): Promise<void> {
  try {
    for (let start = 0; start < (stdin?.length ?? 0); start += PIECE)
      await running.write(stdin!.subarray(start, start + PIECE));
    await running.endInput();
  } catch (error) {
    if (!(error instanceof EnvError) || error.code !== "closed") throw error;
  }
}
