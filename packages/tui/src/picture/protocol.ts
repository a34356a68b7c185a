// Which picture protocol a terminal supports, from its environment and its answers.

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
/** The attribute in the terminal's device attributes that means sixel; the first attribute is its class. */
const SIXEL = 4;

/** `LATHE_FORCE_IMAGE_PROTOCOL` is the user's own choice; an unknown name is ignored. */
export function pictureProtocol(env: TerminalEnv, replies: readonly TerminalReply[] = []): PictureProtocol {
  const chosen = NAMES[env["LATHE_FORCE_IMAGE_PROTOCOL"]?.toLowerCase() ?? ""];
  if (chosen !== undefined) return chosen;
  const term = env["TERM"] ?? "";
  if (term === "dumb") return "none";
  const hasSixel = replies.some((reply) => reply.kind === "attributes" && reply.values.slice(1).includes(SIXEL));
  // Most multiplexers show pictures in the wrong place or not at all. Some report that they draw sixel themselves; a
  // user whose multiplexer does it well can allow it.
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
