// A shell that is started before its command is known, because starting one takes longer than most commands. It waits
// for one script, runs it and ends; the next command gets another shell.

import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { unrefPipe } from "./child-process.ts";
import type { Mark } from "./marks.ts";
import { procStatBuffer, readProcStat } from "./proc-stat.ts";
import { BASH } from "./shell-argv.ts";
import { frameScript, loader, TALK } from "./shell-script.ts";
import { REPORT_FIELDS } from "./shell-state.ts";
import type { ProgramArgv } from "./types.ts";

/** How long a report may take after its shell has ended: what the shell wrote is already in the pipe. */
const REPORT_IDLE_MS = 20;
/** A larger state is not kept, because reading it back would hold up every command. */
const MOST_REPORT = 4 << 20;

/** A started shell that reads its script from descriptor 4. */
export class ShellTalk {
  readonly #pipe: Duplex;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #fields = 0;
  #ended = false;
  #onArrival = (): void => {};
  #preloaded: string | undefined;

  constructor(child: ChildProcess) {
    this.#pipe = child.stdio[TALK] as Duplex;
    // It ended before it read everything, or was killed: its exit says so.
    this.#pipe.on("error", () => {});
    unrefPipe(this.#pipe);
  }

  /** The state that it has already taken over. */
  get preloaded(): string | undefined {
    return this.#preloaded;
  }

  preload(state: string): void {
    if (this.#preloaded !== undefined) return;
    this.#preloaded = state;
    this.#pipe.write(frameScript(state));
  }

  run(state: string, script: string): void {
    this.preload(state);
    this.#pipe.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= MOST_REPORT) this.#chunks.push(chunk);
      for (const byte of chunk) if (byte === 0) this.#fields += 1;
      if (this.#fields > REPORT_FIELDS) this.#ended = true;
      this.#onArrival();
    });
    this.#pipe.once("close", () => {
      this.#ended = true;
      this.#onArrival();
    });
    this.#pipe.write(frameScript(script));
  }

  /** It has read its script; known once there is a report. */
  get hasBegun(): boolean {
    return this.#fields > 0;
  }

  /**
   * Everything that the shell has reported. Call it when the shell has ended; a process that it left running may hold
   * the pipe.
   */
  async report(): Promise<string> {
    for (let idle = false; !this.#ended && !idle; ) {
      const before = this.#bytes;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => setImmediate(resolve), REPORT_IDLE_MS);
        this.#onArrival = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      idle = this.#bytes === before;
    }
    this.#onArrival = () => {};
    this.#pipe.destroy();
    return this.#bytes > MOST_REPORT ? "" : Buffer.concat(this.#chunks).subarray(1).toString("utf8");
  }
}

/** A shell that waits for its script. */
export interface PreparedShell {
  readonly child: ChildProcess;
  readonly mark: Mark;
  readonly number: number;
  readonly talk: ShellTalk;
  /** Identifies what it was started with. */
  readonly key: string;
}

/** The waiting shell, at most one. It does not keep the process alive. */
export class PreparedShells {
  #waiting: PreparedShell | undefined;

  get isReady(): boolean {
    return this.#waiting !== undefined;
  }

  keep(shell: PreparedShell): void {
    this.#waiting = shell;
    const { child } = shell;
    child.unref();
    for (const pipe of [child.stdout!, child.stderr!]) unrefPipe(pipe);
    const forget = (): void => {
      if (this.#waiting === shell) this.#waiting = undefined;
    };
    child.once("exit", forget);
    child.once("error", forget);
  }

  /** Gives the waiting shell the state that the next command will most likely begin with. */
  preload(state: string): void {
    this.#waiting?.talk.preload(state);
  }

  /**
   * `keyOf`: the key of a shell with this number if it were started now. A shell that does not match, or has ended, is
   * discarded.
   */
  take(state: string, keyOf: (number: number) => string): PreparedShell | undefined {
    const shell = this.#waiting;
    this.#waiting = undefined;
    if (!shell) return undefined;
    const { preloaded = state } = shell.talk;
    if (preloaded !== state || !isAlive(shell.child) || keyOf(shell.number) !== shell.key) {
      shell.child.kill("SIGKILL");
      return undefined;
    }
    shell.child.ref();
    for (const pipe of [shell.child.stdout, shell.child.stderr]) (pipe as Partial<Socket>).ref?.();
    return shell;
  }

  end(): void {
    this.#waiting?.child.kill("SIGKILL");
    this.#waiting = undefined;
  }
}

/** It may have been killed without our knowing yet. */
function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  if (process.platform !== "linux") return true;
  const state = readProcStat(pid, procStatBuffer())?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

/**
 * A login shell runs this after its profile: most profiles read ~/.bashrc; without any profile, a login shell would
 * not.
 */
export const READ_RC = `[[ -f ~/.bash_profile || -f ~/.bash_login || -f ~/.profile || ! -f ~/.bashrc ]] || . ~/.bashrc; `;

/**
 * A profile is read once, interactively, because most define aliases only there. What $BASH_ENV names has been read
 * with it.
 */
export function waitingShell(
  { env }: Surroundings,
  login: boolean,
  first: string,
): Surroundings & { readonly argv: ProgramArgv } {
  const script = loader(TALK, `exec 3<&-; ${first}${login ? READ_RC : ""}`);
  if (login) return { argv: [BASH, "--login", "-i", "-c", script, "bash"], env };
  return { argv: [BASH, "--norc", "--noprofile", "-c", script, "bash"], env: { ...env, BASH_ENV: "" } };
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
}

/** 3: the confinement's setup; 4: the script and report of a shell. */
export function moreDescriptors(isSetUp: boolean, talks: boolean): readonly ("pipe" | "ignore")[] {
  if (!talks) return isSetUp ? ["pipe"] : [];
  return [isSetUp ? "pipe" : "ignore", "pipe"];
}

/** A started command, and how to identify it. */
export interface Started {
  readonly child: ChildProcess;
  readonly mark: Mark;
  readonly talk?: ShellTalk;
  /** It was started before its command arrived. */
  readonly hasWaited?: boolean;
}
