// Control sequences other than rows: modes, queries, title, notification, clipboard.

import { isMultiplexed } from "../picture/protocol.ts";
import { visibleLine } from "../rows/visible.ts";

const ESC = "\x1b";
const BEL = "\x07";

export type TerminalEnv = Readonly<Record<string, string | undefined>>;

const isOff = (value: string | undefined): boolean => value !== undefined && /^(0|false|off|no)$/i.test(value);

export const wantsKeyboardProtocol = (env: TerminalEnv): boolean => !isOff(env.LATHE_TUI_KEYBOARD_PROTOCOL);
const wantsNotifications = (env: TerminalEnv): boolean => !isOff(env.LATHE_NOTIFICATIONS);
/** Consoles that print sequences they do not know. */
const isConsole = (env: TerminalEnv): boolean => /^(linux|dumb)$/.test(env.TERM ?? "");

/**
 * Bracketed paste, focus reports, and distinct keys that would otherwise be the same byte (kitty keyboard protocol,
 * level 1).
 */
export function enterModes(env: TerminalEnv): string {
  const keyboard = wantsKeyboardProtocol(env) && !isConsole(env) ? `${ESC}[>1u` : "";
  return `${ESC}[?2004h${ESC}[?1004h${isConsole(env) ? "" : `${ESC}[?2031h`}${keyboard}`;
}

/**
 * Resets all modes, and whatever an incomplete frame may have left: style, link, wrapping, cursor, synchronized output.
 */
export function leaveModes(
  env: TerminalEnv,
  is: { readonly alternate: boolean; readonly titled: boolean; readonly otherKeys: boolean },
): string {
  const keyboard = wantsKeyboardProtocol(env) && !isConsole(env) ? `${ESC}[<u` : "";
  return [
    is.alternate ? `${ESC}[?1049l` : "",
    `${ESC}[m${isConsole(env) ? "" : `${ESC}]8;;${ESC}\\`}${ESC}[?7h${ESC}[?25h`,
    is.otherKeys ? `${ESC}[>4;0m` : "",
    keyboard,
    isConsole(env) ? "" : `${ESC}[?2031l`,
    `${ESC}[?1004l${ESC}[?2004l${ESC}[?2026l`,
    is.titled ? `${ESC}[23;0t` : "",
  ].join("");
}

/** Asks for the cell size in pixels. */
export const CELL_QUESTION = `${ESC}[16t`;
/** Asks whether it supports kitty pictures: one pixel that is only checked, not shown. */
const GRAPHICS_QUESTION = `${ESC}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA${ESC}\\`;

/**
 * Queries the background colour, dark or light mode, name, synchronized output, pictures and keyboard. The last query
 * is one that every terminal answers, so that silence before it means no.
 */
export function questions(env: TerminalEnv): string {
  if (isConsole(env)) return "";
  const keyboard = wantsKeyboardProtocol(env) ? `${ESC}[?u` : "";
  return `${ESC}]11;?${ESC}\\${ESC}[?996n${ESC}[>0q${ESC}[?2026$p${pictureQuestions(env)}${keyboard}${ESC}[c`;
}

/** tmux takes the picture query for a title, and Apple's terminal prints it. */
function pictureQuestions(env: TerminalEnv): string {
  if (env.LATHE_FORCE_IMAGE_PROTOCOL === "none") return "";
  const isSafe = !isMultiplexed(env) && env.TERM_PROGRAM !== "Apple_Terminal";
  return CELL_QUESTION + (isSafe ? GRAPHICS_QUESTION : "");
}

/** For terminals without the kitty protocol: report modified keys that have no byte of their own. */
export const REPORT_OTHER_KEYS = `${ESC}[>4;1m`;

export const pushTitle = `${ESC}[22;0t`;
export const titleSequence = (text: string): string => `${ESC}]0;${visibleLine(text)}${BEL}`;

/** In the terminal's own way, or a bell if it has none; "" if the user wants no notifications. */
export function notificationSequence(text: string, env: TerminalEnv): string {
  if (!wantsNotifications(env)) return "";
  const line = visibleLine(text).replaceAll(";", ",");
  const program = (env.TERM_PROGRAM ?? env.LC_TERMINAL ?? "").toLowerCase();
  if (env.KITTY_WINDOW_ID !== undefined || env.TERM === "xterm-kitty")
    return throughTmux(`${ESC}]99;;${line}${ESC}\\`, env);
  if (/iterm|wezterm|ghostty|warp/.test(program) || env.WT_SESSION !== undefined)
    return throughTmux(`${ESC}]9;${line}${BEL}`, env);
  if (/^(foot|rxvt)/.test(env.TERM ?? "") || env.VTE_VERSION !== undefined)
    return throughTmux(`${ESC}]777;notify;${line};${BEL}`, env);
  return BEL;
}

/**
 * Copies to the clipboard of the user's machine, even over ssh. tmux accepts the plain form only if configured,
 * otherwise the wrapped one.
 */
export function copySequence(text: string, env: TerminalEnv): string {
  const sequence = `${ESC}]52;c;${Buffer.from(text, "utf8").toString("base64")}${BEL}`;
  return env.TMUX === undefined ? sequence : sequence + throughTmux(sequence, env);
}

const throughTmux = (sequence: string, env: TerminalEnv): string =>
  env.TMUX === undefined ? sequence : `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
