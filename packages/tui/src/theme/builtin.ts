// The built-in themes. Their colours are from the fixed part of the palette, so they look the same with 256 colours and
// take few bytes; `ansi` uses only the 16 that users set in their terminal.

import type { ThemeColour, ThemeDefinition } from "./definition.ts";

const DARK = {
  accent: "#5fafaf",
  link: "#87afd7",
  success: "#87af5f",
  error: "#d75f5f",
  warning: "#d7af5f",
  muted: "#9e9e9e",
  dim: "#767676",
  border: "#585858",
  faintBorder: "#444444",
  code: "#87d7d7",
  selectedBg: "#303030",
  messageBg: "#262626",
  successBg: "#1c1c1c",
  errorBg: "#1c1c1c",
  statusBg: "",
  added: "#87af5f",
  removed: "#d75f5f",
  keyword: "#af87d7",
  name: "#87afd7",
  string: "#87af87",
  number: "#d7875f",
  type: "#5fafaf",
} satisfies Readonly<Record<string, ThemeColour>>;

/** The few colours, one per role, that our themes are built from. */
type Palette = Readonly<Record<keyof typeof DARK, ThemeColour>>;

const LIGHT: Palette = {
  accent: "#005f87",
  link: "#005faf",
  success: "#005f00",
  error: "#af0000",
  warning: "#875f00",
  muted: "#585858",
  dim: "#767676",
  border: "#a8a8a8",
  faintBorder: "#d0d0d0",
  code: "#005f87",
  selectedBg: "#dadada",
  messageBg: "#eeeeee",
  successBg: "#eeeeee",
  errorBg: "#eeeeee",
  statusBg: "",
  added: "#005f00",
  removed: "#af0000",
  keyword: "#5f00af",
  name: "#005faf",
  string: "#005f00",
  number: "#af5f00",
  type: "#005f5f",
};

const ANSI: Palette = {
  accent: 6,
  link: 4,
  success: 2,
  error: 1,
  warning: 3,
  muted: "",
  dim: 8,
  border: 8,
  faintBorder: 8,
  code: 6,
  selectedBg: "",
  messageBg: "",
  successBg: "",
  errorBg: "",
  statusBg: "",
  added: 2,
  removed: 1,
  keyword: 5,
  name: 4,
  string: 2,
  number: 3,
  type: 6,
};

/** Blue and orange instead of green and red: people with any common form of colour blindness can tell them apart. */
const DARK_COLORBLIND: Palette = {
  ...DARK,
  success: "#5fafff",
  error: "#ff8700",
  warning: "#ffd75f",
  added: "#5fafff",
  removed: "#ff8700",
  string: "#87afd7",
  number: "#d7875f",
};
const LIGHT_COLORBLIND: Palette = {
  ...LIGHT,
  success: "#005faf",
  error: "#af5f00",
  warning: "#875f00",
  added: "#005faf",
  removed: "#af5f00",
  string: "#005f87",
  number: "#875f00",
};

type Colors = ThemeDefinition["colors"];

function themeOf(name: string, palette: Palette): ThemeDefinition {
  return { name, colors: { ...blockColors(palette), ...textColors(palette), ...statusColors(palette) } };
}

/** Borders, messages and tool cards. */
const blockColors = (p: Palette) =>
  ({
    accent: p.accent,
    border: p.border,
    borderAccent: p.accent,
    borderMuted: p.faintBorder,
    success: p.success,
    error: p.error,
    warning: p.warning,
    muted: p.muted,
    dim: p.dim,
    text: "",
    thinkingText: p.dim,
    selectedBg: p.selectedBg,
    userMessageBg: p.messageBg,
    customMessageBg: p.messageBg,
    toolPendingBg: "",
    toolSuccessBg: p.successBg,
    toolErrorBg: p.errorBg,
    statusLineBg: p.statusBg,
    userMessageText: "",
    customMessageText: "",
    customMessageLabel: p.accent,
    toolTitle: "",
    toolOutput: p.muted,
  }) satisfies Partial<Colors>;

/** Markdown, diffs and code. */
const textColors = (p: Palette) =>
  ({
    mdHeading: p.accent,
    mdLink: p.link,
    mdLinkUrl: p.dim,
    mdCode: p.code,
    mdCodeBlock: "",
    mdCodeBlockBorder: p.border,
    mdQuote: p.muted,
    mdQuoteBorder: p.border,
    mdHr: p.border,
    // Plain: coloured bullets would cost more bytes than the words.
    mdListBullet: "",
    toolDiffAdded: p.added,
    toolDiffRemoved: p.removed,
    toolDiffContext: p.muted,
    syntaxComment: p.dim,
    syntaxKeyword: p.keyword,
    syntaxFunction: p.name,
    syntaxVariable: "",
    syntaxString: p.string,
    syntaxNumber: p.number,
    syntaxType: p.type,
    syntaxOperator: "",
    syntaxPunctuation: "",
  }) satisfies Partial<Colors>;

/** Levels, modes and the status line. */
const statusColors = (p: Palette) =>
  ({
    thinkingOff: p.dim,
    thinkingMinimal: p.muted,
    thinkingLow: p.link,
    thinkingMedium: p.accent,
    thinkingHigh: p.keyword,
    thinkingXhigh: p.error,
    bashMode: p.warning,
    pythonMode: p.link,
    statusLineSep: p.border,
    statusLineModel: p.accent,
    statusLinePath: p.muted,
    statusLineGitClean: p.success,
    statusLineGitDirty: p.warning,
    statusLineContext: p.muted,
    statusLineSpend: p.muted,
    statusLineStaged: p.success,
    statusLineDirty: p.warning,
    statusLineUntracked: p.error,
    statusLineOutput: p.muted,
    statusLineCost: p.muted,
    statusLineSubagents: p.keyword,
  }) satisfies Partial<Colors>;

export const DARK_THEME = themeOf("dark", DARK);

export const BUILTIN_THEMES: readonly ThemeDefinition[] = [
  DARK_THEME,
  themeOf("light", LIGHT),
  themeOf("dark-colorblind", DARK_COLORBLIND),
  themeOf("light-colorblind", LIGHT_COLORBLIND),
  themeOf("ansi", ANSI),
];
