// Continues work whose process has died: it notes which sessions are working, and reopens those whose process crashed
// or whose server was killed. A session that keeps crashing waits for a user.

import { messageOf } from "@lathe/llm";
import type { WireEvent } from "../../../hosts/wire/events.ts";
import { Refused } from "../../http/refused.ts";
import type { WatchedDoor } from "../../local/listen.ts";
import type { SavedSessions } from "./saved-sessions.ts";
import { type LiveSession, WATCHER } from "./served-sessions.ts";
import { MOST_TRIES, type UnfinishedWork } from "./unfinished-work.ts";

export interface WorkContinuationOptions {
  readonly unfinished: UnfinishedWork;
  readonly saved: Pick<SavedSessions, "find" | "isHeld">;
  readonly open: (id: string) => Promise<LiveSession & { readonly isJoined: boolean }>;
  /** Work that stops because the server is shutting down continues at the next start. */
  readonly isEnding: () => boolean;
  readonly now: () => number;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** Prints one line for the operator. */
  readonly note: (line: string) => void;
}

/** How long to wait for the process of a killed server to end, and how often to check. */
const RELEASED_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 100;

export class WorkContinuation {
  readonly #options: WorkContinuationOptions;

  constructor(options: WorkContinuationOptions) {
    this.#options = options;
  }

  /** Called before a command starts work: the process may die before it reports that. */
  noteStart(id: string): void {
    const { unfinished } = this.#options;
    if (unfinished.tries(id) === undefined) unfinished.note(id, 0);
  }

  /** The user stopped this work. */
  forget(id: string): void {
    this.#options.unfinished.remove(id);
  }

  onEvent(door: WatchedDoor, event: WireEvent): void {
    const { unfinished, isEnding } = this.#options;
    const id = door.sessionId;
    if (isEnding()) return;
    if (event.type === "agent_start" && unfinished.tries(id) === undefined) unfinished.note(id, 0);
    else if (event.type === "turn_end" && unfinished.tries(id) !== 0) unfinished.note(id, 0);
    else if (event.type === "agent_end") void this.#onWorkEnd(door, id);
  }

  /** Continues the sessions that were working when the server was killed. */
  async continueAll(): Promise<void> {
    const { unfinished, saved } = this.#options;
    for (const id of unfinished.list()) if ((await saved.find(id)) !== undefined) await this.continue(id);
  }

  async continue(id: string): Promise<void> {
    const { unfinished, note, open, isEnding } = this.#options;
    const tries = unfinished.tries(id);
    if (tries === undefined || isEnding()) return;
    if (tries >= MOST_TRIES) {
      unfinished.remove(id);
      note(`Session ${id} has died ${MOST_TRIES} times without making progress. Send it \`continue\` to try again.`);
      return;
    }
    await this.#waitForRelease(id);
    unfinished.note(id, tries + 1);
    let live: Awaited<ReturnType<typeof open>>;
    try {
      live = await open(id);
    } catch (error) {
      note(`Session ${id}: ${messageOf(error)}`);
      // It died before its first message was written, and that message was never confirmed.
      if (error instanceof Refused && error.status === 404) return unfinished.remove(id);
      return this.continue(id);
    }
    // Another process has opened it meanwhile and decides what happens.
    if (live.isJoined) return unfinished.remove(id);
    await this.#finishInput(live).catch((error: unknown) => note(`Session ${id} cannot continue: ${messageOf(error)}`));
  }

  /** A queued message may be next, and the process may die before it starts. */
  async #onWorkEnd(door: WatchedDoor, id: string): Promise<void> {
    try {
      const { isStreaming, unfinishedInput } = await door.command(WATCHER, "get_state", {});
      if (!isStreaming && !unfinishedInput && !this.#options.isEnding()) this.#options.unfinished.remove(id);
    } catch {
      // The process has just died; reopening it will show whether work is left.
    }
  }

  /** After a killed server is restarted at once, the process that did the work may still be ending. */
  async #waitForRelease(id: string): Promise<void> {
    const { saved, now, setTimer, isEnding } = this.#options;
    const deadline = now() + RELEASED_WITHIN_MS;
    while (now() < deadline && !isEnding() && (await saved.isHeld(id)))
      await new Promise<void>((resolve) => setTimer(resolve, LOOK_AGAIN_MS));
  }

  async #finishInput({ door }: LiveSession): Promise<void> {
    const { unfinished, note } = this.#options;
    const { unfinishedInput } = await door.command(WATCHER, "get_state", {});
    if (!unfinishedInput) return unfinished.remove(door.sessionId);
    note(`Session ${door.sessionId} continues its work.`);
    await door.command(WATCHER, "continue", {});
  }
}
