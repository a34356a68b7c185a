// The ids of all calls of a session. Some servers use one twice, in one answer or in a later one; results, approvals and events are
// told apart by it, and vendors refuse a history in which it occurs twice.

import type { Message } from "@lathe/llm";

export class CallIds {
  readonly #history: () => readonly Message[];
  /** How often each id was given; made with the first answer that holds a call. */
  #taken: Map<string, number> | undefined;

  constructor(history: () => readonly Message[]) {
    this.#history = history;
  }

  /** The id itself when it is new, else one that is. What follows a bar names an item of one vendor, not the call. */
  distinct(id: string): string {
    const [call = ""] = id.split("|", 1);
    const free = this.#free(call);
    return free === call ? id : free;
  }

  #free(given: string): string {
    const taken = this.#taken ?? idsIn(this.#history());
    this.#taken = taken;
    let id = given;
    for (let n = taken.get(given) ?? 1; taken.has(id); n++) {
      id = `${given}_${n + 1}`;
      taken.set(given, n + 1);
    }
    taken.set(id, 1);
    return id;
  }
}

function idsIn(messages: readonly Message[]): Map<string, number> {
  const parts = messages.flatMap(({ content }) => content);
  return new Map(
    parts.flatMap((part) => (part.kind === "tool_call" ? [[part.toolCall.id.split("|", 1)[0] ?? "", 1] as const] : [])),
  );
}
