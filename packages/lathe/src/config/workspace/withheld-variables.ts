// One line about the variables that commands do not see, shown once: a command that lacks one must not fail
// mysteriously, but a line in every session would be a nuisance.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isSecretName, withheldNames } from "@lathe/agent/world";
import { providerRows } from "@lathe/llm/providers";
import { readIfThere } from "../../platform/home/small-file.ts";
import type { Workspace } from "./workspace.ts";

const MOST_NAMES = 6;

/**
 * Variables that identify the terminal, window or desktop: almost every terminal sets some, and no command fails
 * without them.
 */
const OF_THE_TERMINAL = new Set(
  (
    "TMUX TMUX_PANE STY WINDOW WINDOWID TERM_PROGRAM TERM_PROGRAM_VERSION TERM_SESSION_ID TERMINFO COLORFGBG COLUMNS LINES " +
    "VTE_VERSION WT_SESSION WT_PROFILE_ID KITTY_PID KITTY_WINDOW_ID KITTY_INSTALLATION_DIR CMUX_SURFACE_ID ZELLIJ " +
    "ZELLIJ_PANE_ID ZELLIJ_SESSION_NAME KONSOLE_VERSION KONSOLE_DBUS_SESSION KONSOLE_DBUS_WINDOW ITERM_PROFILE " +
    "ITERM_SESSION_ID LC_TERMINAL LC_TERMINAL_VERSION LS_COLORS LESSOPEN LESSCLOSE SSH_TTY SSH_CLIENT SSH_CONNECTION " +
    "XDG_SESSION_ID XDG_SESSION_TYPE XDG_SESSION_CLASS XDG_SESSION_DESKTOP XDG_CURRENT_DESKTOP XDG_SEAT XDG_VTNR"
  ).split(" "),
);

/**
 * Keys for model requests, which commands do not make. Tokens that other programs also use, such as GITHUB_TOKEN, are
 * not among them.
 */
const isForModels = (name: string): boolean =>
  /_(API_KEY|BASE_URL)$/.test(name) &&
  providerRows.some(({ keyEnv, baseUrlEnv = [] }) => keyEnv.includes(name) || baseUrlEnv.includes(name));

const isOfInterest = (name: string): boolean => !name.startsWith("LATHE_") && !OF_THE_TERMINAL.has(name);

/** Every variable that commands do not see, except those that describe the terminal. */
export function withheldVariables({ env, settings }: Workspace): readonly string[] {
  const rules = { policy: settings["shell.environment"], pass: settings["shell.env.pass"] };
  return withheldNames(env, rules).filter(isOfInterest);
}

/**
 * Undefined if all of them were reported before, according to the file, or in this run if the file cannot be written.
 */
export function withheldNotice({ paths, reported: said }: Workspace, names: readonly string[]): string | undefined {
  const known = new Set([...namesIn(paths.withheldMemory), ...said.variables]);
  const fresh = names.filter((name) => !known.has(name) && isOfInterest(name) && !isForModels(name));
  if (fresh.length === 0) return undefined;
  for (const name of fresh) said.variables.add(name);
  remember(paths.withheldMemory, [...known, ...fresh]);
  // The variables that programs most likely need come first.
  const sorted = [...fresh.filter(isSecretName), ...fresh.filter((name) => !isSecretName(name))];
  const more = fresh.length > MOST_NAMES ? ` and ${fresh.length - MOST_NAMES} more` : "";
  const those = sorted.slice(0, MOST_NAMES).join(", ") + more;
  return `Commands do not see these environment variables: ${those}. To pass them: lathe config set shell.env.pass <name>,<name>`;
}

function namesIn(file: string): Set<string> {
  try {
    return new Set(readIfThere(file)?.split("\n"));
  } catch {
    return new Set(); // unreadable: shown again
  }
}

/** If the home directory cannot be written, each run shows the line, no more. */
function remember(file: string, names: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, [...names].sort().join("\n"), { mode: 0o600 });
  } catch {
    // Other parts of the run report the problem when it matters.
  }
}
