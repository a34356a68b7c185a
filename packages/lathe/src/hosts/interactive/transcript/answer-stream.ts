// The text or thinking that streams in: one block at a time, in order among the others.

import { type Block, TextBlock, ThinkingBlock } from "./blocks.ts";

export class AnswerStream {
  readonly #blocks: Block[];
  #open: TextBlock | ThinkingBlock | undefined;

  /** New blocks are added to `blocks`. */
  constructor(blocks: Block[]) {
    this.#blocks = blocks;
  }

  get kind(): "text" | "thinking" | undefined {
    if (this.#open === undefined) return undefined;
    return this.#open instanceof TextBlock ? "text" : "thinking";
  }

  addText(text: string, now: number): void {
    if (!(this.#open instanceof TextBlock)) this.#begin(new TextBlock(), now);
    this.#open?.add(text);
  }

  addThinking(text: string, now: number): void {
    if (!(this.#open instanceof ThinkingBlock)) this.#begin(new ThinkingBlock(now), now);
    this.#open?.add(text);
  }

  end(now: number): void {
    this.#open?.end(now);
    this.#open = undefined;
  }

  /** Removes what is not in the scrollback yet, because the answer starts over. */
  discard(): void {
    const kept = this.#blocks.filter((block) => !(block instanceof TextBlock || block instanceof ThinkingBlock));
    this.#blocks.splice(0, this.#blocks.length, ...kept);
    this.#open = undefined;
  }

  #begin(block: TextBlock | ThinkingBlock, now: number): void {
    this.end(now);
    this.#open = block;
    this.#blocks.push(block);
  }
}
