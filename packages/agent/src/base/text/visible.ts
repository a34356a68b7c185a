// Text from a model, a server or a repository, made safe to display: nothing in it moves a cursor, changes a colour, or
// hides or reorders the text next to it. Invisible characters are escaped instead of dropped.

import { oneLine } from "./one-line.ts";

/** Control characters except newline and tab; invisible and bidirectional formatting; lone surrogates. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** Keeps newlines and tabs. */
export function visibleText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(HIDDEN, escapeCharacter);
}

/** A name as part of a line. Its spaces are part of the name and stay. */
export const visibleName = (name: string): string => visibleText(name.replaceAll("\n", "\\n"));

const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** The visible text in one line, trimmed. */
export function visibleLine(text: string): string {
  return PLAIN_LINE.test(text) ? text : oneLine(visibleText(text));
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
