// Environments that wrap others: read-only, logging, and confined to a directory.

import { basename, dirname, join, resolve } from "node:path/posix";
import { pathError } from "./fs-error.ts";
import { isInside } from "./is-inside.ts";
import { realPathOf } from "./real-path.ts";
import { quoteShell } from "./shell-quote.ts";
import {
  type BackgroundCommand,
  type ByteRange,
  type DeleteOptions,
  type DirEntry,
  EnvError,
  type ExecOptions,
  type ExecResult,
  type ExecutionEnvironment,
  type FileStat,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  type PathOptions,
  type ProcessOptions,
  type ProgramArgv,
  type ReadOptions,
  type TwoWayProcess,
  type WriteOptions,
} from "./types.ts";
import { WrappedEnvironment } from "./wrapped.ts";

/** File tools cannot change anything. Commands are not restricted, so it is a guard rail and not a sandbox. */
export class ReadOnlyEnvironment extends WrappedEnvironment {
  override async writeFile(path: string): Promise<void> {
    throw readOnly(path);
  }

  override async deleteFile(path: string): Promise<void> {
    throw readOnly(path);
  }

  override async moveFile(from: string): Promise<void> {
    throw readOnly(from);
  }

  override async localPath(path: string, purpose: "read" | "write"): Promise<string | undefined> {
    if (purpose === "write") throw readOnly(path);
    return super.localPath(path, purpose);
  }
}

function readOnly(path: string): EnvError {
  return new EnvError("read_only", "Write operations are disabled in read-only mode", { path });
}

/** What a logging environment reports about a command. */
export type EnvLogEntry =
  | { readonly kind: "command_start"; readonly command: string; readonly cwd: string; readonly background: boolean }
  | {
      readonly kind: "command_end";
      readonly command: string;
      readonly exitCode: number;
      readonly durationMs: number;
      readonly timedOut: boolean;
      readonly aborted: boolean;
    }
  | { readonly kind: "command_failed"; readonly command: string; readonly message: string };

type CommandEnd = Pick<ExecResult, "exitCode" | "durationMs" | "timedOut" | "aborted">;

/** Reports each command before it runs, and its exit code and duration afterwards. */
export class LoggingEnvironment extends WrappedEnvironment {
  readonly #log: (entry: EnvLogEntry) => void;

  constructor(inner: ExecutionEnvironment, log: (entry: EnvLogEntry) => void) {
    super(inner);
    this.#log = log;
  }

  override async execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    this.#logStart(command, options, false);
    const run = this.inner.execCommand(command, timeoutMs, options);
    this.#watch(command, run);
    return run;
  }

  protected override startInner(command: string, options: ExecOptions = {}): BackgroundCommand {
    this.#logStart(command, options, true);
    const job = super.startInner(command, options);
    this.#watch(command, job.done);
    return job;
  }

  protected override async startInnerProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<TwoWayProcess> {
    const command = argv.map(quoteShell).join(" ");
    this.#logStart(command, options, true);
    const starting = super.startInnerProcess(argv, options);
    starting.then(
      ({ exited }) => exited.then((exit) => this.#logEnd(command, { ...exit, timedOut: false, aborted: exit.stopped })),
      (error: unknown) => this.#logFailure(command, error),
    );
    return starting;
  }

  #logStart(command: string, options: Pick<ExecOptions, "cwd">, background: boolean): void {
    const cwd = options.cwd === undefined ? this.workingDirectory() : this.resolve(options.cwd);
    this.#log({ kind: "command_start", command, cwd, background });
  }

  #watch(command: string, run: Promise<ExecResult>): void {
    run.then(
      (result) => this.#logEnd(command, result),
      (error: unknown) => this.#logFailure(command, error),
    );
  }

  #logEnd(command: string, { exitCode, durationMs, timedOut, aborted }: CommandEnd): void {
    this.#log({ kind: "command_end", command, exitCode, durationMs, timedOut, aborted });
  }

  #logFailure(command: string, error: unknown): void {
    this.#log({ kind: "command_failed", command, message: String(error) });
  }
}

/** Uses another working directory inside the wrapped environment and refuses files outside it. For subagents. */
export class ScopedEnvironment extends WrappedEnvironment {
  readonly #directory: string;

  constructor(inner: ExecutionEnvironment, directory: string) {
    super(inner);
    this.#directory = inner.resolve(directory);
  }

  override workingDirectory(): string {
    return this.#directory;
  }

  override resolve(path: string): string {
    return resolve(this.#directory, path);
  }

  override async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return this.inner.readFile(await this.#inside(path), offset, limit);
  }

  override async readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array> {
    return this.inner.readBytes(await this.#inside(path), range, options);
  }

  override async writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
    const { full, real } = await this.#locate(path);
    return this.inner.writeFile(options?.noLinks ? full : real, content, { ...options, noLinks: true });
  }

  override async deleteFile(path: string, options: DeleteOptions = {}): Promise<void> {
    return this.inner.deleteFile(await this.#entry(path, options), { ...options, noLinks: true });
  }

  override async moveFile(from: string, to: string, options: PathOptions = {}): Promise<void> {
    const [source, target] = [await this.#entry(from, options), await this.#entry(to, options)];
    return this.inner.moveFile(source, target, { noLinks: true });
  }

  override async fileExists(path: string): Promise<boolean> {
    return this.inner.fileExists(await this.#inside(path));
  }

  override async stat(path: string): Promise<FileStat | undefined> {
    return this.inner.stat(await this.#inside(path));
  }

  override async listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    return this.inner.listDirectory(await this.#inside(path), depth);
  }

  override async localPath(path: string, purpose: "read" | "write"): Promise<string | undefined> {
    return super.localPath(await this.#inside(path), purpose);
  }

  override async execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    await this.#root();
    return this.inner.execCommand(command, timeoutMs, this.#execOptions(options));
  }

  protected override startInner(command: string, options: ExecOptions = {}): BackgroundCommand {
    return super.startInner(command, this.#execOptions(options));
  }

  protected override async startInnerProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<TwoWayProcess> {
    await this.#root();
    return super.startInnerProcess(argv, this.#execOptions(options));
  }

  override async grep(pattern: string, path: string, options: GrepOptions = {}): Promise<GrepResult> {
    return this.inner.grep(pattern, await this.#inside(path), { base: this.#directory, ...options });
  }

  override async glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    const directory = await this.#inside(path);
    const { globDirectory } = await import("./search/path-glob.ts");
    await this.#inside(resolve(directory, globDirectory(pattern)));
    return this.inner.glob(pattern, directory, { base: this.#directory, ...options });
  }

  /** The wrapped environment has another owner, which also ends what this one started. */
  override async cleanup(): Promise<void> {}

  override async initialize(): Promise<void> {
    const stat = await this.inner.stat(this.#directory);
    if (stat === undefined) throw pathError("not_found", this.#directory);
    if (stat.kind !== "directory") throw pathError("not_directory", this.#directory);
    await this.#root();
  }

  #execOptions<Options extends { readonly cwd?: string | undefined }>(
    options: Options,
  ): Options & { readonly cwd: string } {
    return { ...options, cwd: this.resolve(options.cwd ?? ".") };
  }

  async #inside(path: string): Promise<string> {
    return (await this.#locate(path)).full;
  }

  async #locate(path: string): Promise<{ full: string; real: string }> {
    const full = this.resolve(path);
    if (!isInside(full, this.#directory)) throw pathError("outside_root", full);
    const [root, real] = await Promise.all([this.#root(), this.#real(full)]);
    if (!isInside(real, root)) throw pathError("outside_root", full);
    return { full, real };
  }

  /** The real path of the entry itself, without following it if it is a link. */
  async #entry(path: string, { noLinks }: PathOptions): Promise<string> {
    const full = this.resolve(path);
    const { real } = await this.#locate(dirname(full));
    return noLinks ? full : join(real, basename(full));
  }

  /**
   * The real path of the root. A directory that is inside the wrapped one by name, but really elsewhere, would be an
   * escape.
   */
  async #root(): Promise<string> {
    const [outer, root] = await Promise.all([this.#real(this.inner.workingDirectory()), this.#real(this.#directory)]);
    const isNamedInside = isInside(this.#directory, this.inner.workingDirectory());
    if (isNamedInside && !isInside(root, outer)) throw pathError("outside_root", this.#directory);
    return root;
  }

  #real(path: string): Promise<string> {
    return realPathOf(this.inner, path);
  }
}
