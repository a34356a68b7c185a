// Settings of the screen.

import { choice, flag, listOf, type Schema, text } from "@lathe/llm/schema";
import { choiceOrEmpty } from "./setting-kinds.ts";

/** Parts of the status line. */
export const STATUS_PARTS = ["mode", "path", "view", "branch", "jobs", "agents", "model", "context", "cost"] as const;

export const TERMINAL_SETTINGS = {
  "statusLine.parts": listOf(choice(STATUS_PARTS), {
    default: STATUS_PARTS,
    description: "what the status line of the terminal shows, in order",
  }),
  "theme.dark": text({ default: "dark", description: "theme for dark terminals; /theme shows all" }),
  "theme.light": text({ default: "light", description: "theme for light terminals" }),
  symbolPreset: choiceOrEmpty(["unicode", "nerd", "ascii"], {
    description: "signs that the terminal is drawn with; empty = as the theme says",
  }),
  colorBlindMode: flag({ default: false, description: "additions in blue instead of green" }),
  "editor.vim": flag({ default: false, description: "vim keys in the composer" }),
  "display.thinking": choice(["shown", "folded", "hidden"], {
    default: "folded",
    description: "what is shown of the model's thoughts",
  }),
  "terminal.showImages": flag({
    default: true,
    description: "draw pictures in terminals that support it; elsewhere show a line of text for each",
  }),
  "display.plain": flag({
    default: false,
    description: "at a terminal, append-only output as with --plain: for screen readers",
  }),
  "terminal.title": flag({
    default: true,
    description: "show the project and whether Lathe is working in the terminal's title",
  }),
  "terminal.notifications": flag({
    default: true,
    description: "notify when a long turn ends or a question waits while the terminal has no focus",
  }),
} as const satisfies Record<string, Schema>;
