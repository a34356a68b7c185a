// `lathe attach [id|url]`: follows, in this terminal, a session that another process has opened to others.

import type { Attached } from "../../doors/attach/attach.ts";
import { terminalClient } from "../../doors/attach/terminal-client.ts";
import type { DoorRecord } from "../../doors/local/door-records.ts";
import { joinLocally, localSessions } from "../../doors/local/local-door.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { askSecret } from "./ask-secret.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

export const attachCommand: Command = async (argv, machine) => {
  const { positionals } = verbArgs(argv, {}, "attach");
  const [target, ...more] = positionals;
  if (more.length > 0) throw usageError(`Give one session, not ${positionals.length}. See: lathe attach --help`);
  const attached = /^https?:\/\//i.test(target ?? "")
    ? await attachToServer(String(target), machine)
    : await attachLocally(target, machine);
  const { attach } = await import("../../doors/attach/attach.ts");
  return attach(attached, machine);
};

async function attachToServer(address: string, machine: Machine): Promise<Attached> {
  const { servedSession } = await import("../../doors/attach/served-session.ts");
  const askCode = machine.stdin.isTTY ? () => askSecret("One-time code (lathe serve link): ", machine) : undefined;
  const token = machine.env["LATHE_SERVE_TOKEN"];
  return servedSession({ address, token, askCode, client: terminalClient(machine) });
}

async function attachLocally(target: string | undefined, machine: Machine): Promise<Attached> {
  const { doors } = homePaths(machine.env, machine.userHome);
  const client = terminalClient(machine);
  const open = await localSessions(doors, client);
  const found = open.filter(({ sessionId }) => sessionId.startsWith(target ?? ""));
  const [only] = found;
  if (!only || found.length > 1) throw usageError(notOne(target, found.length > 1 ? found : open, machine));
  const door = await joinLocally(doors, only.sessionId, client);
  if (!door) throw usageError(notOne(only.sessionId, [], machine));
  return { door, client };
}

function notOne(target: string | undefined, open: readonly DoorRecord[], { userHome }: Machine): string {
  const begin = target === undefined ? "Name a session." : `No single open session begins with "${target}".`;
  if (open.length === 0)
    return `${target === undefined ? "" : `${begin} `}No session is open to others here. Open one with /serve in it, or with lathe serve.`;
  const rows = open.map(({ sessionId, cwd }) => `${sessionId.slice(0, 8)} (${shownPath(cwd, userHome)})`);
  return `${begin} Open to others: ${rows.join(", ")}`;
}
