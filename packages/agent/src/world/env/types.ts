// Where tools touch the world. Everything a tool reads, writes or runs goes through this object, so the same tools work
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
   * The same for two environments in which a path names the same file and a port the same program, so that what serves one can serve
   * the other. Wrappers pass it on. What was started in an environment still ends with that environment.
   */
  readonly identity: string;
  /**
   * The system itself confines commands: they change nothing outside the roots, see no credentials and reach no network that was
   * not allowed. So they need no question, unless they ask to run `outside`. Absent means no.
   */
  readonly isSandboxed?: boolean;
  /** A command that a call waits for runs where the host shows it, and cannot be sent to the background. Absent means no. */
  readonly showsCommands?: boolean;
  /** Folders that only this environment's commands and file tools see, gone with it: writing there needs no question. */
  readonly privateFolders?: readonly string[];
  /** What `~` means to commands, where that is known before they run. */
  readonly home?: string | undefined;
  /** Names of the variables that commands find in their environment, where they are known. */
  readonly exported?: ReadonlySet<string> | undefined;
  /** Absolute path that relative paths are resolved against. */
  workingDirectory(): string;
  platform(): "darwin" | "linux" | "windows" | "wasm";
  osVersion(): string;
  /** Absolute form of a path, without touching the disk. */
  resolve(path: string): string;

  /** Whole file as UTF-8 text, or the lines from `offset` (1-based). Throws EnvError. */
  readFile(path: string, offset?: number, limit?: number): Promise<string>;
  readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array>;
  /** Creates parents; temp file + rename; keeps the mode of an existing file unless `mode` is given. */
  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** A link is deleted or moved itself; what it leads to stays. */
  deleteFile(path: string, options?: DeleteOptions): Promise<void>;
  moveFile(from: string, to: string, options?: PathOptions): Promise<void>;
  /** False for a dangling link. */
  fileExists(path: string): Promise<boolean>;
  /** Follows symlinks; `realPath` is the final target. Undefined when nothing is there, not even a link. */
  stat(path: string): Promise<FileStat | undefined>;
  listDirectory(path: string, depth: number): Promise<DirEntry[]>;
  /**
   * Where a real path lies on the disk of this machine, for libraries that open files themselves. Undefined, or no such method: the
   * file is elsewhere. Fails where reading or writing it would.
   */
  localPath?(realPath: string, purpose: "read" | "write"): Promise<string | undefined>;

  /** Files that were read or written here and of which the host's editor holds another text than the disk. Absent: none. */
  unsavedFiles?(): Promise<readonly string[]>;

  /**
   * Whether the machine has memory for one more command, and before it for `ahead` others that are about to start. Absent: not known.
   * A caller that starts something large asks; commands wait by themselves.
   */
  hasRoom?(ahead: number): boolean;
  /** Ends what commands have left running that have ended themselves, and returns how many processes those were. Absent: nothing is known of them. */
  endLeftBehind?(): Promise<number>;
  execCommand(command: string, timeoutMs: number, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a command that outlives the call. Absent where an environment cannot keep one. */
  startCommand?(command: string, options?: ExecOptions): BackgroundCommand;
  /** Starts a command in a terminal of its own. Absent where there are none. */
  startTerminal?(command: string, options: TerminalOptions): Promise<TerminalCommand>;
  /** Starts a program that we communicate with over its stdin and stdout; resolves once it runs. Absent like `startCommand`. */
  startProcess?(argv: ProgramArgv, options?: ProcessOptions): Promise<TwoWayProcess>;
  /**
   * A connection to a TCP port on loopback where commands run. `end()` ends our side only, and what the other side sends can still be
   * read; the end of the other side ends both. It ends with the environment. An error is reported once, and may be left unheard.
   * Rejects with EnvError: `unavailable` when nothing listens there, `closed` when `signal` fired first.
   */
  connect(port: number, options?: ConnectOptions): Promise<Duplex>;
  /** Whether all that listens on this port, where `connect` leads, was started here. Absent: not known. */
  ownsPort?(port: number): Promise<boolean>;
  grep(pattern: string, path: string, options: GrepOptions): Promise<GrepResult>;
  glob(pattern: string, path: string, options?: GlobOptions): Promise<GlobResult>;

  initialize(): Promise<void>;
  /** Ends everything the environment started. Idempotent. */
  cleanup(): Promise<void>;
}

/** How long a connection is wanted. */
export interface ConnectOptions {
  /** Gives up connecting; once there is a connection, it is destroyed with an AbortError. */
  readonly signal?: AbortSignal | undefined;
}

/** Bytes of a file; `end` is not included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Which file may be read. */
export interface ReadOptions {
  /**
   * The path is a real path that was approved: fails with `changed` when it now leads through a link, or to another file than the one
   * whose `stat` had this identity. Environments that know no identities ignore it.
   */
  readonly ifFile?: string | undefined;
}

/** How a path is opened. */
export interface PathOptions {
  /**
   * The path is a real path that was approved: fails with `changed` when it now leads through a link, also
   * one that comes while the operation runs. Environments without links may ignore it.
   */
  readonly noLinks?: boolean | undefined;
}

/** When a file may be deleted. */
export interface DeleteOptions extends PathOptions {
  /** On the local disk: fails with `changed`, and the file stays, when it does not hold exactly this. */
  readonly ifContent?: Uint8Array | undefined;
  /** The same as in WriteOptions. */
  readonly temp?: string | undefined;
}

/** When a file may be written, and with which mode. */
export interface WriteOptions extends PathOptions {
  /** Fails with `changed` when the file is no longer the one whose `stat` had this version, or, with `absent`, when there is one. */
  readonly ifVersion?: string | undefined;
  /**
   * What the file held at that version. A file on the local disk is then replaced so that a write of another process in the same
   * moment is noticed: it fails with `changed` when what they wrote is there, with `overwrote` when it is gone.
   */
  readonly ifContent?: Uint8Array | undefined;
  readonly mode?: number | undefined;
  /** Every user who may read the file may also run it. */
  readonly executable?: boolean | undefined;
  /** On the local disk: name of the temporary file beside it, for a caller that removes it after a kill. */
  readonly temp?: string | undefined;
}

/** What is known of a file without reading it. */
export interface FileStat {
  /** Different after every change of the file; absent where the environment does not know. */
  readonly version?: string;
  /** The same as long as it is the same file, under whatever name; absent where the environment does not know. */
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
  /** What a link leads to counts. */
  readonly isDir: boolean;
  readonly isLink?: true;
  readonly size?: number;
  /** Absent where the environment does not know. */
  readonly mtimeMs?: number;
}

/** Which files a walk over a tree meets. `.git` is never entered. */
export interface WalkOptions {
  /** Files and folders whose name begins with a dot. */
  readonly hidden?: boolean | undefined;
  /** False: also what .gitignore and other ignore files exclude; true when absent. */
  readonly gitignore?: boolean | undefined;
}

/** Which files to search and how much to return. Hidden files are left out unless `hidden` says otherwise. */
export interface GrepOptions extends WalkOptions {
  /** As in `rg --glob`: without a slash it looks at the name only, a leading slash begins at the searched directory. */
  readonly globFilter?: string | undefined;
  /** Files, by absolute path, that are not searched: nothing of the result depends on what they hold. */
  readonly leaveOut?: ((path: string) => boolean) | undefined;
  readonly caseInsensitive?: boolean | undefined;
  /** The pattern may match across line ends. */
  readonly multiline?: boolean | undefined;
  /** The most matching lines, or the most files with `perFile` and in the other modes. */
  readonly maxResults?: number | undefined;
  /** The most matching lines of each file. */
  readonly perFile?: number | undefined;
  /** Matches on other lines are dropped. */
  readonly within?: readonly GrepRange[] | undefined;
  /** Lines shown before and after each match. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly mode?: "content" | "files_with_matches" | "count" | undefined;
  /** Result paths are relative to this directory; the working directory when absent. */
  readonly base?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lines by number, from 1. */
export interface GrepRange {
  readonly first: number;
  /** Included; absent: to the end. */
  readonly last?: number | undefined;
}

/** Matching lines; `truncated` when there were more. */
export interface GrepResult {
  /** `path:line:text` (content), `path`, or `path:count`; paths relative to `base` when inside it, else absolute. */
  readonly lines: readonly string[];
  /** The same by file, in the order of their paths. */
  readonly files: readonly GrepFile[];
  readonly truncated: boolean;
}

/** What was found in one file. */
export interface GrepFile {
  /** The path as in `lines`. */
  readonly path: string;
  /** Matching lines; with `perFile`, no more than one above it are counted. 1 when only names were asked for. */
  readonly hits: number;
  /** Empty in the modes without content. */
  readonly lines: readonly GrepLine[];
}

/** A line of a file, without its end. */
export interface GrepLine {
  readonly number: number;
  /** A very long line is shortened, and says so. */
  readonly text: string;
  readonly isMatch: boolean;
  readonly isShortened?: boolean | undefined;
  /** Where in the line the first match begins; set for lines that may be too long to show. */
  readonly at?: number | undefined;
}

/** Where to look and how much to return. Hidden files are included unless `hidden` is false. */
export interface GlobOptions extends WalkOptions {
  readonly maxResults?: number | undefined;
  /** Folders that match as well, behind the files and with a slash at their end. A folder without any listed file is not seen. */
  readonly directories?: boolean | undefined;
  /** When it fires, what was found so far is the result, `truncated`. */
  readonly enough?: AbortSignal | undefined;
  /** The same as in GrepOptions. */
  readonly base?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
/** Matching paths; `truncated` when there were more. */
export interface GlobResult {
  /** Newest first by mtime, ties by name. */
  readonly paths: readonly string[];
  readonly truncated: boolean;
}
