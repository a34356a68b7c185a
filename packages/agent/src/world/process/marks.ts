// Finds and ends processes by their marks. The owner mark in their environment survives setsid and double forks. On
// Linux, a resource limit that children inherit from the kernel and no program uses survives even an empty environment
// (decision 0011); elsewhere, the process group covers children with an empty environment while the command's shell
// lives.

import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { childProcess } from "./child-process.ts";
import type { Clock } from "./clock.ts";
import { procStatBuffer, readProcStat } from "./proc-stat.ts";

const OWNER_VARIABLE = "LATHE_OWNER";
const COMMAND_VARIABLE = "LATHE_COMMAND";
/** Another name, because an adopted process may have an owner too. */
export const ADOPTED_VARIABLE = "LATHE_ADOPTED";

/** Time between SIGTERM and SIGKILL. */
const TERM_GRACE_MS = 2000;
const KILL_ROUNDS_MS = 3000;

export interface Mark {
  /** `NAME=value` in the environment of marked processes. */
  readonly entry: string;
  /** First digits of their soft limit of file locks. */
  readonly locks: string;
  /** Process group of a command whose shell still lives. */
  readonly group?: number;
  /** Names of programs that end together with what they started; they do not get SIGTERM. */
  readonly starters?: ReadonlySet<string>;
}

export function ownerMark(owner: string): Mark {
  return { entry: `${OWNER_VARIABLE}=${owner}`, locks: ownerDigits(owner) };
}

/** Unique among all owners, so that one entry is enough to find what a command started. */
export function commandMark(owner: string, number: number): Mark {
  const digits = String(number % 1_000_000).padStart(6, "0");
  return { entry: `${COMMAND_VARIABLE}=${owner}/${number}`, locks: ownerDigits(owner) + digits };
}

export function adoptedMark(owner: string): Mark {
  return { entry: `${ADOPTED_VARIABLE}=${owner}`, locks: ownerDigits(owner) };
}

/** Twelve digits; with six for the command they still fit the kernel's integer. */
function ownerDigits(owner: string): string {
  let sum = 0;
  for (const letter of owner) sum = (sum * 131 + letter.codePointAt(0)!) % 899_999_999_981;
  return String(100_000_000_000 + sum);
}

/** For POSIX shells: sets the limit to `$1`. Shells name it -x or -w; if it cannot be set, the other marks remain. */
export const SET_LOCKS = `ulimit -S -x "$1" 2>/dev/null || ulimit -S -w "$1" 2>/dev/null`;

/** The environment variables that mark a command. */
export function markVariables(owner: string, number: number): Record<string, string> {
  return { [OWNER_VARIABLE]: owner, [COMMAND_VARIABLE]: `${owner}/${number}` };
}

/**
 * Ids of living processes (no zombies) that carry the mark. `isShared`: a list read earlier in this turn of the event
 * loop is good enough, because marked processes were started before it.
 */
export async function findMarked(mark: Mark, isShared = false): Promise<number[]> {
  return process.platform === "linux" ? findInProc(mark, isShared) : findWithPs(mark);
}

/**
 * Sends SIGTERM, then SIGKILL after two seconds; resolves when no process is left, or when one survives that. Returns
 * the ids of those that got a signal.
 */
export async function endMarked(mark: Mark, clock: Clock): Promise<ReadonlySet<number>> {
  const patience = new Patience(clock);
  let pause = 5;
  const signalled = new Set<number>();
  for (let isAgain = false; ; isAgain = true) {
    const alive = await findMarked(mark, isAgain);
    if (alive.length === 0) return signalled;
    const step = patience.step();
    if (step === "give up") return signalled;
    for (const pid of alive) {
      if (step === "kill") {
        signalled.add(pid);
        send(pid, "SIGKILL");
      } else if (!signalled.has(pid) && !isStarter(pid, mark)) {
        signalled.add(pid);
        send(pid, "SIGTERM");
        // A stopped process acts on SIGTERM only once it runs again.
        send(pid, "SIGCONT");
      }
    }
    await new Promise<void>((resolve) => clock.after(pause, resolve));
    pause = step === "kill" ? 5 : Math.min(pause * 2, 50);
  }
}

/** The same for processes with known ids; processes that they start meanwhile are not ended. */
export async function endProcesses(pids: readonly number[], clock: Clock): Promise<void> {
  const patience = new Patience(clock);
  for (const pid of pids) {
    send(pid, "SIGTERM");
    send(pid, "SIGCONT");
  }
  for (let left = pids.filter(isAlive); left.length > 0; left = left.filter(isAlive)) {
    const step = patience.step();
    if (step === "give up") return;
    if (step === "kill") for (const pid of left) send(pid, "SIGKILL");
    await new Promise<void>((resolve) => clock.after(10, resolve));
  }
}

/**
 * Waits, for a tenth of a second at most, until no process shows an empty environment: one that is just becoming another
 * program shows none, so its mark cannot be seen.
 */
export async function waitForExec(clock: Clock): Promise<void> {
  if (process.platform !== "linux") return;
  for (let round = 0; round < 20 && readProcesses().some(({ environ }) => environ()?.length === 0); round++)
    await new Promise<void>((resolve) => clock.after(5, resolve));
}

/**
 * The next step for processes that are still running. The time limit counts from the first SIGKILL: this process may be
 * suspended for longer than the whole limit, and must not give up on what it has not killed.
 */
class Patience {
  readonly #clock: Clock;
  readonly #start: number;
  #killedAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  step(): "ask" | "kill" | "give up" {
    const now = this.#clock.now();
    if (this.#killedAt === undefined && now - this.#start < TERM_GRACE_MS) return "ask";
    this.#killedAt ??= now;
    return now - this.#killedAt > KILL_ROUNDS_MS ? "give up" : "kill";
  }
}

/** In /proc, a zombie counts as ended. */
function isAlive(pid: number): boolean {
  if (process.platform === "linux") return !["Z", "X", undefined].includes(readProcStat(pid)?.state);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Signals all marked processes except those that only start others. */
export async function signalMarked(mark: Mark, signal: NodeJS.Signals): Promise<void> {
  for (const pid of await findMarked(mark)) if (!isStarter(pid, mark)) send(pid, signal);
}

function isStarter(pid: number, { starters }: Mark): boolean {
  const name = starters && readProc(`/proc/${pid}/comm`)?.toString("latin1").trim();
  return name !== undefined && starters!.has(name);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // It is gone, or another user owns the id now: we must not end either.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/**
 * The user waits for this after an interrupt and at the end of a run, even with hundreds of processes. So for processes
 * older than this one, which started everything marked, we read nothing but their age.
 */
function findInProc(mark: Mark, isShared: boolean): number[] {
  const entry = Buffer.from(`${mark.entry}\0`);
  const { group } = mark;
  const isKnown = isShared || (group !== undefined && seen?.some(({ pid }) => pid === group));
  if (!isKnown || seen === undefined) {
    seen = readProcesses();
    setImmediate(() => {
      seen = undefined;
    });
  }
  const isMarked = (one: SeenProcess): boolean =>
    // In a terminal, the first process briefly has no group of its own.
    (group !== undefined && (one.group === group || one.pid === group)) ||
    holdsEntry(one.environ(), entry) ||
    one.locks().startsWith(mark.locks);
  return seen.filter(isMarked).map(({ pid }) => pid);
}

interface SeenProcess {
  readonly pid: number;
  readonly group: number;
  readonly environ: () => Buffer | undefined;
  readonly locks: () => string;
}

/** Cached until the end of this turn: hundreds of commands that end together would each read the same. */
let seen: readonly SeenProcess[] | undefined;

function readProcesses(): SeenProcess[] {
  const buffer = procStatBuffer();
  const since = readProcStat(process.pid, buffer)?.start ?? 0;
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const stat = readProcStat(name, buffer);
    if (stat === undefined || stat.start < since || stat.state === "Z" || stat.state === "X") return [];
    return [
      {
        pid,
        group: stat.group,
        environ: once(() => readProc(`/proc/${name}/environ`)),
        locks: once(() => limitOf(name)),
      },
    ];
  });
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

function limitOf(pid: string): string {
  const limits = readProc(`/proc/${pid}/limits`)?.toString("latin1");
  return /^Max file locks +(\d+)/m.exec(limits ?? "")?.[1] ?? "";
}

function holdsEntry(environ: Buffer | undefined, entry: Buffer): boolean {
  const at = environ?.indexOf(entry) ?? -1;
  return at === 0 || (at > 0 && environ?.[at - 1] === 0);
}

function readProc(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // It ended meanwhile, or belongs to another user.
    return undefined;
  }
}

function findWithPs(mark: Mark): Promise<number[]> {
  return new Promise((resolve) => {
    childProcess().execFile(
      "ps",
      ["-axEww", "-o", "pid=,pgid=,stat=,command="],
      { maxBuffer: 64 << 20 },
      (_error, stdout) => {
        const found: number[] = [];
        for (const line of stdout.split("\n")) {
          const [, pid, group, state, rest] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
          if (rest === undefined || state!.startsWith("Z") || Number(pid) === process.pid) continue;
          const marked = `${rest} `.includes(` ${mark.entry} `);
          if (marked || Number(group) === mark.group || Number(pid) === mark.group) found.push(Number(pid));
        }
        resolve(found);
      },
    );
  });
}

/** The system reuses a group id soon after the group's leader has ended. */
export function groupMark(mark: Mark, { pid, exitCode, signalCode }: ChildProcess): Mark {
  return pid === undefined || exitCode !== null || signalCode !== null ? mark : { ...mark, group: pid };
}
