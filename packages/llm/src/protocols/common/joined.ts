// Encoded messages that grow at the end. Concatenation shares the long left side instead of copying it, so a message more
// costs that message.

import type { Segment } from "../../types/adapter.ts";

export class JoinedSegments {
  readonly segments: Segment[] = [];
  /** Their texts with commas between them. */
  text = "";

  push(segment: Segment): void {
    this.segments.push(segment);
    this.text = joinTexts(this.text, segment.text);
  }
}

/** With a comma between them; empty texts leave no trace. */
export function joinTexts(left: string, right: string): string {
  return left === "" ? right : right === "" ? left : `${left},${right}`;
}

export function isPresent<T>(value: T | "" | undefined): value is T {
  return value !== undefined && value !== "";
}
