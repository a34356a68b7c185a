// Makes text from outside safe for a screen: nothing in it can move the cursor, change a colour, or hide or reorder
// neighbouring text. Invisible characters are written out instead of dropped.

const TAB = 4;
/**
 * Control characters except line break and tab; invisible or direction-changing formatting; lone surrogates. Joiners
 * inside emoji are allowed.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
const PLAIN = /^[\n -~]*$/;
const JOINER = /(?<=\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})/gu;
const KEPT_JOINER = "\ue000\ue001";

/** Keeps line breaks; a tab becomes spaces up to the next stop. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(/\r\n/g, "\n")
    .replaceAll(KEPT_JOINER, "")
    .replace(JOINER, KEPT_JOINER)
    .replace(HIDDEN, escapeCharacter)
    .replaceAll(KEPT_JOINER, "\u200d")
    .split("\n")
    .map(withoutTabs)
    .join("\n");
}

/** The text on one line, without spaces at its ends. */
export const visibleLine = (text: string): string => visible(text).replace(/\s+/g, " ").trim();

function withoutTabs(line: string): string {
  if (!line.includes("\t")) return line;
  return line.split("\t").reduce((before, piece) => `${before}${" ".repeat(TAB - (before.length % TAB))}${piece}`);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
