// The ids of all calls of a session. Some servers use the same id twice, in one answer or in a later one; but we tell
// results, approvals and events apart by it, and vendors refuse a history that contains it twice.

import type { Message } from "@lathe/llm";

export class CallIds {
  readonly #history: () => readonly Message[];
  /** How often each id was used; filled when the first answer with a call arrives. */
  #taken: Map<string, number> | undefined;

  constructor(history: () => readonly Message[]) {
    this.#history = history;
  }

  /**
   * Returns the id itself if it is new, otherwise a new one. The part after a bar names a vendor's item, not the call.
   */
  makeDistinct(id: string): string {
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
