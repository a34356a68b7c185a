// `test` and `[`: `-v` and `-R` evaluate the subscript of the name that follows, so no word may turn out to be one of
// these.

import type { ShellWord } from "./shell-words.ts";

const UNARY = /^-(?![vR])[A-Za-z]$/;
const BINARY = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const NUMBER = /^(?:\$[?#$!]|\$\{#\w+\})$/;

export function judgeTest(
  operands: readonly ShellWord[],
  program: string,
): { readonly doubt?: string | undefined; readonly isHarmless: boolean } {
  const words = program === "[" ? operands.slice(0, -1) : operands;
  const isProven = words.every(isFixed) ? namesPlainly(words) : words.every(isOneWord) && isPlainForm(words);
  return isProven
    ? { isHarmless: true }
    : { doubt: "a test of words that are not known before it runs", isHarmless: false };
}

/** Neither its value nor anything it can expand to is an operator. */
function isFixed({ isKnown, isNumber, value }: ShellWord): boolean {
  return isKnown || isNumber === true || NUMBER.test(value) || isFileGlob(value);
}

/** A glob whose matches contain a dot or a slash. */
function isFileGlob(value: string): boolean {
  return !/[$`[{~]/.test(value) && /[./]/.test(value);
}

function namesPlainly(words: readonly ShellWord[]): boolean {
  return words.every(({ value }, index) => !/^-[vR]$/.test(words[index - 1]?.value ?? "") || /^\w+$/.test(value));
}

function isOneWord(word: ShellWord): boolean {
  if (isFixed(word) || !word.isSplit) return true;
  return word.paths?.every((path) => /^[\w./-]+$/.test(path)) ?? false;
}

/** Forms in which the operator is part of the text: the number of words decides how the shell parses them. */
function isPlainForm(words: readonly ShellWord[]): boolean {
  const at = (index: number) => (words[index]?.isKnown ? (words[index]?.value ?? "") : "");
  if (words.length <= 1) return true;
  if (words.length === 2) return at(0) === "!" || UNARY.test(at(0));
  if (words.length === 3 && BINARY.test(at(1))) return true;
  return words.length <= 4 && at(0) === "!" && isPlainForm(words.slice(1));
}
