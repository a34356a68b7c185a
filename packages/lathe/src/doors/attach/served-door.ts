// A session of a server, as a door: `lathe attach` follows it as it follows one of this machine.

import type { CommandData, CommandName, CommandParams } from "../../hosts/rpc/commands.ts";
import type { AnswerOutcome, Dialog, DialogAnswer, Door, DoorClient, DoorFrame } from "../door/door.ts";
import { DoorMirror } from "../door/door-mirror.ts";
import type { LatheClient } from "../serve/client.ts";

export class ServedDoor implements Door {
  readonly #client: LatheClient;
  readonly #mirror: DoorMirror;
  readonly #closed = new AbortController();

  private constructor(client: LatheClient, mirror: DoorMirror) {
    this.#client = client;
    this.#mirror = mirror;
  }

  static async open(client: LatheClient, sessionId: string): Promise<ServedDoor> {
    const { snapshot } = await client.openSession(sessionId);
    const { state, questions } = snapshot;
    return new ServedDoor(client, new DoorMirror({ sessionId, isBusy: state.isStreaming, questions }));
  }

  get sessionId(): string {
    return this.#mirror.sessionId;
  }
  get isBusy(): boolean {
    return this.#mirror.isBusy;
  }
  get questions(): readonly Dialog[] {
    return this.#mirror.questions;
  }

  command<K extends CommandName>(_client: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>> {
    return this.#client.command(this.sessionId, name, params);
  }
  answer(_client: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome> {
    return this.#client.answer(this.sessionId, questionId, answer);
  }

  /** Over as many connections as it takes. */
  async *follow(_client: DoorClient, after?: number): AsyncGenerator<DoorFrame> {
    for await (const frame of this.#client.follow(this.sessionId, { after, signal: this.#closed.signal })) {
      this.#mirror.take(frame);
      yield frame;
    }
  }

  /** The session goes on. */
  async close(): Promise<void> {
    this.#closed.abort();
  }
}
