// Keeps the commands of a session within the machine's resources: a command waits while memory is short, and the kernel
// enforces limits for all commands together if possible, otherwise we check them while they run.

import { readdirSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { type CommandGroup, type ControlGroups, makeCommandGroup, type ResourceLimits } from "./control-groups.ts";
import { type FreeMemory, freeMemory } from "./memory.ts";
import { type ProcUse, readProcUse } from "./proc-use.ts";
import { EnvError } from "./types.ts";

/** Limits for all commands together, and the expected memory of one. */
export interface GovernorLimits extends ResourceLimits {
  /** Megabytes that must be free before a command starts while others run; 128 if absent, 0 starts all at once. */
  readonly commandMemoryMb?: number | undefined;
}

export interface GovernorOptions {
  readonly limits: GovernorLimits;
  readonly clock: Clock;
  /** Unique on the machine; names the control group. */
  readonly owner: string;
  readonly free?: FreeMemory | undefined;
  /** The groups of this process if absent. */
  readonly groups?: ControlGroups | undefined;
}

/** A running command. */
export interface Governed {
  readonly pid: number;
  /** A server or other long-running program: commands do not wait for it to end. */
  readonly stays: boolean;
  /** Ends the command; `why` becomes the note of its result. */
  end(why: string): void;
}

const EXPECTED_MB = 128;
/** Memory left for everything else. */
const RESERVE_MB = 48;
const CHECK_MS = 250;
const LONGEST_WAIT_MS = 30 * 60_000;

interface Waiting {
  readonly stays: boolean;
  readonly start: () => void;
}

export class Governor {
  readonly #options: GovernorOptions;
  #free: FreeMemory | undefined;
  readonly #running = new Set<Governed>();
  readonly #queue: Waiting[] = [];
  /** Number of commands that were admitted but have not started yet. */
  #starting = 0;
  /** A command was started in this turn of the event loop. */
  #hasJustStarted = false;
  #group: CommandGroup | undefined | "none";
  #cancelCheck: (() => void) | undefined;

  constructor(options: GovernorOptions) {
    this.#options = options;
  }

  /** How many commands wait for memory. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether there is memory for one more command after `ahead` others that are about to start. */
  hasRoom(ahead: number): boolean {
    const expected = this.#expected;
    return expected === 0 || this.#hasMemory(expected, ahead);
  }

  /** False if the call was cancelled before its turn. Otherwise the caller must call `noteStart` or `gaveUp`. */
  async waitForTurn({
    stays = false,
    signal,
  }: {
    stays?: boolean | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<boolean> {
    if (signal?.aborted) return false;
    await this.admit(stays, signal);
    // Starting takes milliseconds, so signals and timers get a turn between two starts.
    while (this.#hasJustStarted && !signal?.aborted) await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) {
      this.gaveUp();
      return false;
    }
    this.#hasJustStarted = true;
    setImmediate(() => {
      this.#hasJustStarted = false;
    });
    return true;
  }

  /** Undefined: the command may start at once. After every admission the caller must call `noteStart` or `gaveUp`. */
  admit(stays: boolean, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#queue.length === 0 && this.#fits(stays)) {
      this.#starting += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        cancel();
        signal?.removeEventListener("abort", onAbort);
        const at = this.#queue.indexOf(waiting);
        if (at >= 0) this.#queue.splice(at, 1);
      };
      const onAbort = (): void => {
        leave();
        this.#starting += 1; // the caller sees the signal and gives up
        resolve();
      };
      const waiting = {
        stays,
        start: () => {
          leave();
          this.#starting += 1;
          resolve();
        },
      };
      const cancel = this.#options.clock.after(LONGEST_WAIT_MS, () => {
        leave();
        const message = `Not started: there was too little free memory for ${LONGEST_WAIT_MS / 60_000} minutes. Stop other jobs, then try again.`;
        reject(new EnvError("busy", message));
      });
      this.#queue.push(waiting);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#scheduleCheck();
    });
  }

  noteStart(command: Governed): () => void {
    this.#starting -= 1;
    this.#running.add(command);
    this.#scheduleCheck();
    return () => {
      this.#running.delete(command);
      this.#startNext();
    };
  }

  gaveUp(): void {
    this.#starting -= 1;
    this.#startNext();
  }

  /** What a shell runs before it replaces itself with the command, so that the kernel limits it. */
  get prelude(): string {
    const group = this.#groupOfCommands();
    const join = (group?.doors ?? []).map((door) => `echo $$ > '${door}'; `).join("");
    const { cpus = 0 } = this.#options.limits;
    if (cpus <= 0 || group?.enforced.has("cpus")) return join;
    return `${join}taskset -cp 0-${Math.max(1, Math.round(cpus)) - 1} $$ >/dev/null 2>&1; `;
  }

  /** At the end of a command: how many processes the kernel killed for lack of memory. */
  memoryKills(): number {
    return this.#groupOfCommands()?.memoryKills() ?? 0;
  }

  memoryNote(): string {
    return `Ended because the commands of this session used more than ${this.#options.limits.memoryMb} MB together (limits.memoryMb).`;
  }

  /** Called when nothing runs any more. */
  end(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
    if (this.#group !== "none") this.#group?.remove();
    this.#group = undefined;
  }

  #groupOfCommands(): CommandGroup | undefined {
    const { limits, owner, groups } = this.#options;
    const isLimited = [limits.memoryMb, limits.cpus, limits.processes].some((limit) => (limit ?? 0) > 0);
    this.#group ??= (isLimited && makeCommandGroup(limits, `lathe-${owner.replace(/[^\w-]/g, "")}`, groups)) || "none";
    return this.#group === "none" ? undefined : this.#group;
  }

  /**
   * The first command always starts, since waiting would not help it. Commands do not wait for long-running programs
   * either.
   */
  #fits(stays: boolean): boolean {
    return this.#isFirst(stays) || this.hasRoom(0);
  }

  #isFirst(stays: boolean): boolean {
    return this.#starting === 0 && ![...this.#running].some((other) => stays || !other.stays);
  }

  get #expected(): number {
    return (this.#options.limits.commandMemoryMb ?? EXPECTED_MB) * 2 ** 20;
  }

  #hasMemory(expected: number, ahead: number): boolean {
    this.#free ??= this.#options.free ?? freeMemory();
    const free = this.#free();
    if (free === undefined) return true;
    const needed = expected * (1 + ahead) + RESERVE_MB * 2 ** 20;
    if (free - (this.#running.size + this.#starting) * expected >= needed) return true;
    // Memory that running commands have already taken is no longer free; what they are still expected to take must
    // remain available.
    const use = this.#use();
    const promised = [...use.values()].reduce((sum, { bytes }) => sum + Math.max(0, expected - bytes), 0);
    return free - promised - this.#starting * expected >= needed;
  }

  #startNext(): void {
    // Measuring memory takes longer than many commands do; if there is too little for one command, there is too little
    // for those behind it.
    let hasRoom = true;
    for (const waiting of [...this.#queue]) {
      const isFirst = this.#isFirst(waiting.stays);
      if (!isFirst) hasRoom &&= this.hasRoom(0);
      if (isFirst || hasRoom) waiting.start();
    }
  }

  #scheduleCheck(): void {
    if (this.#cancelCheck !== undefined) return;
    if (this.#queue.length === 0 && !(this.#watches() && this.#running.size > 0)) return;
    this.#cancelCheck = this.#options.clock.after(CHECK_MS, () => {
      this.#cancelCheck = undefined;
      this.#enforce();
      this.#startNext();
      this.#scheduleCheck();
    });
  }

  /** Whether there are limits that the kernel does not enforce for us. */
  #watches(): boolean {
    const { memoryMb = 0, processes = 0 } = this.#options.limits;
    const enforced = this.#groupOfCommands()?.enforced;
    return (memoryMb > 0 && !enforced?.has("memoryMb")) || (processes > 0 && !enforced?.has("processes"));
  }

  #enforce(): void {
    if (!this.#watches()) return;
    const { memoryMb = 0, processes = 0 } = this.#options.limits;
    const use = [...this.#use()];
    const total = (of: (use: ProcUse) => number): number => use.reduce((sum, [, each]) => sum + of(each), 0);
    const largest = (of: (use: ProcUse) => number) => use.sort((a, b) => of(b[1]) - of(a[1]))[0]?.[0];
    if (memoryMb > 0 && total(({ bytes }) => bytes) > memoryMb * 2 ** 20)
      largest(({ bytes }) => bytes)?.end(this.memoryNote());
    else if (processes > 0 && total(({ count }) => count) > processes)
      largest(({ count }) => count)?.end(
        `Ended because the commands of this session had more than ${processes} processes together (limits.maxProcesses).`,
      );
  }

  #use(): Map<Governed, ProcUse> {
    return readProcUse([...this.#running], () => readdirSync("/proc"));
  }
}
