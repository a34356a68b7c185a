// The maximum cost of a request, and whether a key can still afford it. It counts like the limits of sessions.

import { answerRoom, type RequestAmounts } from "@lathe/agent/base";
import { mostTokensIn, mostTokensOf } from "@lathe/agent/context";
import { type ContentPart, type ModelInfo, mostCostOf, type Request } from "@lathe/llm";
import type { ClientKey } from "../keys/key-file.ts";
import { budgetText, periodEnd } from "../keys/terms.ts";
import { GatewayRefusal } from "../server/refusal.ts";

export interface MostOf {
  /** The request with an explicit answer length, since the reservation only covers that. */
  readonly request: Request;
  readonly amounts: RequestAmounts;
  /** Most tokens of the answer. */
  readonly answer: number;
  /** Whether the price is known. */
  readonly isPriced: boolean;
}

export interface Habits {
  /** Whether entries in the vendor's cache may stay for an hour. */
  readonly keepsLong: boolean;
  /** The answer's limit if the client sets none; 0 for the model's own limit. */
  readonly usualAnswer: number;
}

/** For a model without known limits. */
const USUAL_ANSWER = 32_000;

export function mostOf(asked: Request, model: ModelInfo, { keepsLong, usualAnswer }: Habits): MostOf {
  // No model writes more than its limit; reserving more would only keep other keys from the account.
  const own = model.maxOutput ?? model.contextWindow;
  const wanted = asked.maxTokens ?? (usualAnswer || (model.maxOutput ?? USUAL_ANSWER));
  const request = { ...asked, maxTokens: Math.min(own, wanted) };
  const answer = answerRoom(model, request).most;
  const prompt = promptOf(request, model);
  const { cost } = model;
  const usd = cost ? mostCostOf(prompt, answer, cost, keepsLong || asksForLong(request)) : 0;
  return {
    request,
    amounts: { tokens: prompt + answer, usd },
    answer,
    isPriced: cost !== undefined,
  };
}

function promptOf({ messages, tools, responseFormat }: Request, { contextWindow }: ModelInfo): number {
  let tokens = messages.reduce((sum, message) => sum + mostTokensOf(message), 0);
  if (tools !== undefined) tokens += mostTokensIn(JSON.stringify(tools));
  if (responseFormat !== undefined) tokens += mostTokensIn(JSON.stringify(responseFormat));
  if (tools !== undefined || responseFormat !== undefined) tokens += OF_VENDORS_WORDS;
  return messages.some(({ content }) => content.some(mayUnfold)) ? Math.max(tokens, contextWindow) : tokens;
}

/** Tokens that vendors add to a prompt with tools. */
const OF_VENDORS_WORDS = 1000;

/** A PDF of a few kilobytes, or a link to one, can fill the whole context window. */
function mayUnfold(part: ContentPart): boolean {
  switch (part.kind) {
    case "document":
      return part.document.data === undefined || !part.document.mediaType?.startsWith("text/");
    case "audio":
      return part.audio.data === undefined;
    default:
      return false;
  }
}

/** Whether the client wants its prompt cached for an hour, which costs more. */
function asksForLong({ messages, tools = [] }: Request): boolean {
  if (tools.some(({ cacheControl }) => cacheControl?.ttl === "1h")) return true;
  return messages.some(({ content }) =>
    content.some((part) => "cacheControl" in part && part.cacheControl?.ttl === "1h"),
  );
}

export interface Purse {
  readonly key: ClientKey;
  /** US dollars neither spent nor reserved. */
  readonly left: number;
  readonly now: number;
}

/** Throws if the key's budget does not cover the largest answer. */
export function checkAffordable({ amounts, isPriced }: MostOf, { key, left, now }: Purse): void {
  const { budget } = key;
  if (budget === undefined) return;
  if (!isPriced)
    throw new GatewayRefusal(
      "forbidden",
      "The price of this model is not known, so a key with a budget cannot use it. Give its price in models.yml of the gateway, or choose another model.",
      { code: "price_unknown", isFinal: true },
    );
  if (amounts.usd <= left) return;
  const end = periodEnd(budget.period, now);
  const until = end === undefined ? "" : ` It resets at ${new Date(end).toISOString().slice(0, 16)}Z.`;
  const rest = left > 0 ? "Ask for a shorter answer (max_tokens), or send less." : "Ask the operator for more.";
  throw new GatewayRefusal(
    "quota",
    `The budget of this key is ${budgetText(budget)}: $${inDollars(left)} of it is left, and this request may cost $${inDollars(amounts.usd)}. ${rest}${until}`,
    {
      code: "budget_exceeded",
      isFinal: true,
      ...(end === undefined ? {} : { retryAfter: Math.ceil((end - now) / 1000) }),
    },
  );
}

const inDollars = (usd: number): string => String(Number(usd.toFixed(usd < 0.1 ? 6 : 2)));
