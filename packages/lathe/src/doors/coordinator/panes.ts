// Panes that were started by others: which Lathe session runs there, and how to paste a prompt. A prompt is only pasted
// while Lathe is in the foreground of the pane: a shell would run it as a command.

import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { lockHolder } from "@lathe/agent/record";
import { homePaths } from "../../platform/home/paths.ts";
import { followBreadcrumb } from "../../sessions/breadcrumb.ts";
import { idOf } from "../../sessions/find.ts";
import { listRecords } from "../local/door-records.ts";
import { isPaneId, pasteText } from "../tmux/paste.ts";
import { CoordinatorRefusal } from "./contract.ts";
import type { Coordinator } from "./coordinator.ts";
import type { SessionFacts } from "./state.ts";

const ANSWERS_WITHIN_MS = 5_000;
const SEPARATOR = "␞";

export interface Pane {
  readonly paneId: string;
  readonly tmuxName: string;
  /** Its terminal device, such as /dev/pts/3. */
  readonly tty: string;
  readonly cwd: string;
}

/** Undefined if there is no such pane, or its process has ended. */
export async function findPane({ tmux }: Coordinator, paneId: string): Promise<Pane | undefined> {
  if (!isPaneId(paneId)) throw new CoordinatorRefusal("unsafe_id", "This is not a tmux pane, such as %3.");
  const format = ["pane_id", "session_name", "pane_tty", "pane_dead", "pane_current_path"].map((name) => `#{${name}}`);
  const { code, stdout } = await tmux.ask(["display-message", "-p", "-t", paneId, format.join(SEPARATOR)]);
  const [found, tmuxName = "", tty = "", dead, cwd = ""] = stdout.trimEnd().split(SEPARATOR);
  return code === 0 && found === paneId && dead !== "1" ? { paneId, tmuxName, tty, cwd } : undefined;
}

/** The Lathe session in the foreground of a pane. */
export interface SessionInPane {
  readonly latheSession: string;
  readonly way: SessionFacts["way"];
}

export async function sessionInPane(coordinator: Coordinator, { tty, cwd }: Pane): Promise<SessionInPane | undefined> {
  const { doors, machine } = coordinator;
  for (const { pid, sessionId } of listRecords(doors))
    if (await isInForeground(pid, tty)) return { latheSession: sessionId, way: "door" };
  const { terminalSessions } = homePaths(machine.env, machine.userHome);
  const terminal = tty.replace(/[^A-Za-z0-9_-]/g, "-").replace(/^-+/, "");
  const path = followBreadcrumb(terminalSessions, terminal, cwd);
  const holder = path === undefined ? undefined : lockHolder(`${realpathSync(path)}.lock`, machine);
  if (path === undefined || holder?.pid === undefined || holder.dead) return undefined;
  return (await isInForeground(holder.pid, tty)) ? { latheSession: idOf(path), way: "paste" } : undefined;
}

/** A process that is suspended or behind another program would not get typed text. */
function isInForeground(pid: number, tty: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("ps", ["-o", "tty=,stat=", "-p", String(pid)], { timeout: ANSWERS_WITHIN_MS }, (error, stdout) => {
      const [name = "", stat = ""] = stdout.trim().split(/\s+/);
      resolve(!error && `/dev/${name}` === tty && stat.includes("+") && !stat.startsWith("T"));
    });
  });
}

/** Rejects with a reason if the session is no longer there; then nothing was pasted. */
export async function pastePrompt(
  coordinator: Coordinator,
  { pane, latheSession }: SessionFacts,
  turnId: string,
  prompt: string,
): Promise<void> {
  const found = pane === undefined ? undefined : await findPane(coordinator, pane);
  const session = found && (await sessionInPane(coordinator, found));
  if (!found || session?.latheSession !== latheSession)
    throw new CoordinatorRefusal("session_gone", "The session is no longer in its pane. Nothing was typed there.");
  await pasteText(coordinator.tmux, found.paneId, prompt, { name: `lathe-${turnId}`, isSent: true });
}
