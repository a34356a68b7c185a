// Lines of the gateway's ledger: one before each request with its maximum cost, and one after it with the actual cost.
// A reservation without a settlement counts in full.

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
  /** Unique across all files. */
  id: text(),
  at: text(),
  /** Id of the client key. */
  key: text(),
  /** The key's name, since keys can be removed. */
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
  /** Tokens of the prompt, its cached part, and the answer, normalized across vendors. */
  input: integer(),
  cached: integer(),
  output: integer(),
  usd: number(),
  /** The price was unknown. */
  unpriced: optional(exactly(true)),
  /** What the vendor may charge in addition without having reported it. */
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

/** Undefined for a damaged line. */
export function readLine(json: string): LedgerLine | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return CHECKER.wrongIn(value) === undefined ? (value as LedgerLine) : undefined;
  } catch {
    return undefined; // torn by a crash
  }
}
