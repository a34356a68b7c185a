// Everything the product takes from the machine, as one value: made once by the command; tests make their own.

import { fstatSync, readFileSync, readlinkSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { visibleText } from "@lathe/agent/base";
import { type ClientDeps, defaultDeps, type Transport } from "@lathe/llm";
import { announceFirstRequest } from "../launcher/first-request.ts";
import { EXIT, type ExitCode, usageError } from "../usage/exit.ts";
import { isLostTerminal } from "./lost-terminal.ts";
import { isReaderWatched } from "./reader-gone.ts";
import { systemUuid } from "./uuid.ts";

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly userHome: string;
  readonly pid: number;
  readonly host: string;
  readonly deps: ClientDeps;
  /** For requests about credentials, when `deps` is recorded. */
  readonly credentialDeps?: ClientDeps;
  readonly stdin: NodeJS.ReadStream;
  /** Something may be piped into stdin; at a terminal and for /dev/null nothing is. */
  readonly isPiped?: boolean;
  /** Files that stdout and stderr are redirected to: what the run says of itself, and no work of the agent. */
  readonly outputFiles?: readonly string[];
  /** For text. At a terminal, nothing written here can move the cursor or change a colour. */
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Stdout as it is, for the screen: text from elsewhere must be made safe before it goes here. */
  readonly terminal: NodeJS.WriteStream;
  /**
   * Ends the process, whatever still runs in it; without a code, with the one that is set. Absent when the process is not the
   * command's own.
   */
  readonly exit?: (code?: ExitCode) => void;
  /** Tells of the signals that end the interactive mode. Absent when the process is not the command's own. */
  readonly signals?: Pick<NodeJS.EventEmitter, "on" | "off">;
  /** Who started this process in a pane of tmux. */
  readonly paneStarter?: PaneStarter;
}

/** The process that started this one in a pane: it waits for the session, and for its end. */
export interface PaneStarter {
  /** The session that others can join by now. */
  opened(sessionId: string): void;
  /** How to come back: the pane goes with the process. */
  lastWords(line: string): void;
  /** The file with the changes of its isolated copy, which goes with the process. */
  keptPatch(path: string): void;
  /** Aborted when it has gone and this process is to leave with it. */
  readonly gone: AbortSignal;
  /** Absent: this process is no worker. */
  readonly member?: TeamMember | undefined;
}

/** A worker of a team. */
export interface TeamMember {
  /** As the others call it, such as `Worker1`. */
  readonly name: string;
  /** Id of the leader's session. */
  readonly leader: string;
}

export function thisMachine(): Machine {
  return {
    env: process.env,
    cwd: workingDirectory(),
    userHome: process.env["HOME"] || homedir(),
    pid: process.pid,
    host: hostName(),
    deps: announcingFirstRequest(defaultDeps({ uuid: systemUuid })),
    // Node makes these streams when they are first looked at, which takes longer than all else before the first request.
    get stdin() {
      return process.stdin.isTTY ? endingQuietly(process.stdin) : process.stdin;
    },
    get isPiped() {
      return mayBePiped();
    },
    get outputFiles() {
      return redirectedOutput();
    },
    get stdout() {
      return textOnly(endingQuietly(process.stdout));
    },
    get stderr() {
      return ownStderr();
    },
    get terminal() {
      return endingQuietly(process.stdout);
    },
    exit: (code = process.exitCode as ExitCode) => process.exit(code),
    signals: process,
  };
}

/** What the system keeps in a file is read sooner than node:os is loaded. */
function hostName(): string {
  try {
    return readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  } catch {
    return hostname(); // no /proc here
  }
}

/** Terminals and /dev/null are character devices; asking the system is far cheaper than making the stream. */
function mayBePiped(): boolean {
  try {
    return !fstatSync(0).isCharacterDevice();
  } catch {
    return false; // closed
  }
}

function redirectedOutput(): string[] {
  return [1, 2].flatMap((fd) => {
    try {
      return fstatSync(fd).isFile() ? [readlinkSync(`/proc/self/fd/${fd}`)] : [];
    } catch {
      return []; // closed, or a system that does not tell the name
    }
  });
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw usageError("The working directory no longer exists. Change to one that does.");
  }
}

const watched = new WeakSet<object>();

/**
 * A reader that went away (`lathe … | head`) is not an error: there is no reader left. Nor is a terminal that was closed. A run that
 * watches its reader (see `onReaderGone`) ends in order.
 */
function endingQuietly<T extends NodeJS.ReadStream | NodeJS.WriteStream>(stream: T): T {
  if (watched.has(stream)) return stream;
  watched.add(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if ("writable" in stream && isReaderWatched(stream)) return;
    if (error.code === "EPIPE") process.exit(EXIT.done);
    if (!isLostTerminal(stream, error)) throw error;
  });
  return stream;
}

/** Stderr only tells about the work: a file that is full or a reader that went away must not end it. */
export function ownStderr(): NodeJS.WriteStream {
  const { stderr } = process;
  if (!watched.has(stderr)) stderr.on("error", () => undefined);
  watched.add(stderr);
  return textOnly(stderr);
}

const filtered = new WeakMap<NodeJS.WriteStream, NodeJS.WriteStream>();

/** Text of the model, a server or the repository must not act on the terminal, wherever we print it. */
export function textOnly(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!stream.isTTY) return stream;
  const known = filtered.get(stream);
  if (known) return known;
  const write = (chunk: unknown, ...rest: never[]): boolean =>
    stream.write(typeof chunk === "string" ? visibleText(chunk) : (chunk as Uint8Array), ...rest);
  const safe = Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
  filtered.set(stream, safe);
  return safe;
}

/** Tells the launcher when the start is over; see its code cache. */
function announcingFirstRequest(deps: ClientDeps): ClientDeps {
  let announced = false;
  const fetch: Transport = (request) => {
    if (announced) return deps.fetch(request);
    announced = true;
    return deps.fetch({ ...request, sent: announceFirstRequest });
  };
  return { ...deps, fetch: Object.assign(fetch, deps.fetch) };
}
