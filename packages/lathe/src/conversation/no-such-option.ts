// Detects a number that matches none of a question's options: more likely a typo than an answer in words.

import type { Question } from "@lathe/agent";

/**
 * The error for the user; undefined if the number exists or may be meant as words, for instance when option labels
 * start with digits.
 */
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
