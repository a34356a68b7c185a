// Everything the product takes from the machine, as one value. The command creates it once; tests create their own.

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
  /** Used for requests about credentials while `deps` is being recorded. */
  readonly credentialDeps?: ClientDeps;
  readonly stdin: NodeJS.ReadStream;
  /** Whether something may be piped into stdin; false for a terminal and /dev/null. */
  readonly isPiped?: boolean;
  /** Files that stdout and stderr are redirected to. They hold the run's own output, not the agent's work. */
  readonly outputFiles?: readonly string[];
  /** Output for text. If it is a terminal, nothing written here can move the cursor or change a colour. */
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Unfiltered stdout, for the screen: text from outside must be made safe before it goes here. */
  readonly terminal: NodeJS.WriteStream;
  /**
   * Ends the process, whatever is still running; without a code it uses the one that is set. Absent if the process does
   * not belong to the command.
   */
  readonly exit?: (code?: ExitCode) => void;
  /** Emits the signals that end the interactive mode. Absent if the process does not belong to the command. */
  readonly signals?: Pick<NodeJS.EventEmitter, "on" | "off">;
  /** The process that started this one in a tmux pane. */
  readonly paneStarter?: PaneStarter;
}

/** The process that started this one in a pane. It waits for the session to open, and for it to end. */
export interface PaneStarter {
  /** Called when other clients can join the session. */
  opened(sessionId: string): void;
  /** Passes on how to resume the session, since the pane closes with this process. */
  lastWords(line: string): void;
  /** Passes on the file with the changes of the isolated copy, which is removed with this process. */
  keptPatch(path: string): void;
  /** Aborted when the starter has gone and this process must end with it. */
  readonly gone: AbortSignal;
  /** Absent if this process is not a worker. */
  readonly member?: TeamMember | undefined;
}

/** A worker of a team. */
export interface TeamMember {
  /** The name the other members use, such as `Worker1`. */
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
    deps: withFirstRequestSignal(defaultDeps({ uuid: systemUuid })),
    // Node creates these streams on first access, which takes longer than everything else before the first request.
    get stdin() {
      return process.stdin.isTTY ? withQuietErrors(process.stdin) : process.stdin;
    },
    get isPiped() {
      return mayBePiped();
    },
    get outputFiles() {
      return redirectedOutput();
    },
    get stdout() {
      return textOnly(withQuietErrors(process.stdout));
    },
    get stderr() {
      return ownStderr();
    },
    get terminal() {
      return withQuietErrors(process.stdout);
    },
    exit: (code = process.exitCode as ExitCode) => process.exit(code),
    signals: process,
  };
}

/** Reading the system's file is faster than loading node:os. */
function hostName(): string {
  try {
    return readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  } catch {
    return hostname(); // no /proc here
  }
}

/** Terminals and /dev/null are character devices; asking the system is far cheaper than creating the stream. */
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
      return []; // the descriptor is closed, or the system does not tell the name
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
 * A reader that went away (`lathe … | head`) is not an error, and neither is a closed terminal. A run that watches its
 * reader (see `onReaderGone`) ends cleanly.
 */
function withQuietErrors<T extends NodeJS.ReadStream | NodeJS.WriteStream>(stream: T): T {
  if (watched.has(stream)) return stream;
  watched.add(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if ("writable" in stream && isReaderWatched(stream)) return;
    if (error.code === "EPIPE") process.exit(EXIT.done);
    if (!isLostTerminal(stream, error)) throw error;
  });
  return stream;
}

/** Stderr only reports on the work: a full file or a reader that went away must not end it. */
export function ownStderr(): NodeJS.WriteStream {
  const { stderr } = process;
  if (!watched.has(stderr)) stderr.on("error", () => undefined);
  watched.add(stderr);
  return textOnly(stderr);
}

const filtered = new WeakMap<NodeJS.WriteStream, NodeJS.WriteStream>();

/** Text from the model, a server or the repository must not control the terminal, wherever we print it. */
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

/** Tells the launcher when startup is over, so that it writes its code cache. */
function withFirstRequestSignal(deps: ClientDeps): ClientDeps {
  let announced = false;
  const fetch: Transport = (request) => {
    if (announced) return deps.fetch(request);
    announced = true;
    return deps.fetch({ ...request, sent: announceFirstRequest });
  };
  return { ...deps, fetch: Object.assign(fetch, deps.fetch) };
}
