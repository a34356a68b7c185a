// Reduces text to the characters of our font: drops accents, replaces typographic characters by plain ones, and spells
// the rest as code points. White space is collapsed, so that an image is full of words.

const PLAIN_SIGNS: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "«": '"',
  "»": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "--",
  "−": "-",
  "•": "*",
  "·": "*",
  "×": "x",
  "→": "->",
  "←": "<-",
  "⇒": "=>",
  "≤": "<=",
  "≥": ">=",
  "≠": "!=",
  "✓": "[ok]",
  "✔": "[ok]",
  "✗": "[x]",
  "✘": "[x]",
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  "─": "-",
  "━": "-",
  "│": "|",
  "┃": "|",
  "├": "+",
  "└": "+",
  "┌": "+",
  "┐": "+",
  "┘": "+",
  "┤": "+",
  "┬": "+",
  "┴": "+",
  "┼": "+",
};

export interface Printable {
  /** Printable ASCII and line ends. */
  readonly text: string;
  /** Number of characters that were spelled as code points. */
  readonly named: number;
}

export function printable(text: string): Printable {
  let named = 0;
  const plain = text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\n\t -~]/gu, (character) => {
      const known = PLAIN_SIGNS[character] ?? withoutAccent(character);
      if (known !== undefined) return known;
      named += 1;
      return `<${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;
    })
    .replace(/[\t ]+/g, " ")
    .replace(/ ?\n[\n ]*/g, "\n");
  return { text: plain, named };
}

/** Undefined if the rest is not plain letters. Control and combining characters alone give nothing. */
function withoutAccent(character: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{M}]/u.test(character)) return "";
  if (/\s/u.test(character)) return " ";
  const bare = character.normalize("NFKD").replace(/\p{M}/gu, "");
  return /^[ -~]+$/.test(bare) ? bare : undefined;
}
