// Interprets typed words as an answer: to an approval question, or to a question of the model.

import type { Answer, Question } from "@lathe/agent";
import type { ApprovalReply } from "../../../conversation/approvals.ts";
import { noSuchOption } from "../../../conversation/no-such-option.ts";
import type { Width } from "../../../found/permissions/offers.ts";

export const isYes = (said: string): boolean => /^y(es)?$/i.test(said);
export const isNo = (said: string): boolean => /^no?$/i.test(said);
/** How far the answer reaches beyond this call; undefined: not beyond it. */
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

/** `words` says what to do instead. */
export const denialOf = (words?: string): ApprovalReply => ({
  decision: "deny",
  by: "user",
  reason: words === undefined ? "The user said no." : `The user said: ${words}`,
});

/** Numbers choose options, several if the question allows it; anything else is an answer in the user's own words. */
export function answerTo({ id, options, multi }: Question, said: string): Answer {
  const words = said.split(/[\s,]+/).filter((word) => word !== "");
  const chosen = words.map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1]?.label : undefined));
  const selected = chosen.filter((label) => label !== undefined);
  const isChoice = selected.length === words.length && (multi || selected.length === 1);
  return isChoice ? { id, selected: [...new Set(selected)] } : { id, selected: [], custom: said };
}

/** The error for a number that matches no option; undefined if there is none. */
export const noSuchOptionIn = (question: Question, said = ""): string | undefined => noSuchOption(question, said);

/** The further question if the chosen option needs words. */
export const wordsPrompt = ({ options }: Question, { selected }: Answer): string | undefined =>
  options.find(({ label, words }) => words !== undefined && selected.includes(label))?.words;
