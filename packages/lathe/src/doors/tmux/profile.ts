// What the variables say about sessions in tmux: whether runs start there, the name, and which options a session of ours gets.

import { usageError } from "../../platform/usage/exit.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A name that means one session and nothing else to tmux. */
export const isSessionName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name);

export function sessionNameFrom(env: Variables): string | undefined {
  const name = env["LATHE_TMUX_SESSION"];
  if (!name) return undefined;
  if (isSessionName(name)) return name;
  throw usageError(
    `LATHE_TMUX_SESSION is a name of letters, digits, "-" and "_", 64 at most. Not "${name.slice(0, 80)}".`,
  );
}

/** Whether runs at a terminal start in tmux without being told to. */
export function checkLaunchPolicy({ LATHE_LAUNCH_POLICY: policy = "" }: Variables): void {
  if (!["", "tmux", "direct"].includes(policy))
    throw usageError(`LATHE_LAUNCH_POLICY is tmux or direct, not "${policy.slice(0, 80)}".`);
}

const isOff = (value: string | undefined): boolean => ["0", "false", "off"].includes((value ?? "").toLowerCase());

/** Nothing but the tags is set. */
export const isProfileOff = (env: Variables): boolean => isOff(env["LATHE_TMUX_PROFILE"]);

/** Options of the session and of its window. Nothing of the server: other sessions have the same one. */
export function optionsFor(env: Variables): { readonly session: Options; readonly window: Options } {
  if (isProfileOff(env)) return { session: [], window: [] };
  return {
    session: isOff(env["LATHE_MOUSE"]) ? [] : [["mouse", "on"]],
    // Copies of the screen reach the user's clipboard: `set-clipboard` would do that too, but belongs to the whole server.
    window: [
      ["allow-passthrough", "on"],
      ["mode-style", "bg=yellow,fg=black"],
    ],
  };
}

type Options = readonly (readonly [name: string, value: string])[];
