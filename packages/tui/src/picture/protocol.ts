// Which way of showing pictures a terminal understands, from its environment and its own answers.

import type { TerminalReply } from "../keys/key.ts";

export type PictureProtocol = "kitty" | "iterm2" | "sixel" | "none";
type Environment = Readonly<Record<string, string | undefined>>;

const NAMES: Readonly<Record<string, PictureProtocol>> = {
  kitty: "kitty",
  iterm2: "iterm2",
  iterm: "iterm2",
  sixel: "sixel",
  none: "none",
};
const KITTY_PROGRAMS = ["ghostty", "kitty"];
const ITERM_PROGRAMS = ["iterm.app", "wezterm", "mintty", "rio"];
/** Attribute of the terminal's answer to "what are you" that means sixel. */
const SIXEL = 4;

/** `forced` is the person's own choice; a name that means nothing is no choice. */
export function pictureProtocol(
  env: Environment,
  replies: readonly TerminalReply[] = [],
  forced?: string,
): PictureProtocol {
  const chosen = NAMES[forced?.toLowerCase() ?? ""];
  if (chosen !== undefined) return chosen;
  const term = env["TERM"] ?? "";
  // A multiplexer shows the pictures of others in the wrong place or not at all; some draw sixel themselves and say so.
  const isInside = env["TMUX"] !== undefined || env["ZELLIJ"] !== undefined || /^(?:screen|tmux)/.test(term);
  const program = (env["TERM_PROGRAM"] ?? "").toLowerCase();
  if (!isInside && term !== "dumb") {
    if (env["KITTY_WINDOW_ID"] !== undefined || term === "xterm-kitty" || term === "xterm-ghostty") return "kitty";
    if (KITTY_PROGRAMS.includes(program) || env["KONSOLE_VERSION"] !== undefined) return "kitty";
    if (ITERM_PROGRAMS.includes(program)) return "iterm2";
  }
  const hasSixel = replies.some((reply) => reply.kind === "attributes" && reply.values.includes(SIXEL));
  return hasSixel ? "sixel" : "none";
}
