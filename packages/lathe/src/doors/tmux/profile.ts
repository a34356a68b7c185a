// Environment variables for sessions in tmux: whether runs start there, the session's name, and its tmux options.

import { usageError } from "../../platform/usage/exit.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A name that tmux can only read as one session. */
export const isSessionName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name);

export function sessionNameFrom(env: Variables): string | undefined {
  const name = env["LATHE_TMUX_SESSION"];
  if (!name) return undefined;
  if (isSessionName(name)) return name;
  throw usageError(
    `LATHE_TMUX_SESSION is a name of letters, digits, "-" and "_", 64 at most. Not "${name.slice(0, 80)}".`,
  );
}

/** Checks the variable that decides whether runs at a terminal start in tmux by default. */
export function checkLaunchPolicy({ LATHE_LAUNCH_POLICY: policy = "" }: Variables): void {
  if (!["", "tmux", "direct"].includes(policy))
    throw usageError(`LATHE_LAUNCH_POLICY is tmux or direct, not "${policy.slice(0, 80)}".`);
}

const isOff = (value: string | undefined): boolean => ["0", "false", "off"].includes((value ?? "").toLowerCase());

/** Whether to set no tmux options except the tags. */
export const isProfileOff = (env: Variables): boolean => isOff(env["LATHE_TMUX_PROFILE"]);

/** Options of the session and its window. Server options are left alone, since they affect other sessions. */
export function optionsFor(env: Variables): { readonly session: Options; readonly window: Options } {
  if (isProfileOff(env)) return { session: [], window: [] };
  return {
    session: isOff(env["LATHE_MOUSE"]) ? [] : [["mouse", "on"]],
    // Lets copied text reach the user's clipboard. `set-clipboard` would too, but is a server option.
    window: [
      ["allow-passthrough", "on"],
      ["mode-style", "bg=yellow,fg=black"],
    ],
  };
}

type Options = readonly (readonly [name: string, value: string])[];
