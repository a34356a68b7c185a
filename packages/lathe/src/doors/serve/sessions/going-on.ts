// Work that outlives its process: which sessions are working is noted, and one whose process has died, or whose server was killed, goes on
// with what it was doing. One that dies again and again waits for a person.

import { messageOf } from "@lathe/llm";
import type { WireEvent } from "../../../hosts/wire/events.ts";
import { Refused } from "../../http/refused.ts";
import type { WatchedDoor } from "../../local/listen.ts";
import type { SavedSessions } from "./saved-sessions.ts";
import { type LiveSession, WATCHER } from "./served-sessions.ts";
import { MOST_TRIES, type UnfinishedWork } from "./unfinished-work.ts";

export interface GoingOnOptions {
  readonly unfinished: UnfinishedWork;
  readonly saved: Pick<SavedSessions, "find" | "isHeld">;
  readonly open: (id: string) => Promise<LiveSession & { readonly isJoined: boolean }>;
  /** What ends because the server ends goes on with the next start. */
  readonly isEnding: () => boolean;
  readonly now: () => number;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** One line for whoever runs the server. */
  readonly note: (line: string) => void;
}

/** How long the process of a killed server may take to end, and how often it is looked whether it has. */
const RELEASED_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 100;

export class GoingOn {
  readonly #options: GoingOnOptions;

  constructor(options: GoingOnOptions) {
    this.#options = options;
  }

  /** Before a command starts work: the process may die before it has said that it works. */
  begins(id: string): void {
    const { unfinished } = this.#options;
    if (unfinished.tries(id) === undefined) unfinished.note(id, 0);
  }

  /** Nobody wants it to go on. */
  forget(id: string): void {
    this.#options.unfinished.done(id);
  }

  heard(door: WatchedDoor, event: WireEvent): void {
    const { unfinished, isEnding } = this.#options;
    const id = door.sessionId;
    if (isEnding()) return;
    if (event.type === "agent_start" && unfinished.tries(id) === undefined) unfinished.note(id, 0);
    else if (event.type === "turn_end" && unfinished.tries(id) !== 0) unfinished.note(id, 0);
    else if (event.type === "agent_end") void this.#ended(door, id);
  }

  /** Those that were working when the server was killed. */
  async continueAll(): Promise<void> {
    const { unfinished, saved } = this.#options;
    for (const id of unfinished.list()) if ((await saved.find(id)) !== undefined) await this.continue(id);
  }

  async continue(id: string): Promise<void> {
    const { unfinished, note, open, isEnding } = this.#options;
    const tries = unfinished.tries(id);
    if (tries === undefined || isEnding()) return;
    if (tries >= MOST_TRIES) {
      unfinished.done(id);
      note(`Session ${id} has died ${MOST_TRIES} times without getting on. It waits for you: send it \`continue\`.`);
      return;
    }
    await this.#isReleased(id);
    unfinished.note(id, tries + 1);
    let live: Awaited<ReturnType<typeof open>>;
    try {
      live = await open(id);
    } catch (error) {
      note(`Session ${id}: ${messageOf(error)}`);
      // It died before its first message was written, which was not confirmed.
      if (error instanceof Refused && error.status === 404) return unfinished.done(id);
      return this.continue(id);
    }
    // Another process has it by now, and whoever is there decides.
    if (live.isJoined) return unfinished.done(id);
    await this.#finishInput(live).catch((error: unknown) => note(`Session ${id} does not go on: ${messageOf(error)}`));
  }

  // ---- inside ----

  /** A message that waits in the queue has its turn next, and the process may die before. */
  async #ended(door: WatchedDoor, id: string): Promise<void> {
    try {
      const { isStreaming, unfinishedInput } = await door.command(WATCHER, "get_state", {});
      if (!isStreaming && !unfinishedInput && !this.#options.isEnding()) this.#options.unfinished.done(id);
    } catch {
      // It has just died: whether something is left to do is seen when it is opened again.
    }
  }

  /** The process that worked on it may still be ending, when its server was killed and is started again at once. */
  async #isReleased(id: string): Promise<void> {
    const { saved, now, setTimer, isEnding } = this.#options;
    const deadline = now() + RELEASED_WITHIN_MS;
    while (now() < deadline && !isEnding() && (await saved.isHeld(id)))
      await new Promise<void>((resolve) => setTimer(resolve, LOOK_AGAIN_MS));
  }

  async #finishInput({ door }: LiveSession): Promise<void> {
    const { unfinished, note } = this.#options;
    const { unfinishedInput } = await door.command(WATCHER, "get_state", {});
    if (!unfinishedInput) return unfinished.done(door.sessionId);
    note(`Session ${door.sessionId} goes on with what it was doing.`);
    await door.command(WATCHER, "continue", {});
  }
}
