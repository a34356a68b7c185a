// The final cost of a request: what the vendor reported, and what it may charge without having reported it.

import { type RequestAmounts, uncertainBill } from "@lathe/agent/base";
import { comparableUsage, costOf, type ProviderError, RateLimitError, type Usage } from "@lathe/llm";
import type { Pass } from "../fair/turnstile.ts";
import type { OfferedModel } from "../models/gateway-models.ts";
import type { Bill, Reservation } from "../money/books.ts";
import type { BodyRoom } from "./body-room.ts";
import type { Caller } from "./callers.ts";
import type { GatewayParts } from "./parts.ts";

/** What is known about a request so far. */
export interface Progress {
  caller?: Caller;
  /** The room taken by its body. */
  held?: ReturnType<BodyRoom["enter"]>;
  model?: OfferedModel;
  most?: RequestAmounts;
  pass?: Pass;
  reservation?: Reservation;
  /** Usage as the vendor reported it. */
  usage?: Usage | undefined;
  /** Whether the vendor has reported its final usage. */
  isFinished?: boolean;
  /** Whether a part of the answer has arrived. */
  hasBegun?: boolean;
}

export interface Ending {
  /** Undefined if the answer is complete. */
  readonly failure: unknown;
  /** Whether the client or we stopped it. */
  readonly wasStopped: boolean;
}

/** How long to leave a full account alone if the vendor does not say. */
const CLOSED_MS = 5_000;

/** Releases the reservation, once. */
export function settle(
  { books, warn }: GatewayParts,
  progress: Progress,
  ending: Ending,
): { readonly usage: Usage | undefined; readonly usd: number | undefined } {
  const { pass, reservation } = progress;
  const bill = billOf(progress, ending);
  if (ending.failure instanceof RateLimitError) pass?.close(waitOf(ending.failure));
  const sent = reservation !== undefined;
  pass?.done(sent ? (bill.usage?.totalTokens ?? 0) + (bill.uncertain?.tokens ?? 0) : 0);
  if (reservation === undefined) return { usage: undefined, usd: 0 };
  try {
    books.settle(reservation, bill);
  } catch (error) {
    // The reservation counts in full from the next start on, so no money is given back by mistake.
    warn(`The ledger cannot be written: ${(error as Error).message}`);
  }
  return { usage: bill.usage, usd: bill.usd };
}

function billOf({ model, usage, most, isFinished, hasBegun }: Progress, { failure, wasStopped }: Ending): Bill {
  if (model === undefined) return { usd: 0 };
  const { provider, model: info } = model.target;
  const said = usage && comparableUsage(usage, provider);
  const price = info.cost === undefined ? undefined : usage === undefined ? 0 : costOf(usage, info.cost, provider);
  // Impossible counts would give money back or corrupt the ledger, so treat them as no report.
  const isTrue = said === undefined || (areCounts(said) && (price === undefined || (price >= 0 && price < Infinity)));
  const [counted, usd] = isTrue ? [said, price] : [undefined, price === undefined ? undefined : 0];
  // A vendor that reports zero has not said that the answer was free.
  if (isFinished && (counted?.totalTokens ?? 0) > 0) return { usage: counted, usd };
  const uncertain = uncertainBill(most, {
    hasBegun: hasBegun ?? false,
    tokens: counted?.totalTokens ?? 0,
    cost: usd ?? 0,
    error: wasStopped ? undefined : failure,
  });
  return { usage: counted, usd, ...(uncertain === undefined ? {} : { uncertain }) };
}

const areCounts = ({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): boolean =>
  [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].every(
    (count) => Number.isSafeInteger(count) && count >= 0,
  );

const waitOf = (error: ProviderError): number =>
  error.retryAfter === undefined ? CLOSED_MS : Math.ceil(error.retryAfter * 1000);
