// Lets the user's other programs join an editor's session through a local door; otherwise they would be refused,
// because the editor's process holds the session. Until the first client connects, this is only a socket.

import { messageOf } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import type { Person } from "../../conversation/session-contract.ts";
import { SharedPerson } from "../../conversation/shared-person.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { SharedDoor } from "../door/shared-door.ts";
import { type LocalDoorServer, listenForFirst } from "../local/listen.ts";

/** A client that does not read must not delay the end of the session. */
const TELL_WITHIN_MS = 1_000;

export class LocalEntrance {
  readonly #shared: SharedPerson;
  /** Questions go to the editor's user and to all joined clients. */
  readonly person: Person;
  #server: LocalDoorServer | undefined;
  #door: SharedDoor | undefined;
  readonly #machine: Machine;

  constructor(editor: Person, machine: Machine) {
    this.#machine = machine;
    this.#shared = new SharedPerson({ name: "the editor", person: editor });
    const { approve, decidePlan } = this.#shared;
    // If the editor cannot show questions, a question ends the turn for everyone, instead of waiting for a client that
    // may never come.
    this.person = editor.answer ? this.#shared : { approve, decidePlan };
  }

  /** If no socket can be created, the session runs without other clients. */
  async open(conversation: Conversation): Promise<void> {
    const { deps, pid } = this.#machine;
    const { cwd, paths } = conversation.workspace;
    const openDoor = async (): Promise<SharedDoor> => {
      const { openConversationDoor } = await import("../door/conversation-door.ts");
      this.#door = await openConversationDoor({ conversation, person: this.#shared, deps, stays: true });
      return this.#door;
    };
    try {
      const { id: sessionId } = conversation.session;
      this.#server = await listenForFirst({ sessionId, openDoor }, { folder: paths.doors, pid, cwd });
    } catch (error) {
      conversation.session.warn(`Other terminals cannot join this session: ${messageOf(error)}`, "local_door");
    }
  }

  /** Tells the clients that the session has ended. */
  async close(): Promise<void> {
    await this.#door?.close();
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#machine.deps.setTimer(resolve, TELL_WITHIN_MS);
    });
    await Promise.race([this.#server?.close(), late]);
    timer?.cancel();
  }
}
