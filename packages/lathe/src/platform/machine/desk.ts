// Describes the user's terminal, desktop and shell, from the variables that those set.

import { basename } from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

export interface Desk {
  readonly terminal?: string;
  readonly desktop?: string;
  readonly shell?: string;
}

export function deskOf(env: Variables): Desk {
  const [terminal, desktop, shell] = [terminalOf(env), desktopOf(env), env["SHELL"] && basename(env["SHELL"])].map(
    clean,
  );
  return {
    ...(terminal ? { terminal } : {}),
    ...(desktop ? { desktop } : {}),
    ...(shell ? { shell } : {}),
  };
}

function terminalOf(env: Variables): string | undefined {
  const name =
    env["TERM_PROGRAM"] ||
    env["TERMINAL_EMULATOR"] ||
    (env["KITTY_WINDOW_ID"] && "kitty") ||
    (env["WT_SESSION"] && "Windows Terminal");
  const version = env["TERM_PROGRAM"] ? env["TERM_PROGRAM_VERSION"] : undefined;
  return name && version ? `${name} ${version}` : name;
}

function desktopOf(env: Variables): string | undefined {
  return env["XDG_CURRENT_DESKTOP"] || (env["KDE_FULL_SESSION"] && "KDE") || env["DESKTOP_SESSION"] || undefined;
}

const LONGEST = 80;

/** This becomes a line of the first message: a variable's value must not turn into several. */
const clean = (text: string | undefined): string | undefined =>
  text
    ?.replace(/[\p{Cc}\p{Zl}\p{Zp}<>]+/gu, " ")
    .trim()
    .slice(0, LONGEST);
