// A number that chooses none of a question's options: rather a slip than an answer in words.

import type { Question } from "@lathe/agent";

/** What to say to the person; undefined: it is no such number, or may be meant as words, as options that are numbers themselves suggest. */
export function noSuchOption(
  { options, multi }: Pick<Question, "options" | "multi">,
  said: string,
): string | undefined {
  const numbers = said.trim().split(/[\s,]+/);
  const areNumbers = numbers.every((one) => /^\d{1,9}$/.test(one)) && (multi || numbers.length === 1);
  if (!areNumbers || options.length === 0 || options.some(({ label }) => /^\d/.test(label))) return undefined;
  const wrong = numbers.find((one) => Number(one) < 1 || Number(one) > options.length);
  if (wrong === undefined) return undefined;
  return `There is no option ${wrong}. Give a number from 1 to ${options.length}, or an answer in words.`;
}
