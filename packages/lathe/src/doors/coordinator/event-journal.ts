// The event journal of a namespace: one file of lines, to which any number of coordinators append under a lock. A
// change first reads what others have written; its lines are on the disk when it returns.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  watch,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, isoTime, type LockOwner, processStartTime } from "@lathe/agent/record";
import { messageOf } from "@lathe/llm";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { type Configuration, VARIABLE } from "./configuration.ts";
import { CoordinatorRefusal } from "./contract.ts";
import { type CoordinatorEvent, lineOf, type NewEvent, readEvent } from "./events.ts";
import { Fold, type State } from "./state.ts";

const LOCKED_WITHIN_MS = 10_000;
const LOCK_STEP_MS = 5;
const READ_BYTES = 1 << 20;

export class EventJournal {
  /** The folder of the namespace. */
  readonly folder: string;
  readonly #machine: Pick<Machine, "pid" | "host" | "deps">;
  readonly #file: string;
  readonly #isReadOnly: boolean;
  readonly #listeners = new Set<() => void>();
  #fold = new Fold();
  #events: CoordinatorEvent[] = [];
  #inode = -1n;
  /** Bytes read so far; always ends at a line break. */
  #read = 0;
  #watcher: ReturnType<typeof watch> | undefined;

  private constructor(
    folder: string,
    machine: Pick<Machine, "pid" | "host" | "deps">,
    { isReadOnly }: { readonly isReadOnly: boolean },
  ) {
    this.folder = folder;
    this.#isReadOnly = isReadOnly;
    this.#machine = machine;
    this.#file = join(folder, "events", "event-journal.jsonl");
  }

  /** Opens the journal as it is: creates nothing, and the folder need not be writable. */
  static look({ state }: Configuration, machine: Pick<Machine, "pid" | "host" | "deps">): EventJournal {
    try {
      const journal = new EventJournal(realpathSync(state.folder), machine, { isReadOnly: true });
      journal.refresh();
      return journal;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw new CliError(EXIT.usage, `The coordinator's state cannot be read: ${messageOf(error)}. Check that path.`, {
        cause: error,
      });
    }
  }

  /** Creates the namespace if needed. Refuses a link on the way, which would move the state elsewhere. */
  static open({ state }: Configuration, machine: Pick<Machine, "pid" | "host" | "deps">): EventJournal {
    try {
      return EventJournal.#openAt(state, machine);
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (syscall === undefined || code === "ENOSPC") throw error;
      throw new CliError(
        EXIT.usage,
        `The coordinator's state cannot be stored: ${messageOf(error)}. Check that path, or choose another folder with ${VARIABLE}STATE_ROOT.`,
        { cause: error },
      );
    }
  }

  static #openAt(
    { base, folder }: Configuration["state"],
    machine: Pick<Machine, "pid" | "host" | "deps">,
  ): EventJournal {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    const real = realpathSync(base) + folder.slice(base.length);
    for (const name of ["", "events", "prompts", "reports"]) {
      const made = join(real, name);
      mkdirSync(made, { recursive: true, mode: 0o700 });
      if (realpathSync(made) !== made.replace(/\/$/, ""))
        throw new CliError(
          EXIT.usage,
          `The coordinator's state must not be behind a link: ${made}. Remove the link, then start again.`,
        );
    }
    // Keeps a repository around this folder from tracking the state.
    writeFileSync(join(real, ".gitignore"), "*\n", { mode: 0o600 });
    const journal = new EventJournal(real, machine, { isReadOnly: false });
    journal.refresh();
    return journal;
  }

  get state(): State {
    return this.#fold;
  }

  /** Events after this number. */
  after(seq: number): readonly CoordinatorEvent[] {
    this.refresh();
    return this.#events.filter((event) => event.seq > seq);
  }

  /** Reads what other processes have written. */
  refresh(): void {
    const fd = this.#open();
    if (fd === undefined) return;
    try {
      this.#readNew(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** Passes the current state to `decide` and writes the events it returns at once. A refusal writes nothing. */
  async change<T>(decide: (state: State) => { readonly events: readonly NewEvent[]; readonly result: T }): Promise<T> {
    const lock = await this.#lock();
    try {
      const fd = this.#open();
      if (fd === undefined) throw new CoordinatorRefusal("read_only", "This coordinator is read-only.");
      try {
        const end = this.#readNew(fd);
        const { events, result } = decide(this.#fold);
        if (events.length > 0) this.#append(fd, end, events);
        return result;
      } finally {
        closeSync(fd);
      }
    } finally {
      lock.release();
    }
  }

  /**
   * Resolves with the first defined result of `look`, now or after a change; undefined after the timeout. It watches
   * the file instead of polling.
   */
  async until<T>(look: () => T | undefined, timeoutMs: number, signal: AbortSignal): Promise<T | undefined> {
    let wake = (): void => {};
    let isOver = signal.aborted;
    const listener = (): void => wake();
    const end = (): void => {
      isOver = true;
      wake();
    };
    // Not AbortSignal.timeout: a timeout signal that is only reachable through other signals may be collected before it
    // fires.
    const timer = setTimeout(end, Math.max(0, timeoutMs));
    signal.addEventListener("abort", end);
    this.#listen(listener);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        this.refresh();
        const found = look();
        if (found !== undefined || isOver) return found;
        await changed;
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      this.#listeners.delete(listener);
    }
  }

  /** Calls the listener after each change of the file, whichever process made it. */
  onChange(listener: () => void): void {
    this.#listen(listener);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#listeners.clear();
  }

  #listen(listener: () => void): void {
    this.#listeners.add(listener);
    this.#watcher ??= watch(join(this.folder, "events"), (_what, name) => {
      if (name === null || name.endsWith(".jsonl")) for (const one of [...this.#listeners]) one();
    });
  }

  /** Undefined if there is no file and none may be created. */
  #open(): number | undefined {
    const { O_RDONLY, O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    if (this.#isReadOnly && !existsSync(this.#file)) return undefined;
    const flags = this.#isReadOnly ? O_RDONLY | O_NONBLOCK : O_RDWR | O_CREAT;
    const fd = openSync(this.#file, flags | O_NOFOLLOW, 0o600);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    throw new CliError(EXIT.usage, `${this.#file} is not a file. Remove it, then start again.`);
  }

  /**
   * Returns the end of the last complete line. Anything after it was cut off when its writer died, and never confirmed.
   */
  #readNew(fd: number): number {
    const { ino, size } = fstatSync(fd, { bigint: true });
    if (ino !== this.#inode || Number(size) < this.#read) {
      this.#fold = new Fold();
      this.#events = [];
      this.#inode = ino;
      this.#read = 0;
    }
    while (this.#read < Number(size)) {
      const bytes = Buffer.alloc(Math.min(READ_BYTES, Number(size) - this.#read));
      const got = readSync(fd, bytes, 0, bytes.length, this.#read);
      const end = bytes.lastIndexOf(10, got - 1) + 1;
      if (end === 0) break;
      for (const line of bytes.toString("utf8", 0, end - 1).split("\n")) {
        const event = readEvent(line);
        if (!event || event.seq <= this.#fold.seq) continue;
        this.#events.push(event);
        this.#fold.add(event);
      }
      this.#read += end;
    }
    return this.#read;
  }

  #append(fd: number, end: number, events: readonly NewEvent[]): void {
    const timestamp = isoTime(this.#machine.deps.now());
    const first = this.#fold.seq + 1;
    const lines = events.map((event, at) => `${lineOf(first + at, timestamp, event)}\n`).join("");
    ftruncateSync(fd, end);
    const bytes = Buffer.from(lines);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, end + at);
    fsyncSync(fd);
    this.#readNew(fd);
    for (const one of [...this.#listeners]) one();
  }

  async #lock(): Promise<{ release(): void }> {
    const { pid, host, deps } = this.#machine;
    const owner: LockOwner = { pid, host, startTime: processStartTime(pid), token: deps.uuid() };
    for (let waited = 0; ; waited += LOCK_STEP_MS) {
      try {
        return acquireLock(`${this.#file}.lock`, owner);
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== "locked") throw error;
        if (waited >= LOCKED_WITHIN_MS)
          throw new CoordinatorRefusal("locked", "Another coordinator is changing this namespace. Try again.");
      }
      await sleep(LOCK_STEP_MS);
    }
  }
}
