// Encoded messages that grow at the end. Concatenation shares the long left side instead of copying it, and long text
// is turned into bytes once, so another request costs only its new messages.

import type { BodyPiece, Segment } from "../../types/adapter.ts";
import type { BodyPart } from "./body.ts";

/** How much text is encoded again with each request: more makes requests slower, less makes more pieces. */
const FREEZE_AT = 32 * 1024;

const encoder = new TextEncoder();

/** Texts joined by commas. */
export class JoinedTexts {
  readonly #frozen: Uint8Array[] = [];
  #tail = "";

  push(text: string): void {
    if (text === "") return;
    this.#tail = this.#tail === "" && this.#frozen.length === 0 ? text : `${this.#tail},${text}`;
    if (this.#tail.length < FREEZE_AT) return;
    this.#frozen.push(encoder.encode(this.#tail));
    this.#tail = "";
  }

  /** One part; none if nothing was pushed. */
  get parts(): BodyPart[] {
    const pieces: BodyPiece[] = this.#frozen.slice();
    if (this.#tail !== "") pieces.push(this.#tail);
    return pieces.length === 0 ? [] : [pieces];
  }
}

export class JoinedSegments {
  readonly segments: Segment[] = [];
  readonly #texts = new JoinedTexts();

  push(segment: Segment): void {
    this.segments.push(segment);
    this.#texts.push(segment.text);
  }

  get parts(): BodyPart[] {
    return this.#texts.parts;
  }
}

/** Joins two texts with a comma; empty texts are skipped. */
export function joinTexts(left: string, right: string): string {
  return left === "" ? right : right === "" ? left : `${left},${right}`;
}

export function isPresent<T>(value: T | "" | undefined): value is T {
  return value !== undefined && value !== "";
}
