// Settings of the screen.

import { choice, flag, listOf, type Schema, text } from "@lathe/llm/schema";
import { choiceOrEmpty } from "./setting-kinds.ts";

/** Parts of the status line. */
export const STATUS_PARTS = [
  "mode",
  "path",
  "view",
  "branch",
  "verdict",
  "workflow",
  "jobs",
  "agents",
  "model",
  "context",
  "cost",
] as const;

export const TERMINAL_SETTINGS = {
  "statusLine.parts": listOf(choice(STATUS_PARTS), {
    default: STATUS_PARTS,
    description: "what the status line of the terminal shows, in order",
  }),
  "theme.dark": text({ default: "dark", description: "theme for dark terminals; /theme shows all" }),
  "theme.light": text({ default: "light", description: "theme for light terminals" }),
  symbolPreset: choiceOrEmpty(["unicode", "nerd", "ascii"], {
    description: "symbols on the screen; empty = those of the theme",
  }),
  colorBlindMode: flag({ default: false, description: "show additions in blue instead of green" }),
  "editor.vim": flag({ default: false, description: "vim keys in the composer" }),
  "display.thinking": choice(["shown", "folded", "hidden"], {
    default: "folded",
    description: "how the model's thinking is shown",
  }),
  "terminal.showImages": flag({
    default: true,
    description: "draw images in terminals that support it; elsewhere show a line of text for each",
  }),
  "display.plain": flag({
    default: false,
    description: "append-only output at a terminal, as with --plain: for screen readers",
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
