// What the terminal can display: how many colours, and whether its background is dark.

import type { TerminalReply } from "../keys/key.ts";
import type { ThemeDefinition } from "./definition.ts";
import { isHex, luminance, rgbOf } from "./palette.ts";

export type ColourMode = "truecolor" | "256" | "none";
export type Appearance = "dark" | "light";
type Environment = Readonly<Record<string, string | undefined>>;

export function colourMode(env: Environment): ColourMode {
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return "none";
  if (env["COLORTERM"] === "truecolor" || env["COLORTERM"] === "24bit" || env["WT_SESSION"] !== undefined) {
    return "truecolor";
  }
  const term = env["TERM"] ?? "";
  if (term === "" || term === "linux") return "256";
  // Two common terminals garble 24-bit colours: GNU screen without tmux, and Apple's Terminal.
  const screenAlone = term.startsWith("screen") && env["TMUX"] === undefined;
  return screenAlone || env["TERM_PROGRAM"] === "Apple_Terminal" ? "256" : "truecolor";
}

/** From the terminal's answer about its background, otherwise from the environment, otherwise dark. */
export function appearance(reply: TerminalReply | undefined, env: Environment): Appearance {
  if (reply?.kind === "background") return luminance([reply.red, reply.green, reply.blue]) < 0.5 ? "dark" : "light";
  if (reply?.kind === "appearance") return reply.dark ? "dark" : "light";
  const background = /;(\d{1,2})$/.exec(env["COLORFGBG"] ?? "")?.[1];
  return background !== undefined && Number(background) >= 8 ? "light" : "dark";
}

/** Whether a theme is made for light backgrounds, judged by the backgrounds it draws itself. */
export function isLightTheme({ colors }: ThemeDefinition): boolean {
  const drawn = [colors.userMessageBg, colors.selectedBg].find((colour) => typeof colour === "string" && isHex(colour));
  return typeof drawn === "string" && luminance(rgbOf(drawn)) >= 0.5;
}
