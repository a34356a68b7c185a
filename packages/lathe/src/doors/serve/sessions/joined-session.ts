// A session of another process that the server serves through that process's local door. The server follows it all the
// time, as it follows the doors of its own children.

import type { CommandData, CommandName, CommandParams } from "../../../hosts/rpc/commands.ts";
import type { AnswerOutcome, Dialog, DialogAnswer, DoorClient, DoorFrame } from "../../door/door.ts";
import type { WatchedDoor } from "../../local/listen.ts";
import { joinLocally, type LocalDoor } from "../../local/local-door.ts";
import { WATCHER } from "./served-sessions.ts";

const GONE = "The process that held the session has ended.";

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

  /** Undefined if no process shares the session. */
  static async open(folder: string, sessionId: string, signal: AbortSignal): Promise<JoinedSession | undefined> {
    const door = await joinLocally(folder, sessionId, WATCHER, signal);
    if (!door) return undefined;
    const hangUp = (): void => void door.close();
    signal.addEventListener("abort", hangUp, { once: true });
    const frames = door.follow(WATCHER)[Symbol.asyncIterator]();
    // A door that is about to close sends no snapshot.
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

  /** Disconnects; the session goes on in its process. */
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
    // Always sent, even if this side closed the connection: the watchers must forget this door.
    for (const watcher of [...this.#watchers]) watcher(this.#isClosed ? { seq: 0, kind: "closed" } : end);
  }
}
