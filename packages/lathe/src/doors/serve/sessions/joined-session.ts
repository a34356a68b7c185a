// A session that another process of this user holds, as the server serves it: through that process's local door. The server itself
// listens there all the time, as it does at the doors of its own children.

import type { CommandData, CommandName, CommandParams } from "../../../hosts/rpc/commands.ts";
import type { AnswerOutcome, Dialog, DialogAnswer, DoorClient, DoorFrame } from "../../door/door.ts";
import type { WatchedDoor } from "../../local/listen.ts";
import { joinLocally, type LocalDoor } from "../../local/local-door.ts";
import { WATCHER } from "./served-sessions.ts";

const GONE = "The process that held the session has gone.";

export class JoinedSession implements WatchedDoor {
  readonly #door: LocalDoor;
  readonly #frames: AsyncIterator<DoorFrame>;
  readonly #watchers = new Set<(frame: DoorFrame) => void>();
  #isClosed = false;

  private constructor(door: LocalDoor, frames: AsyncIterator<DoorFrame>) {
    this.#door = door;
    this.#frames = frames;
    void this.#listen();
  }

  /** Undefined: no process lets others in. */
  static async open(folder: string, sessionId: string, signal: AbortSignal): Promise<JoinedSession | undefined> {
    const door = await joinLocally(folder, sessionId, WATCHER, signal);
    if (!door) return undefined;
    const hangUp = (): void => void door.close();
    signal.addEventListener("abort", hangUp, { once: true });
    const frames = door.follow(WATCHER)[Symbol.asyncIterator]();
    // A door that is about to go tells nothing but its end.
    const first = await frames.next().catch(() => undefined);
    signal.removeEventListener("abort", hangUp);
    if (first?.value?.kind === "snapshot" && !signal.aborted) return new JoinedSession(door, frames);
    await door.close();
    return undefined;
  }

  get sessionId(): string {
    return this.#door.sessionId;
  }
  get isBusy(): boolean {
    return this.#door.isBusy;
  }
  get questions(): readonly Dialog[] {
    return this.#door.questions;
  }

  command<K extends CommandName>(client: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>> {
    return this.#door.command(client, name, params);
  }
  answer(client: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome> {
    return this.#door.answer(client, questionId, answer);
  }
  follow(client: DoorClient, after?: number): AsyncIterableIterator<DoorFrame> {
    return this.#door.follow(client, after);
  }

  watch(watcher: (frame: DoorFrame) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** The session goes on where it is held. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#door.close();
  }

  async #listen(): Promise<void> {
    let end: DoorFrame = { seq: 0, kind: "closed", problem: GONE };
    for (let next = await this.#frames.next(); next.done !== true; next = await this.#frames.next()) {
      if (next.value.kind === "closed") end = next.value;
      else for (const watcher of [...this.#watchers]) watcher(next.value);
    }
    await this.#door.close();
    // Once, also when this side has hung up: who watches is to forget this door.
    for (const watcher of [...this.#watchers]) watcher(this.#isClosed ? { seq: 0, kind: "closed" } : end);
  }
}
