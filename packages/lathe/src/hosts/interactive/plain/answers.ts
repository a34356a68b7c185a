// What typed words mean as an answer: to a question about a call, and to a question of the model.

import type { Answer, Question } from "@lathe/agent";
import type { ApprovalReply } from "../../../conversation/approvals.ts";
import { noSuchOption } from "../../../conversation/no-such-option.ts";
import type { Width } from "../../../found/permissions/offers.ts";

export const isYes = (said: string): boolean => /^y(es)?$/i.test(said);
export const isNo = (said: string): boolean => /^no?$/i.test(said);
/** How far an answer reaches beyond this call; undefined: it does not. */
export function widthOf(said: string): Width | undefined {
  if (/^a(lways)?$/i.test(said)) return "tool";
  return /^p(roject|attern)?$/i.test(said) ? "pattern" : undefined;
}

export function replyOf(said: string): ApprovalReply {
  const remember = widthOf(said);
  if (remember !== undefined) return { decision: "allow", remember, by: "user" };
  if (isYes(said)) return { decision: "allow", by: "user" };
  return denialOf(said === "" || isNo(said) ? undefined : said);
}

/** `words`: what to do instead. */
export const denialOf = (words?: string): ApprovalReply => ({
  decision: "deny",
  by: "user",
  reason: words === undefined ? "The user said no." : `The user said: ${words}`,
});

/** Numbers choose options, several where that is allowed; anything else is an answer in the person's own words. */
export function answerTo({ id, options, multi }: Question, said: string): Answer {
  const words = said.split(/[\s,]+/).filter((word) => word !== "");
  const chosen = words.map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1]?.label : undefined));
  const selected = chosen.filter((label) => label !== undefined);
  const isChoice = selected.length === words.length && (multi || selected.length === 1);
  return isChoice ? { id, selected: [...new Set(selected)] } : { id, selected: [], custom: said };
}

/** What to say about a number that chooses nothing; undefined: it is an answer, or there is none. */
export const slipIn = (question: Question, said = ""): string | undefined => noSuchOption(question, said);

/** What to ask for when the chosen option needs words as well. */
export const wordsWanted = ({ options }: Question, { selected }: Answer): string | undefined =>
  options.find(({ label, words }) => words !== undefined && selected.includes(label))?.words;
