// The overview at the top of a page.

import { oneLine } from "@lathe/agent/base";
import { addTokens, type TokenCounts } from "../tokens.ts";
import type { Transcript } from "../transcript.ts";

export interface Summary {
  readonly tokens: TokenCounts;
  /** US dollars. */
  readonly cost: number;
  /** Answers with an unknown price, which `cost` does not include. */
  readonly unpriced: number;
  readonly answers: number;
  readonly calls: number;
  readonly models: ReadonlySet<string>;
  /** The first prompts, up to a limit. */
  readonly prompts: readonly { readonly id: string; readonly words: string }[];
  readonly promptCount: number;
  /** The first words of the first prompt. */
  readonly firstWords?: string;
  /** Time of the last item. */
  readonly end: string;
}

/** A longer list would not help anybody find something. */
const MOST_PROMPTS = 1000;
const WORDS = 100;

export function summaryOf(transcript: Transcript): Summary {
  let tokens: TokenCounts = { input: 0, cached: 0, output: 0 };
  let cost = 0;
  let unpriced = 0;
  let answers = 0;
  let calls = 0;
  let promptCount = 0;
  let firstWords: string | undefined;
  let end = transcript.header.timestamp;
  const models = new Set<string>();
  const prompts: { id: string; words: string }[] = [];
  for (const item of transcript.items()) {
    end = item.timestamp;
    if (item.type === "assistant") {
      answers++;
      calls += item.parts.filter(({ kind }) => kind === "call").length;
      cost += item.cost ?? 0;
      if (item.cost === undefined && item.tokens) unpriced++;
      if (item.tokens) tokens = addTokens(tokens, item.tokens);
      if (item.model !== undefined) models.add(item.model);
    }
    if (item.type !== "user") continue;
    firstWords ??= item.text || item.attached.map(({ name }) => name).join(", ");
    promptCount++;
    if (prompts.length < MOST_PROMPTS) prompts.push({ id: item.id, words: titleLine(item.text).slice(0, WORDS) });
  }
  const first = firstWords ? { firstWords: titleLine(firstWords) } : {};
  return { tokens, cost, unpriced, answers, calls, models, prompts, promptCount, end, ...first };
}

const TITLE = 120;
/** This copies the text: a slice of a long string would keep all of it in memory. */
export const titleLine = (text: string): string =>
  Buffer.from(oneLine(text.slice(0, 4 * TITLE)).slice(0, TITLE)).toString();
