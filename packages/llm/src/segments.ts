// The prompt prefix as a list of encoded pieces. A piece is made once per message object and protocol variant, so the
// next request of a conversation costs only its new messages.

import type { Segment } from "./types/adapter.ts";
import type { Message } from "./types/message.ts";
import type { SegmentCache } from "./types/protocol.ts";

/** Values by owner, held weakly: whatever was derived from a conversation is freed with it. */
export function createSegmentCache(): SegmentCache {
  const known = new WeakMap<object, Derived>();
  return {
    get<T>(owner: object, variant: string, make: () => T): T {
      for (let entry = known.get(owner); entry !== undefined; entry = entry.next) {
        if (entry.variant === variant) return entry.value as T;
      }
      const value = make();
      // Read again, because making the value may have derived another one from the same owner.
      known.set(owner, { variant, value, next: known.get(owner) });
      return value;
    },
  };
}

/** An owner has only one or two variants, so a list is smaller and faster than a map. */
interface Derived {
  readonly variant: string;
  readonly value: unknown;
  readonly next: Derived | undefined;
}

/** A piece of the prefix. Its hash is computed on demand. */
export function makeSegment(kind: Segment["kind"], text: string, message?: Message): Segment {
  return new EncodedSegment(kind, text, message);
}

class EncodedSegment implements Segment {
  readonly kind: Segment["kind"];
  readonly text: string;
  readonly message: Message | undefined;
  #digest: { hash: string; bytes: number } | undefined;
  constructor(kind: Segment["kind"], text: string, message: Message | undefined) {
    this.kind = kind;
    this.text = text;
    this.message = message;
  }
  get hash(): string {
    this.#digest ??= digest(this.text);
    return this.#digest.hash;
  }
  get bytes(): number {
    this.#digest ??= digest(this.text);
    return this.#digest.bytes;
  }
}

/**
 * 64-bit multiplicative mix over UTF-16 units plus the UTF-8 length, in one pass. It guards against accidents, not
 * against an adversary, and runs where node:crypto does not.
 */
function digest(text: string): { hash: string; bytes: number } {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 2654435761);
    high = Math.imul(high ^ unit, 1597334677);
    // Two bytes from U+0080, three from U+0800; a surrogate pair is two units and four bytes, a lone one three.
    if (unit > 0x7ff) bytes += isLow(unit) && isHigh(text.charCodeAt(index - 1)) ? 0 : 2;
    else if (unit > 0x7f) bytes += 1;
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return { hash: hex(high) + hex(low), bytes };
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
