// The three sets of signs, and how a set and a theme's own signs become one. A sign keeps its width or it is refused: columns depend on it.

import { visible } from "../rows/visible.ts";
import { widthOf } from "../rows/width.ts";
import type { Symbols } from "./symbols.ts";

export type SymbolPreset = "unicode" | "nerd" | "ascii";

export interface SymbolsChoice {
  readonly preset?: SymbolPreset;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly spinnerFrames?: readonly string[];
}

/** A slow pulse: waiting for minutes must cost a remote terminal next to nothing, and few frames of a fast wheel look broken. */
const UNICODE: Symbols = {
  success: "✓",
  failure: "✗",
  running: "●",
  pending: "○",
  warning: "⚠",
  info: "ℹ",
  bullet: "•",
  prompt: "❯",
  pointer: "❯",
  ellipsis: "…",
  arrowRight: "→",
  arrowDown: "↓",
  branch: "⎇",
  ruleHorizontal: "─",
  ruleVertical: "│",
  quoteBar: "▎",
  treeMiddle: "├",
  treeLast: "└",
  checked: "☑",
  unchecked: "☐",
  barFull: "█",
  barEmpty: "░",
  spinner: ["·", "•", "●", "•"],
};

const NERD: Symbols = {
  ...UNICODE,
  success: "\uf00c",
  failure: "\uf00d",
  running: "\uf111",
  pending: "\uf10c",
  warning: "\uf071",
  info: "\uf05a",
  branch: "\ue0a0",
  checked: "\uf14a",
  unchecked: "\uf096",
};

const ASCII: Symbols = {
  success: "+",
  failure: "x",
  running: "*",
  pending: "o",
  warning: "!",
  info: "i",
  bullet: "-",
  prompt: ">",
  pointer: ">",
  ellipsis: "...",
  arrowRight: "->",
  arrowDown: "v",
  branch: "@",
  ruleHorizontal: "-",
  ruleVertical: "|",
  quoteBar: "|",
  treeMiddle: "|",
  treeLast: "`",
  checked: "[x]",
  unchecked: "[ ]",
  barFull: "#",
  barEmpty: ".",
  spinner: [".", "o", "O", "o"],
};

export const SYMBOL_SETS: Readonly<Record<SymbolPreset, Symbols>> = { unicode: UNICODE, nerd: NERD, ascii: ASCII };

/** A setting wins over the theme's preset. Names that are no sign of ours are left out. */
export function symbolsFor(theme: SymbolsChoice = {}, setting?: SymbolPreset): Symbols {
  const preset = setting ?? theme.preset ?? "unicode";
  const base = SYMBOL_SETS[preset];
  // Someone who asks for ASCII means the whole screen, also where the theme draws its own signs.
  const fits = (sign: string): boolean =>
    sign !== "" && visible(sign) === sign && !sign.includes("\n") && (preset !== "ascii" || /^[ -~]+$/.test(sign));
  const overrides = Object.entries(theme.overrides ?? {}).filter(
    ([key, sign]) => typeof base[key as keyof Symbols] === "string" && fits(sign),
  );
  const frames = (theme.spinnerFrames ?? []).filter(fits);
  const steady = new Set(frames.map(widthOf)).size === 1;
  return { ...base, ...Object.fromEntries(overrides), ...(steady ? { spinner: frames } : {}) };
}
