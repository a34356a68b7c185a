// How other programs of the user join a session of an editor: through a local door, instead of being refused because the editor's
// process holds the session. Until the first one comes it is a socket and nothing else.

import { messageOf } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import type { Person } from "../../conversation/session-contract.ts";
import { SharedPerson } from "../../conversation/shared-person.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { SharedDoor } from "../door/shared-door.ts";
import { type LocalDoorServer, listenForFirst } from "../local/listen.ts";

/** A client that does not read must not keep the editor waiting for the end of its session. */
const TELL_WITHIN_MS = 1_000;

export class LocalEntrance {
  readonly #shared: SharedPerson;
  /** The editor's user and whoever has joined. */
  readonly person: Person;
  #server: LocalDoorServer | undefined;
  #door: SharedDoor | undefined;
  readonly #machine: Machine;

  constructor(editor: Person, machine: Machine) {
    this.#machine = machine;
    this.#shared = new SharedPerson({ name: "the editor", person: editor });
    const { approve, decidePlan } = this.#shared;
    // A question that the editor cannot show ends the turn for all of them: it must not wait for a client that may never come.
    this.person = editor.answer ? this.#shared : { approve, decidePlan };
  }

  /** Where no socket can be made, the session goes on without others. */
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

  /** Clients are told that the session has ended. */
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
