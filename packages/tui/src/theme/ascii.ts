// Replaces symbols for terminals that only have ASCII by others of the same width, so that rows keep their shape.

import type { Symbols } from "./symbols.ts";

const SIGNS: Readonly<Record<string, string>> = {
  "·": "-",
  "•": "*",
  "…": "~",
  "–": "-",
  "—": "-",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "●": "*",
  "✓": "+",
  "✗": "x",
};
const KNOWN = new RegExp(`[${Object.keys(SIGNS).join("")}]`, "gu");
const ASCII = /^[ -~]+$/;

/** Letters of other scripts stay: ASCII has no replacement. */
export function asciiSigns(text: string, { ruleHorizontal, ellipsis }: Symbols): string {
  if (!ASCII.test(ruleHorizontal + ellipsis)) return text;
  return text.replace(KNOWN, (sign) => SIGNS[sign] ?? sign);
}
