// A process that keeps namespaces open for a session. All commands of the session enter them, so they see each other's
// servers and processes and nothing else. When the holder ends, the kernel ends every process inside, whatever marks it
// has dropped.

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { childProcess, unrefPipe } from "./child-process.ts";
import type { Clock } from "./clock.ts";
import type { ProgramArgv } from "./types.ts";

/** System programs by absolute path, so that a project cannot substitute its own. */
interface NamespacePrograms {
  readonly bwrap: string;
  readonly nsenter: string;
}

/** Files that everything inside sees instead of the machine's. */
export interface NamespaceMounts {
  /** Runs first, as root of the namespaces: creates mounts, then starts the program in its arguments. */
  readonly prepare?: ProgramArgv | undefined;
  /** Further arguments of bubblewrap, after those that show the machine's files. */
  readonly arguments: readonly string[];
}

export interface NamespaceRequest {
  readonly programs: NamespacePrograms;
  /**
   * The first process inside: nothing that runs there can end it, and it reaps orphans. Prints a line when it is ready,
   * and exits when its stdin ends.
   */
  readonly keeper: ProgramArgv;
  readonly clock: Clock;
  /** Absent: the host's files. */
  readonly mounts?: NamespaceMounts | undefined;
  /** Network and message queues; the session's own if absent. */
  readonly network?: "own" | "shared" | undefined;
}

/** Namespaces that are kept open. */
export interface Namespaces {
  /** Arguments before a program's path and arguments that start it inside. */
  readonly enter: readonly string[];
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** Opens namespaces that show files other than the host's. */
export interface NamespaceSource {
  open(keeper: ProgramArgv): Promise<Namespaces>;
}

/** The namespaces could not be created; `said` is the output of bubblewrap. */
export class NamespacesRefused extends Error {
  readonly said: string;
  constructor(said: string) {
    super(said);
    this.name = "NamespacesRefused";
    this.said = said;
  }
}

export const STARTER_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" };
const START_PATIENCE_MS = 10_000;

// Bubblewrap runs again for each command and removes what the command may not have.
const HOLDER_FILES = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"];
const HOLDER_NETWORK = ["--unshare-net", "--unshare-ipc"];
const HOLDER_ARGUMENTS = [
  ...["--unshare-user", "--unshare-pid"],
  ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--info-fd", "3"],
];

/** `[0, 8]` for version 0.8.1. */
export function bubblewrapVersion(bwrap: string): readonly [number, number] {
  const said = childProcess().spawnSync(bwrap, ["--version"], { env: STARTER_ENV, timeout: START_PATIENCE_MS }).stdout;
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(String(said)) ?? [];
  return [Number(major), Number(minor)];
}

export async function openNamespaces(request: NamespaceRequest): Promise<Namespaces> {
  const { programs, keeper, clock, mounts, network = "own" } = request;
  const [program, ...args]: ProgramArgv = [
    ...((mounts?.prepare ?? []) as ProgramArgv),
    programs.bwrap,
    ...HOLDER_FILES,
    ...(mounts?.arguments ?? []),
    ...(network === "own" ? HOLDER_NETWORK : []),
    ...HOLDER_ARGUMENTS,
    ...["--", ...keeper],
  ];
  const child = childProcess().spawn(program, args, {
    detached: true,
    cwd: "/",
    env: STARTER_ENV,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const pid = await firstProcess(child, clock);
  const enter = [programs.nsenter, "-t", String(pid), "-U", "--preserve-credentials", "-m", "-p"];
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr, child.stdio[3]]) if (pipe) unrefPipe(pipe as Readable);
  let isOpen = true;
  const ended = new Promise<void>((resolve) =>
    child.once("exit", () => {
      isOpen = false;
      resolve();
    }),
  );
  return {
    enter: [...enter, ...(network === "own" ? ["-n", "-i"] : [])],
    get isOpen() {
      return isOpen;
    },
    close: async () => {
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Its process id outside. Bubblewrap reports it before the keeper runs, and only then is everything mounted. */
function firstProcess(child: ChildProcess, clock: Clock): Promise<number> {
  const [stdout, stderr, info] = [child.stdout!, child.stderr!, child.stdio[3] as Readable];
  let said = "";
  stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk).slice(-2000);
  });
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void => {
      cancel();
      reject(new NamespacesRefused(why));
    };
    const cancel = clock.after(START_PATIENCE_MS, () => {
      child.kill("SIGKILL");
      refuse(`no answer after ${START_PATIENCE_MS / 1000} s`);
    });
    let report = "";
    let isReady = false;
    const settle = (): void => {
      const [, pid] = /"child-pid": *(\d+)/.exec(report) ?? [];
      if (!isReady || pid === undefined || !report.includes("}")) return;
      cancel();
      resolve(Number(pid));
    };
    info.on("data", (chunk: Buffer) => {
      report += chunk;
      settle();
    });
    stdout.on("data", () => {
      isReady = true;
      settle();
    });
    child.stdin?.on("error", () => {}); // the exit event reports it
    child.once("error", (error) => refuse(error.message));
    child.once("close", (code) => refuse(said.trim() || `exit code ${code}`));
  });
}
