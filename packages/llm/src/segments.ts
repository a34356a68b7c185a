// The prompt prefix as a list of encoded pieces. A piece is made once per message object and protocol variant, so
// the next request of a conversation costs its new messages only.

import type { Segment } from "./types/adapter.ts";
import type { SegmentCache } from "./types/protocol.ts";

/**
 * Values by owner, weakly, plus the order in which they were last asked for: a history is read front to back on every
 * request, so the next owner is nearly always the one that followed last time, found without hashing.
 */
export function createSegmentCache(): SegmentCache {
  const variants = new Map<string, Variant>();
  // Encoders ask for a whole history under one string: comparing it with itself is free, hashing it is not.
  let lastName: string | undefined;
  let last = new Variant();
  return {
    get<T>(owner: object, variant: string, make: () => T): T {
      if (variant !== lastName) {
        last = variants.get(variant) ?? new Variant();
        variants.set(variant, last);
        lastName = variant;
      }
      return last.get(owner, make) as T;
    },
  };
}

class Variant {
  readonly #values = new WeakMap<object, unknown>();
  /** Held weakly: a session that has ended must not be kept by the order of its last request. */
  #lastOrder = new WeakRef<Order>({ owners: [], values: [] });
  #cursor = 0;

  get(owner: object, make: () => unknown): unknown {
    const order = this.#order();
    if (order.owners[this.#cursor] === owner) return order.values[this.#cursor++];
    if (order.owners[0] === owner) {
      this.#cursor = 1;
      return order.values[0];
    }
    let value = this.#values.get(owner);
    if (value === undefined) {
      value = make();
      this.#values.set(owner, value);
    }
    order.owners.length = this.#cursor;
    order.values.length = this.#cursor;
    order.owners.push(owner);
    order.values.push(value);
    this.#cursor++;
    return value;
  }

  #order(): Order {
    const known = this.#lastOrder.deref();
    if (known !== undefined) return known;
    const order: Order = { owners: [], values: [] };
    this.#lastOrder = new WeakRef(order);
    this.#cursor = 0;
    return order;
  }
}

interface Order {
  readonly owners: object[];
  readonly values: unknown[];
}

export function makeSegment(kind: Segment["kind"], text: string): Segment {
  return new EncodedSegment(kind, text);
}

/** `[a,b,c]` as body pieces, without copying the pieces. */
export function jsonArrayPieces(items: readonly { readonly text: string }[]): string[] {
  const pieces: string[] = ["["];
  let first = true;
  for (const item of items) {
    if (first) first = false;
    else pieces.push(",");
    pieces.push(item.text);
  }
  pieces.push("]");
  return pieces;
}

class EncodedSegment implements Segment {
  readonly kind: Segment["kind"];
  readonly text: string;
  #digest: { hash: string; bytes: number } | undefined;
  constructor(kind: Segment["kind"], text: string) {
    this.kind = kind;
    this.text = text;
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
