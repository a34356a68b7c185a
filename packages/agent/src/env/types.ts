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
  deleteFile(path: string): Promise<void>;
  moveFile(from: string, to: string): Promise<void>;
  /** False for a link that leads nowhere. */
  fileExists(path: string): Promise<boolean>;
  /** Follows symlinks; `realPath` is the final target. Undefined when nothing is there, not even a link. */
  stat(path: string): Promise<FileStat | undefined>;
  listDirectory(path: string, depth: number): Promise<DirEntry[]>;

  execCommand(command: string, timeoutMs: number, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a command that outlives the call. Absent where an environment cannot keep one. */
  startCommand?(command: string, options?: ExecOptions): BackgroundCommand;
  grep(pattern: string, path: string, options: GrepOptions): Promise<GrepResult>;
  glob(pattern: string, path: string, options?: GlobOptions): Promise<GlobResult>;

  initialize(): Promise<void>;
  /** Ends everything the environment started. Idempotent. */
  cleanup(): Promise<void>;
}

export interface WriteOptions {
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
  | "exists"
  | "changed"
  | "no_space"
  | "read_only"
  | "outside_root"
  | "bad_pattern"
  | "unavailable"
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
