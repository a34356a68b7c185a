// Sessions that are open in other processes of this user: the server joins those it can, and refuses the others with
// the next step to take.

import { lockHolder, realJournalPath } from "@lathe/agent/record";
import { Refused } from "../../http/refused.ts";
import { type DoorRecord, listRecords, readRecord } from "../../local/door-records.ts";
import { JoinedSession } from "./joined-session.ts";

export interface SessionsElsewhereOptions {
  /** The `doors` folder of the home's paths. */
  readonly folder: string;
  /** This machine's name, as in lock files. */
  readonly host: string;
  /** Whether the socket is one of this server's own doors. */
  readonly isOwn: (socket: string) => boolean;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
}

/** How long the server's clients wait for a process that does not answer. */
const JOIN_WITHIN_MS = 5_000;
/** A process that has just closed its door may still be closing the session. */
const LEAVES_WITHIN_MS = 1_000;
/** An editor that has asked for a session needs some time until others can join it. */
const OPENS_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 100;

export class SessionsElsewhere {
  readonly #options: SessionsElsewhereOptions;

  /** Sessions that were closed here for another process. */
  readonly #expected = new Set<string>();

  constructor(options: SessionsElsewhereOptions) {
    this.#options = options;
  }

  /**
   * Undefined if the session can be opened here. Rejects with `Refused` if another process holds it and it cannot be
   * joined.
   */
  async join(id: string, path: string): Promise<JoinedSession | undefined> {
    for (let waited = 0; ; waited += LOOK_EVERY_MS) {
      const joined = await this.#tryJoin(id);
      if (joined) {
        this.#expected.delete(id);
        return joined;
      }
      const holder = lockHolder(`${realJournalPath(path)}.lock`, { host: this.#options.host });
      const isFree = holder === undefined || holder.dead;
      const patience = this.#expected.has(id) ? OPENS_WITHIN_MS : isFree ? 0 : LEAVES_WITHIN_MS;
      if (waited >= patience) {
        this.#expected.delete(id);
        if (isFree) return undefined;
        throw heldBy(holder.pid);
      }
      await new Promise<void>((resolve) => this.#options.setTimer(resolve, LOOK_EVERY_MS));
    }
  }

  /** Another process is about to open this session. */
  expect(id: string): void {
    this.#expected.add(id);
  }

  /** The sessions that other processes share, according to their records. */
  ids(): ReadonlySet<string> {
    const { folder, isOwn } = this.#options;
    const others = listRecords(folder).filter(({ socket, pid }) => !isOwn(socket) && isAlive(pid));
    return new Set(others.map(({ sessionId }) => sessionId));
  }

  async #tryJoin(id: string): Promise<JoinedSession | undefined> {
    const { folder, isOwn, setTimer } = this.#options;
    const record = readRecord(folder, id);
    if (record === undefined || isOwn(record.socket)) return undefined;
    const late = new AbortController();
    const timer = setTimer(() => late.abort(), JOIN_WITHIN_MS);
    try {
      const joined = await JoinedSession.open(folder, id, late.signal);
      if (late.signal.aborted) throw notAnswering(record);
      return joined;
    } finally {
      timer.cancel();
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const heldBy = (pid: number | undefined): Refused =>
  new Refused(
    409,
    "held_elsewhere",
    `This session is open in ${pid === undefined ? "another process" : `process ${pid}`}, which does not share it. Type /serve in its terminal, or close it there, then open the session again.`,
  );

const notAnswering = ({ pid }: DoorRecord): Refused =>
  new Refused(
    409,
    "held_elsewhere",
    `This session is open in process ${pid}, which does not answer. Check that process, or end it, then open the session again.`,
  );
