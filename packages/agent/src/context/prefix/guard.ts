// Compares what the next request would send with what the last one sent. The prefix may only grow; the code that
// changes it otherwise must first announce a reason from a fixed list.

import type { Segment } from "@lathe/llm";
import type { PrefixReason } from "../../contract/events/types.ts";

export type PrefixVerdict =
  | { readonly kind: "same" }
  | { readonly kind: "changed"; readonly reason: PrefixReason; readonly tokensLost: number }
  | { readonly kind: "bug"; readonly tokensLost: number; readonly message: string };

export class PrefixGuard {
  #sent: readonly Segment[] = [];
  #reason: PrefixReason | undefined;

  /** Declares that the next difference is intended. The first reason given counts. */
  expect(reason: PrefixReason): void {
    this.#reason ??= reason;
  }

  check(next: readonly Segment[]): PrefixVerdict {
    const sent = this.#sent;
    const reason = this.#reason;
    this.#sent = next;
    this.#reason = undefined;
    const at = firstDifference(sent, next);
    if (at === sent.length || extendsLast(sent, next, at)) return { kind: "same" };
    let bytes = 0;
    for (let i = at; i < sent.length; i++) bytes += sent[i]!.bytes;
    const tokensLost = Math.ceil(bytes / 4);
    if (reason) return { kind: "changed", reason, tokensLost };
    const what =
      at < next.length ? `the ${next[at]!.kind} segment ${at} differs` : `${sent.length - at} segments are gone`;
    return {
      kind: "bug",
      tokensLost,
      message: `the request's prefix changed without a stated reason: ${what} (about ${tokensLost} tokens lost)`,
    };
  }
}

function firstDifference(sent: readonly Segment[], next: readonly Segment[]): number {
  const length = Math.min(sent.length, next.length);
  for (let i = 0; i < length; i++) {
    // Object.is compares pointers; `===` would inspect thousands of objects to find out that they are not strings.
    if (!Object.is(sent[i], next[i]) && sent[i]!.hash !== next[i]!.hash) return i;
  }
  return length;
}

/**
 * After a request without an answer, the last user message may have grown, because wire formats merge neighbouring
 * messages. Only the closing brackets differ then.
 */
function extendsLast(sent: readonly Segment[], next: readonly Segment[], at: number): boolean {
  if (at !== sent.length - 1 || at >= next.length) return false;
  const before = sent[at]!.text.replace(/[\]}\s]+$/, "");
  return next[at]!.text.startsWith(before);
}
