// The door to a session of a server, so that `lathe attach` follows it like one on this machine.

import type { CommandData, CommandName, CommandParams } from "../../hosts/rpc/commands.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { AnswerOutcome, Dialog, DialogAnswer, Door, DoorClient, DoorFrame } from "../door/door.ts";
import { DoorMirror } from "../door/door-mirror.ts";
import { type LatheClient, LatheServerError } from "../serve/client.ts";

export class ServedDoor implements Door {
  readonly #client: LatheClient;
  readonly #mirror: DoorMirror;
  readonly #closed = new AbortController();
  /** Called when the connection is lost or restored. */
  onConnection: (isConnected: boolean) => void = () => {};

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

  async command<K extends CommandName>(_: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>> {
    return this.#client.command(this.sessionId, name, params).catch(inOneLine);
  }
  async answer(_: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome> {
    return this.#client.answer(this.sessionId, questionId, answer).catch(inOneLine);
  }

  /** Reconnects as often as needed. */
  async *follow(_client: DoorClient, after?: number): AsyncGenerator<DoorFrame> {
    const { signal } = this.#closed;
    const onConnection = (isConnected: boolean): void => this.onConnection(isConnected);
    try {
      for await (const frame of this.#client.follow(this.sessionId, { after, signal, onConnection })) {
        this.#mirror.take(frame);
        yield frame;
      }
    } catch (error) {
      inOneLine(error);
    }
  }

  /** Stops following; the session goes on. */
  async close(): Promise<void> {
    this.#closed.abort();
  }
}

/** If the server refuses something, such as a revoked token, that is no bug of ours: show its message in one line. */
function inOneLine(error: unknown): never {
  if (!(error instanceof LatheServerError)) throw error;
  throw new CliError(EXIT.failed, error.message, { cause: error });
}
