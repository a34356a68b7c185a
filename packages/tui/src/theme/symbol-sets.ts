// The three symbol sets, and how a theme's own symbols override them. A symbol must keep its width, since columns
// depend on it.

import { visible } from "../rows/visible.ts";
import { widthOf } from "../rows/width.ts";
import type { Symbols } from "./symbols.ts";

export type SymbolPreset = "unicode" | "nerd" | "ascii";

export interface SymbolsChoice {
  readonly preset?: SymbolPreset;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly spinnerFrames?: readonly string[];
}

/**
 * A slow spinner: waiting for minutes must cost a remote terminal next to nothing, and a fast one with few frames looks
 * broken.
 */
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

/** A setting takes precedence over the theme's preset. Unknown names are ignored. */
export function symbolsFor(theme: SymbolsChoice = {}, setting?: SymbolPreset): Symbols {
  const preset = setting ?? theme.preset ?? "unicode";
  const base = SYMBOL_SETS[preset];
  // A user who asks for ASCII means the whole screen, even if the theme has its own symbols.
  const fits = (sign: string): boolean =>
    sign !== "" && visible(sign) === sign && !sign.includes("\n") && (preset !== "ascii" || /^[ -~]+$/.test(sign));
  const overrides = Object.entries(theme.overrides ?? {}).filter(
    ([key, sign]) => typeof base[key as keyof Symbols] === "string" && fits(sign),
  );
  const frames = (theme.spinnerFrames ?? []).filter(fits);
  const steady = new Set(frames.map(widthOf)).size === 1;
  return { ...base, ...Object.fromEntries(overrides), ...(steady ? { spinner: frames } : {}) };
}
