// What the ledger file of the gateway holds: a line before each request, with the most that it may cost, and one after it, with what
// it did cost. A reservation without a settlement counts whole.

import {
  Checker,
  exactly,
  integer,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  type Static,
  text,
} from "@lathe/llm/schema";

const amounts = object({ tokens: number(), usd: number() });

const reserved = object({
  type: exactly("reserved"),
  /** Unique in all files. */
  id: text(),
  at: text(),
  /** Id of the client key. */
  key: text(),
  /** Its name: keys can be removed. */
  name: text(),
  /** `provider/id`. */
  model: text(),
  /** The most that the request may take. */
  tokens: integer(),
  usd: number(),
});
const settled = object({
  type: exactly("settled"),
  id: text(),
  at: text(),
  /** Prompt, part of it from the cache, and answer, in counts that mean the same for every vendor. */
  input: integer(),
  cached: integer(),
  output: integer(),
  usd: number(),
  /** The price was not known. */
  unpriced: optional(exactly(true)),
  /** What the vendor may charge besides, without having said so. */
  uncertain: optional(amounts),
});
/** The first line of a month: what each key had spent before, by its id. */
const carried = object({
  type: exactly("carried"),
  at: text(),
  spent: mapOf(object({ usd: number(), uncertain: number() })),
});

const line = oneOf(reserved, settled, carried);
const CHECKER = new Checker(line, { acceptsUnknown: true });

export type ReservedLine = Static<typeof reserved>;
export type SettledLine = Static<typeof settled>;
export type LedgerLine = Static<typeof line>;

/** Undefined for a damaged one. */
export function readLine(json: string): LedgerLine | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return CHECKER.wrongIn(value) === undefined ? (value as LedgerLine) : undefined;
  } catch {
    return undefined; // torn by the end of a process
  }
}
