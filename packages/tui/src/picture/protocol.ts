// Which way of showing pictures a terminal understands, from its environment and its own answers.

import type { TerminalReply } from "../keys/key.ts";

export type PictureProtocol = "kitty" | "iterm2" | "sixel" | "none";
type TerminalEnv = Readonly<Record<string, string | undefined>>;

const NAMES: Readonly<Record<string, PictureProtocol>> = {
  kitty: "kitty",
  iterm2: "iterm2",
  iterm: "iterm2",
  sixel: "sixel",
  none: "none",
};
const KITTY_PROGRAMS = ["ghostty", "kitty"];
const ITERM_PROGRAMS = ["iterm.app", "wezterm", "mintty", "rio"];
/** Attribute of the terminal's answer to "what are you" that means sixel; the first of them is its class. */
const SIXEL = 4;

/** `LATHE_FORCE_IMAGE_PROTOCOL` is the person's own choice; a name that means nothing is no choice. */
export function pictureProtocol(env: TerminalEnv, replies: readonly TerminalReply[] = []): PictureProtocol {
  const chosen = NAMES[env["LATHE_FORCE_IMAGE_PROTOCOL"]?.toLowerCase() ?? ""];
  if (chosen !== undefined) return chosen;
  const term = env["TERM"] ?? "";
  if (term === "dumb") return "none";
  const hasSixel = replies.some((reply) => reply.kind === "attributes" && reply.values.slice(1).includes(SIXEL));
  // A multiplexer shows the pictures of others in the wrong place or not at all. Some draw sixel themselves and say so: a user who has one
  // that does it well allows it.
  if (isMultiplexed(env)) return hasSixel && isOn(env["LATHE_ALLOW_SIXEL_PASSTHROUGH"]) ? "sixel" : "none";
  const program = (env["TERM_PROGRAM"] ?? "").toLowerCase();
  if (env["KITTY_WINDOW_ID"] !== undefined || term === "xterm-kitty" || term === "xterm-ghostty") return "kitty";
  if (KITTY_PROGRAMS.includes(program) || env["KONSOLE_VERSION"] !== undefined) return "kitty";
  if (ITERM_PROGRAMS.includes(program)) return "iterm2";
  if (replies.some(({ kind }) => kind === "graphics")) return "kitty";
  return hasSixel ? "sixel" : "none";
}

export const isMultiplexed = (env: TerminalEnv): boolean =>
  env["TMUX"] !== undefined ||
  env["ZELLIJ"] !== undefined ||
  env["STY"] !== undefined ||
  /^(?:screen|tmux)/.test(env["TERM"] ?? "");

const isOn = (value: string | undefined): boolean => value !== undefined && /^(?:1|true|on|yes)$/i.test(value);
