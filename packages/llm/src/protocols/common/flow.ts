// Text and reasoning for vendors that number nothing: a change of kind closes one block and opens the next.

import type { BlockSink } from "../../types/protocol.ts";

export class TextFlow {
  #count = 0;
  #open: { kind: "text" | "reasoning"; key: string } | undefined;

  append(kind: "text" | "reasoning", text: string, out: BlockSink): void {
    if (text === "") return;
    if (this.#open?.kind !== kind) {
      this.close(out);
      this.#open = { kind, key: String(this.#count++) };
    }
    if (kind === "text") out.text(this.#open.key, text);
    else out.reasoning(this.#open.key, text);
  }

  close(out: BlockSink): void {
    if (this.#open?.kind === "text") out.endText(this.#open.key);
    else if (this.#open) out.endReasoning(this.#open.key);
    this.#open = undefined;
  }
}
