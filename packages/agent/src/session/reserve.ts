// Reserves the most that a request may cost before it is sent, so that token and dollar limits hold whatever the vendor
// charges. If the rest does not pay for the longest answer, we ask for a shorter one; below a useful length we send
// nothing.

import { mostCostOf, type Request } from "@lathe/llm";
import { answerAtOnce } from "../base/answer-at-once.ts";
import { limitText, type RequestAmounts } from "../base/budget/ledger.ts";
import { answerRoom } from "../base/budget/request-bounds.ts";
import { mostTokensOf } from "../context/most-tokens.ts";
import type { IntentLine } from "../contract/journal.ts";
import { SessionError } from "../contract/session-error.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { HostChoices, ModelContext, SessionLog, Work } from "./facades.ts";
import { warnOfUnknownPrice } from "./price.ts";

type Limited = SessionLog & HostChoices & ModelContext & Work;

export interface Reservation {
  readonly request: Request;
  /** Undefined if no limit needs it. */
  readonly amounts: RequestAmounts | undefined;
  /** The answer may be shorter than the model's own limit. */
  readonly isShortened: boolean;
}

/** The limit that does not allow the cost of the request. */
export interface Unaffordable {
  readonly dimension: "tokens" | "usd";
  readonly message: string;
}

/** `most`: tokens of the prompt, computed only if a limit needs them. */
export function affordableRequest(
  core: Limited,
  profile: Profile,
  request: Request,
  most: () => number,
): Reservation | Unaffordable {
  const { budget } = core.config;
  const price = budget.usd ? priceOfMost(core, profile) : undefined;
  if (!budget.tokens && !price) return { request, amounts: undefined, isShortened: false };
  const left = core.ledger.amountsLeft(budget, core.elapsedMs());
  const prompt = most();
  const room = answerRoom(profile.modelInfo, request);
  const affordable = { tokens: left.tokens - prompt, usd: answerFor(left.usd, prompt, room.most, price) };
  const dimension = affordable.tokens < affordable.usd ? "tokens" : "usd";
  const answer = Math.min(room.most, Math.floor(affordable[dimension]));
  if (answer < room.least)
    return { dimension, message: unaffordableText(core, dimension, { prompt, answer: room.least, price }) };
  const amounts = { tokens: prompt + answer, usd: price?.(prompt, answer) ?? 0 };
  const isShortened = answer < room.most;
  const isUnbounded = request.maxTokens === undefined;
  const bounded = isShortened || isUnbounded ? { ...request, maxTokens: answer } : request;
  return { request: bounded, amounts, isShortened };
}

/** Reserves the amounts, then journals the intent. The caller releases them when it knows the cost. */
export async function reserve(
  core: Limited,
  effect: IntentLine["effect"],
  { amounts }: Pick<Reservation, "amounts">,
): Promise<{ readonly intent: IntentLine; readonly release: () => void }> {
  const turns = effect === "request" && core.config.budget.turns ? { turns: 1 } : {};
  const isLimited = amounts !== undefined || effect === "request";
  const release = isLimited ? core.ledger.reserveRequest({ ...amounts, ...turns }) : () => {};
  try {
    const intent = await core.journal.intent({ effect, replay: "safe", ...(amounts ? { reserved: amounts } : {}) });
    return { intent, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** For a caller outside the conversation. Throws if a limit does not allow the cost of its request. */
export function reserveSideRequest(core: Limited, profile: Profile, request: Request, continues: boolean): Reservation {
  const own = continues ? core.messages().length : 0;
  const most = (): number =>
    request.messages
      .slice(own)
      .reduce((sum, message) => sum + mostTokensOf(message), continues ? contextTokens(core) : 0) +
    (request.tools === undefined || continues ? 0 : JSON.stringify(request.tools).length);
  const reservation = affordableRequest(core, profile, request, most);
  if ("message" in reservation) throw new SessionError("budget", reservation.message);
  return reservation;
}

const contextTokens = ({ meter }: ModelContext): number => meter.mostTokens();

type Price = (prompt: number, answer: number) => number;

/** Undefined if the price is not known; the user is warned before anything is sent. */
function priceOfMost(core: Limited, profile: Profile): Price | undefined {
  const { modelInfo, model } = profile;
  const hostPrice: Price = (inputTokens, outputTokens) => {
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    const price = answerAtOnce(core.options.priceOf?.(model, usage), "priceOf", (message) =>
      core.warn(message, "callback_failed"),
    );
    return price ?? Number.NaN;
  };
  if (!Number.isNaN(hostPrice(1, 1))) return hostPrice;
  const cost = modelInfo?.cost;
  if (cost) return (prompt, answer) => mostCostOf(prompt, answer, cost, profile.cachesLong === true);
  warnOfUnknownPrice(core, profile);
  return undefined;
}

/** How many tokens of an answer the rest pays for, up to `most`. */
function answerFor(usd: number, prompt: number, most: number, price: Price | undefined): number {
  if (!price || usd === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const whole = price(prompt, most);
  if (whole <= usd) return Number.POSITIVE_INFINITY;
  const read = price(prompt, 0);
  if (read >= usd || whole <= read) return 0;
  let answer = Math.floor((most * (usd - read)) / (whole - read));
  while (answer > 0 && price(prompt, answer) > usd) answer -= 1 + Math.floor(answer / 100);
  return answer;
}

function unaffordableText(
  core: Limited,
  dimension: "tokens" | "usd",
  next: { readonly prompt: number; readonly answer: number; readonly price: Price | undefined },
): string {
  const { ledger, config } = core;
  const cost = dimension === "usd" ? (next.price?.(next.prompt, next.answer) ?? 0) : next.prompt + next.answer;
  const left = ledger.amountsLeft(config.budget, 0)[dimension];
  const are = dimension === "usd" ? "is" : "are";
  const rest = left > 0 ? `${limitText(dimension, left)} of it ${are} left` : "nothing of it is left";
  const limit = limitText(dimension, config.budget[dimension] ?? 0);
  return `The limit of ${limit} does not cover another request: ${rest}, and it may cost ${limitText(dimension, cost)}.`;
}
