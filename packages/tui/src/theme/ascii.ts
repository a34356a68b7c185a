// Signs for terminals whose font has nothing but ASCII: of the same width, so that no row changes its shape.

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

/** Letters of other scripts stay: there is nothing to put in their place. */
export function asciiSigns(text: string, { ruleHorizontal, ellipsis }: Symbols): string {
  if (!ASCII.test(ruleHorizontal + ellipsis)) return text;
  return text.replace(KNOWN, (sign) => SIGNS[sign] ?? sign);
}
