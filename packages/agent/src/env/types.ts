// Where tools touch the world. Everything a tool reads, writes or runs goes through this object, so the same tools work
// locally, in memory, over SSH and in a container.

export interface ExecutionEnvironment {
  /** Absolute path that relative paths are resolved against. */
  workingDirectory(): string;
  platform(): "darwin" | "linux" | "windows" | "wasm";
  osVersion(): string;
  /** Absolute form of a path, without touching the disk. */
  resolve(path: string): string;

  /** Whole file as UTF-8 text, or the lines from `offset` (1-based). Throws EnvError. */
  readFile(path: string, offset?: number, limit?: number): Promise<string>;
  readBytes(path: string, range?: { start: number; end: number }): Promise<Uint8Array>;
  /** Creates parents; temp file + rename; keeps the mode of an existing file unless `mode` is given. */
  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** A link is deleted or moved itself; what it leads to stays. */
  deleteFile(path: string, options?: PathOptions): Promise<void>;
  moveFile(from: string, to: string, options?: PathOptions): Promise<void>;
  /** False for a link that leads nowhere. */
  fileExists(path: string): Promise<boolean>;
  /** Follows symlinks; `realPath` is the final target. Undefined when nothing is there, not even a link. */
  stat(path: string): Promise<FileStat | undefined>;
  listDirectory(path: string, depth: number): Promise<DirEntry[]>;

  execCommand(command: string, timeoutMs: number, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a command that outlives the call. Absent where an environment cannot keep one. */
  startCommand?(command: string, options?: ExecOptions): BackgroundCommand;
  /** Starts a program that is talked to over its stdin and stdout; resolves once it runs. Absent like `startCommand`. */
  startProcess?(argv: ProgramArgv, options?: ProcessOptions): Promise<TwoWayProcess>;
  grep(pattern: string, path: string, options: GrepOptions): Promise<GrepResult>;
  glob(pattern: string, path: string, options?: GlobOptions): Promise<GlobResult>;

  initialize(): Promise<void>;
  /** Ends everything the environment started. Idempotent. */
  cleanup(): Promise<void>;
}

export interface PathOptions {
  /**
   * The path is a real one that somebody has judged: fails with `changed` when a link stands on the way to it by now, also
   * one that comes while the operation runs. Environments without links may ignore it.
   */
  readonly noLinks?: boolean;
}

export interface WriteOptions extends PathOptions {
  /** Fails with `changed` when the file is no longer the one whose `stat` had this version, or, with `absent`, when there is one. */
  readonly ifVersion?: string;
  readonly mode?: number;
  /** Whoever may read the file may also run it. */
  readonly executable?: boolean;
}

export interface FileStat {
  /** Another one after every change of the file; absent where the environment cannot tell. */
  readonly version?: string;
  /** `dangling`: a link whose target does not exist; `realPath` is where a write through it would go. */
  readonly kind: "file" | "directory" | "other" | "dangling";
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly realPath: string;
  readonly isSymlink: boolean;
}

export interface DirEntry {
  /** Relative to the listed directory, `/`-separated. */
  readonly name: string;
  readonly isDir: boolean;
  readonly size?: number;
}

export interface ExecOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Both streams in the exact order in which they were written; all of it then counts as stdout. */
  readonly interleaved?: boolean;
  /** Receives every byte beyond what is kept in memory; the session stores it as an artifact. */
  readonly spill?: OutputSpill;
}

/** Takes the whole output once it no longer fits in memory. */
export interface OutputSpill {
  write(chunk: Uint8Array): void;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams as they came, bounded (head + tail). */
  readonly output: string;
  /** Total bytes produced, also those no longer in `output`. */
  readonly outputBytes: number;
  readonly truncated: boolean;
  /** -1 when ended by a signal. */
  readonly exitCode: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
}

/** A command that runs beside the conversation; `cleanup` of its environment ends it. */
export interface BackgroundCommand {
  readonly command: string;
  readonly running: boolean;
  /** Settles when the command has ended, in whatever way. Rejects with EnvError when it could not start. */
  readonly done: Promise<ExecResult>;
  /** Output from byte offset `from` on; `missed` bytes before it are no longer held. Pass `next` to read on. */
  read(from?: number): { readonly text: string; readonly next: number; readonly missed: number };
  /** SIGTERM, two seconds, SIGKILL, with everything it started. */
  stop(): Promise<void>;
}

/** Program and arguments, without a shell in between. A program without a slash is looked up on PATH. */
export type ProgramArgv = readonly [string, ...string[]];

export interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the process at once, as `stop(0)` does. */
  readonly signal?: AbortSignal;
  /** How long one write may wait until the program has taken it; 30 seconds when absent. */
  readonly writeTimeoutMs?: number;
  /** Whole characters as they come, for a log. */
  readonly onStderr?: (text: string) => void;
}

export interface ProcessExit {
  /** -1 when ended by a signal. */
  readonly exitCode: number;
  readonly signal?: string;
  /** We ended it: by `stop`, by the abort signal or by `cleanup`. */
  readonly stopped: boolean;
  readonly durationMs: number;
}

/**
 * A program that we write to and read from: a language server, a debugger, a kernel. Bytes are passed on as they are; framing
 * is up to the caller (`byteLines` splits lines). `cleanup` of its environment ends it.
 */
export interface TwoWayProcess {
  /**
   * In the order of the calls; resolves when the program's pipe has taken all bytes, so awaiting each write keeps pace with
   * the program. Rejects with EnvError: `busy` when 8 MiB are waiting already, `timed_out` after `writeTimeoutMs`, `closed`
   * when the program has exited, has closed its stdin or `endInput` was called. A write that was cut off in the middle
   * closes the input: whatever came after it would be misread.
   */
  write(bytes: string | Uint8Array): Promise<void>;
  /** The program reads an end of file after what is queued; its output goes on. Resolves when the pipe is closed. */
  endInput(): Promise<void>;
  /** For one reader. What is not read holds the program back. A later loop goes on where an earlier one broke off. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** The last 64 KiB of stderr, from byte offset `from` on, as `BackgroundCommand.read` does. Never holds the program back. */
  readStderr(from?: number): { readonly text: string; readonly next: number; readonly missed: number };
  /** Resolves once, when the program itself has ended; never rejects. `stdout` can still be read to its end. */
  readonly exited: Promise<ProcessExit>;
  /** To the program and the processes of its group, such as SIGINT for a kernel. Nothing happens when it has exited. */
  signal(name: NodeJS.Signals): Promise<void>;
  /**
   * Closes stdin, gives the program `graceMs` (500 when absent) to exit by itself, then SIGTERM, two seconds, SIGKILL. What
   * the program started ends with it.
   */
  stop(graceMs?: number): Promise<ProcessExit>;
}

export interface GrepOptions {
  readonly globFilter?: string;
  readonly caseInsensitive?: boolean;
  readonly maxResults?: number;
  readonly context?: number;
  readonly mode?: "content" | "files_with_matches" | "count";
  /** Result paths are relative to this directory; the working directory when absent. */
  readonly base?: string;
  readonly signal?: AbortSignal;
}

export interface GrepResult {
  /** `path:line:text` (content), `path`, or `path:count`; paths relative to `base` when inside it, else absolute. */
  readonly lines: readonly string[];
  readonly truncated: boolean;
}

export interface GlobOptions {
  readonly maxResults?: number;
  /** As in GrepOptions. */
  readonly base?: string;
  readonly signal?: AbortSignal;
}
export interface GlobResult {
  /** Newest first by mtime, ties by name. */
  readonly paths: readonly string[];
  readonly truncated: boolean;
}

export type EnvErrorCode =
  | "not_found"
  | "permission_denied"
  | "is_directory"
  | "not_directory"
  | "not_file"
  | "exists"
  | "changed"
  | "no_space"
  | "read_only"
  | "outside_root"
  | "not_permitted"
  | "bad_pattern"
  | "unavailable"
  | "busy"
  | "closed"
  | "timed_out"
  | "io";

/** Every failure of an environment. `message` names the path and is fit for the model. */
export class EnvError extends Error {
  readonly code: EnvErrorCode;
  readonly path?: string;
  constructor(code: EnvErrorCode, message: string, options: { path?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EnvError";
    this.code = code;
    if (options.path !== undefined) this.path = options.path;
  }
}
