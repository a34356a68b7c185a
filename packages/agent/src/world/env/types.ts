// How tools access the world. Everything a tool reads, writes or runs goes through this object, so the same tools work
// locally, in memory, over SSH and in a container.

import type { Duplex } from "node:stream";
import type {
  BackgroundCommand,
  ExecOptions,
  ExecResult,
  ProcessOptions,
  ProgramArgv,
  TerminalCommand,
  TerminalOptions,
  TwoWayProcess,
} from "../process/types.ts";

export * from "../process/types.ts";

/** Everything a tool reads, writes or runs goes through this object. Failures are thrown as EnvError. */
export interface ExecutionEnvironment {
  /**
   * Equal for two environments in which a path names the same file and a port the same program, so that results for one
   * are valid for the other. Wrappers pass it on. Programs still end with the environment that started them.
   */
  readonly identity: string;
  /**
   * The system itself confines commands: they change nothing outside the roots, see no credentials and reach only
   * allowed hosts. So they need no approval, unless they ask to run `outside`. Absent means no.
   */
  readonly isSandboxed?: boolean;
  /** The host itself shows commands that calls wait for, so they cannot be sent to the background. Absent means no. */
  readonly showsCommands?: boolean;
  /**
   * Folders that only the commands and file tools of this environment see and that vanish with it: writing there needs
   * no approval.
   */
  readonly privateFolders?: readonly string[];
  /** What `~` means to commands, if that is known before they run. */
  readonly home?: string | undefined;
  /** Names of the variables in the environment of commands, if known. */
  readonly exported?: ReadonlySet<string> | undefined;
  /** The absolute path that relative paths are resolved against. */
  workingDirectory(): string;
  platform(): "darwin" | "linux" | "windows" | "wasm";
  osVersion(): string;
  /** The absolute form of a path, without accessing the disk. */
  resolve(path: string): string;

  /** The whole file as UTF-8 text, or the lines from `offset` (1-based). Throws EnvError. */
  readFile(path: string, offset?: number, limit?: number): Promise<string>;
  readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array>;
  /**
   * Creates parent directories; writes a temporary file and renames it; keeps the mode of an existing file unless
   * `mode` is given.
   */
  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** Deletes or moves a link itself, not its target. */
  deleteFile(path: string, options?: DeleteOptions): Promise<void>;
  moveFile(from: string, to: string, options?: PathOptions): Promise<void>;
  /** False for a dangling link. */
  fileExists(path: string): Promise<boolean>;
  /** Follows symlinks; `realPath` is the final target. Undefined if nothing exists there, not even a link. */
  stat(path: string): Promise<FileStat | undefined>;
  listDirectory(path: string, depth: number): Promise<DirEntry[]>;
  /**
   * The location of a real path on the disk of this machine, for libraries that open files themselves. If undefined, or
   * if the method is missing, the file is elsewhere. Fails if reading or writing would.
   */
  localPath?(realPath: string, purpose: "read" | "write"): Promise<string | undefined>;

  /** Files that were read or written here and have unsaved changes in the host's editor. Absent: none. */
  unsavedFiles?(): Promise<readonly string[]>;

  /**
   * Whether the machine has memory for one more command after `ahead` others that are about to start. Absent: not
   * known. Callers that start something large ask; commands wait by themselves.
   */
  hasRoom?(ahead: number): boolean;
  /** Ends the processes that finished commands left running, and returns their number. Absent: none are known. */
  endLeftBehind?(): Promise<number>;
  execCommand(command: string, timeoutMs: number, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a command that outlives the call. Absent if the environment cannot keep one. */
  startCommand?(command: string, options?: ExecOptions): BackgroundCommand;
  /** Starts a command in its own terminal. Absent if there are no terminals. */
  startTerminal?(command: string, options: TerminalOptions): Promise<TerminalCommand>;
  /**
   * Starts a program that we communicate with over stdin and stdout; resolves once it runs. Absent like `startCommand`.
   */
  startProcess?(argv: ProgramArgv, options?: ProcessOptions): Promise<TwoWayProcess>;
  /**
   * A connection to a TCP port on loopback where commands run. `end()` ends our side only, and we can still read what
   * the other side sends; when the other side ends, both end. The connection closes with the environment. An error is
   * emitted once and need not be handled. Rejects with EnvError: `unavailable` if nothing listens there, `closed` if
   * `signal` aborted first.
   */
  connect(port: number, options?: ConnectOptions): Promise<Duplex>;
  /** Whether every program that listens on this port, as `connect` reaches it, was started here. Absent: not known. */
  ownsPort?(port: number): Promise<boolean>;
  grep(pattern: string, path: string, options: GrepOptions): Promise<GrepResult>;
  glob(pattern: string, path: string, options?: GlobOptions): Promise<GlobResult>;

  initialize(): Promise<void>;
  /** Ends everything the environment started. Idempotent. */
  cleanup(): Promise<void>;
}

/** The lifetime of a connection. */
export interface ConnectOptions {
  /** Cancels connecting; an established connection is destroyed with an AbortError. */
  readonly signal?: AbortSignal | undefined;
}

/** Byte positions in a file; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Conditions for reading a file. */
export interface ReadOptions {
  /**
   * The path is an approved real path: fails with `changed` if it now leads through a link, or to a file other than the
   * one whose `stat` had this identity. Environments without identities ignore it.
   */
  readonly ifFile?: string | undefined;
}

/** Conditions for opening a path. */
export interface PathOptions {
  /**
   * The path is an approved real path: fails with `changed` if it now leads through a link, including one created while
   * the operation runs. Environments without links may ignore it.
   */
  readonly noLinks?: boolean | undefined;
}

/** Conditions for deleting a file. */
export interface DeleteOptions extends PathOptions {
  /** On the local disk: fails with `changed`, and keeps the file, unless it contains exactly this. */
  readonly ifContent?: Uint8Array | undefined;
  /** The same as in WriteOptions. */
  readonly temp?: string | undefined;
}

/** Conditions for writing a file, and its mode. */
export interface WriteOptions extends PathOptions {
  /**
   * Fails with `changed` if the file is no longer the one whose `stat` had this version, or, for `absent`, if it
   * exists.
   */
  readonly ifVersion?: string | undefined;
  /**
   * What the file contained at that version. On the local disk, the replacement then detects a concurrent write of
   * another process: it fails with `changed` if the other content is in place, with `overwrote` if it is lost.
   */
  readonly ifContent?: Uint8Array | undefined;
  readonly mode?: number | undefined;
  /** Every user who may read the file may also run it. */
  readonly executable?: boolean | undefined;
  /** On the local disk: name of the temporary file next to it, for a caller that removes it after a kill. */
  readonly temp?: string | undefined;
}

/** What is known about a file without reading it. */
export interface FileStat {
  /** Changes whenever the file changes; absent if the environment does not know. */
  readonly version?: string;
  /** Identifies the file under all of its names; absent if the environment does not know. */
  readonly file?: string;
  /** `dangling`: a link whose target does not exist; `realPath` is where a write through it would go. */
  readonly kind: "file" | "directory" | "other" | "dangling";
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly realPath: string;
  readonly isSymlink: boolean;
}

/** One entry of a listed directory. */
export interface DirEntry {
  /** Relative to the listed directory, `/`-separated. */
  readonly name: string;
  /** For a link, its target decides. */
  readonly isDir: boolean;
  readonly isLink?: true;
  readonly size?: number;
  /** Absent if the environment does not know. */
  readonly mtimeMs?: number;
}

/** Which files a walk over a tree includes. `.git` is never entered. */
export interface WalkOptions {
  /** Include files and folders whose name begins with a dot. */
  readonly hidden?: boolean | undefined;
  /** False: include what .gitignore and other ignore files exclude; true if absent. */
  readonly gitignore?: boolean | undefined;
}

/** Which files to search and how much to return. Hidden files are left out unless `hidden` says otherwise. */
export interface GrepOptions extends WalkOptions {
  /**
   * As in `rg --glob`: without a slash it matches only the name, a leading slash anchors it at the searched directory.
   */
  readonly globFilter?: string | undefined;
  /** Files, by absolute path, that are not searched: the result does not depend on their content. */
  readonly leaveOut?: ((path: string) => boolean) | undefined;
  readonly caseInsensitive?: boolean | undefined;
  /** The pattern may match across line ends. */
  readonly multiline?: boolean | undefined;
  /** Maximum number of matching lines, or of files if `perFile` is set and in the other modes. */
  readonly maxResults?: number | undefined;
  /** Maximum number of matching lines per file. */
  readonly perFile?: number | undefined;
  /** Only matches on these lines are kept. */
  readonly within?: readonly GrepRange[] | undefined;
  /** Lines shown before and after each match. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly mode?: "content" | "files_with_matches" | "count" | undefined;
  /** Result paths are relative to this directory; the working directory if absent. */
  readonly base?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lines by number, from 1. */
export interface GrepRange {
  readonly first: number;
  /** Inclusive; absent: to the end. */
  readonly last?: number | undefined;
}

/** Matching lines; `truncated` if there were more. */
export interface GrepResult {
  /**
   * `path:line:text` (content), `path`, or `path:count`; paths are relative to `base` if inside it, otherwise absolute.
   */
  readonly lines: readonly string[];
  /** The same results by file, in path order. */
  readonly files: readonly GrepFile[];
  readonly truncated: boolean;
}

/** The matches in one file. */
export interface GrepFile {
  /** The path as in `lines`. */
  readonly path: string;
  /** Number of matching lines; with `perFile`, at most one above it. 1 if only names were requested. */
  readonly hits: number;
  /** Empty in the modes without content. */
  readonly lines: readonly GrepLine[];
}

/** A line of a file, without its end. */
export interface GrepLine {
  readonly number: number;
  /** Very long lines are shortened and say so. */
  readonly text: string;
  readonly isMatch: boolean;
  readonly isShortened?: boolean | undefined;
  /** Position of the first match in the line; set for lines that may be too long to show. */
  readonly at?: number | undefined;
}

/** Where to search and how much to return. Hidden files are included unless `hidden` is false. */
export interface GlobOptions extends WalkOptions {
  readonly maxResults?: number | undefined;
  /**
   * Also return matching folders, after the files and with a trailing slash. A folder without any listed file is not
   * found.
   */
  readonly directories?: boolean | undefined;
  /** When it aborts, the result is what was found so far, with `truncated`. */
  readonly enough?: AbortSignal | undefined;
  /** The same as in GrepOptions. */
  readonly base?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
/** Matching paths; `truncated` if there were more. */
export interface GlobResult {
  /** Newest first by mtime, ties by name. */
  readonly paths: readonly string[];
  readonly truncated: boolean;
}
