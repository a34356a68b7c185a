// Starts `lathe` in tmux: in a new session tagged as ours, or in a pane next to an existing one.

import { setTimeout } from "node:timers/promises";
import { ownCommand } from "../../hosts/rpc-client/process.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { closeManaged, type Tags, tagArgs } from "./managed-sessions.ts";
import { isSessionName, optionsFor } from "./profile.ts";
import { type PaneEnd, type PaneStart, START_VARIABLE, StartLink } from "./start-link.ts";
import type { Tmux } from "./tmux.ts";

export interface PaneRequest extends PaneStart {
  readonly cwd: string;
  /** The program and its first arguments, which appear on the command line; by default this command. */
  readonly command?: readonly string[] | undefined;
}

/** The process that starts it. */
export interface Starter {
  readonly tmux: Tmux;
  readonly pid: number;
  /** The folder of the local doors. */
  readonly doors: string;
}

export interface SessionRequest extends PaneRequest {
  readonly name: string;
  readonly tags: Tags;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** If set, clients switch to another session when this one ends, instead of being detached. */
  readonly returnsClient?: boolean;
}

export interface StartedPane {
  readonly paneId: string;
  /** Resolves with the id of its Lathe session, to pass to `joinLocally`. Rejects if it is not open in time. */
  opened(withinMs: number): Promise<string>;
  /** Undefined if it ended without a report. Never resolves after `release`. */
  readonly ended: Promise<PaneEnd | undefined>;
  /** Lets it run on without us. */
  release(): void;
  /** Hangs up the pane. */
  close(): Promise<void>;
}

export interface StartedSession extends StartedPane {
  readonly name: string;
  /** Such as `$3`. */
  readonly id: string;
}

/** Creates a detached tmux session. Rejects if there is one of this name. */
export async function startSession(starter: Starter, request: SessionRequest): Promise<StartedSession> {
  const { tmux } = starter;
  const { name, columns, rows } = request;
  if (!isSessionName(name)) throw usageError(`"${name.slice(0, 80)}" cannot be the name of a session in tmux.`);
  const link = new StartLink(starter.doors, starter.pid, request);
  const size = columns === undefined || rows === undefined ? [] : ["-x", String(columns), "-y", String(rows)];
  const made = ["new-session", "-d", "-P", "-F", "#{session_id} #{pane_id}", "-s", name, "-n", "lathe", ...size];
  let id = "";
  try {
    const { code, stdout, stderr } = await tmux.ask([...made, "-c", request.cwd, ...programOf(request, link)]);
    if (/duplicate session/.test(stderr))
      throw usageError(`There is a session ${name} in tmux already. To go there: ${attachCommand(tmux, name)}`);
    if (code !== 0) throw new CliError(EXIT.failed, `tmux new-session failed: ${stderr.trim().split("\n")[0]}.`);
    const [sessionId = "", paneId = ""] = stdout.trim().split(" ");
    id = sessionId;
    await tagAndConfigure(tmux, sessionId, paneId, request);
    const close = async (): Promise<void> => {
      link.release();
      await closeManaged(tmux, name);
    };
    return { ...startedPane(tmux, paneId, link, close), name, id };
  } catch (error) {
    link.release();
    // The session has no tags yet, so it cannot be found by them.
    if (id !== "") await tmux.ask(["kill-session", "-t", id]);
    throw error;
  }
}

async function tagAndConfigure(tmux: Tmux, id: string, paneId: string, request: SessionRequest): Promise<void> {
  const { session, window } = optionsFor(request.env);
  const { code, stderr } = await tmux.askAll([
    ...tagArgs(id, request.tags),
    ...session.map(([option, value]) => ["set-option", "-q", "-t", id, option, value]),
    ...window.map(([option, value]) => ["set-option", "-q", "-w", "-t", paneId, option, value]),
    ["set-option", "-w", "-t", paneId, "remain-on-exit", "off"],
    ...(request.returnsClient ? [["set-option", "-t", id, "detach-on-destroy", "off"]] : []),
  ]);
  // The session may have ended already; its own output then gives the reason.
  if (code !== 0 && !/can't find|no such|no server|error connecting|no current/i.test(stderr))
    throw new CliError(EXIT.failed, `tmux set-option failed: ${stderr.trim().split("\n")[0]}.`);
}

/** Opens a pane next to one of a session of ours. */
export async function startPane(starter: Starter, beside: string, request: PaneRequest): Promise<StartedPane> {
  const { tmux } = starter;
  const link = new StartLink(starter.doors, starter.pid, request);
  try {
    const split = ["split-window", "-d", "-P", "-F", "#{pane_id}", "-t", beside, "-c", request.cwd];
    const paneId = (await tmux.run([...split, ...programOf(request, link)])).trim();
    const close = async (): Promise<void> => {
      link.release();
      await tmux.ask(["kill-pane", "-t", paneId]);
    };
    return startedPane(tmux, paneId, link, close);
  } catch (error) {
    link.release();
    throw error;
  }
}

/** tmux runs several words as a program with arguments, without a shell. */
const programOf = ({ command = [process.execPath, ownCommand()] }: PaneRequest, { socket }: StartLink): string[] => [
  "env",
  `${START_VARIABLE}=${socket}`,
  ...command,
];

const startedPane = (tmux: Tmux, paneId: string, link: StartLink, close: () => Promise<void>): StartedPane => ({
  paneId,
  ended: link.ended,
  opened: async (withinMs) => {
    const over = new AbortController();
    const late = sleep(withinMs, over.signal).then(() => "late" as const);
    const gone = whenGone(tmux, paneId, over.signal).then(() => "gone" as const);
    // The process's own error comes first, if it reported one.
    const first = await Promise.race([link.opened, late, gone]).finally(() => over.abort());
    if (first === "gone") throw new CliError(EXIT.failed, "The program in the pane ended before its session was open.");
    if (first !== "late") return first;
    throw new CliError(EXIT.failed, `The tmux session was not open within ${Math.ceil(withinMs / 1000)} s.`);
  },
  release: () => link.release(),
  close,
});

const LOOKS_EVERY_MS = 1_000;

/** Resolves when the pane no longer exists: a program that cannot be started, or is not Lathe, reports nothing. */
async function whenGone(tmux: Tmux, paneId: string, signal: AbortSignal): Promise<void> {
  for (let isThere = true; isThere && !signal.aborted; ) {
    await sleep(LOOKS_EVERY_MS, signal);
    // A tmux that does not answer on a busy machine tells nothing about the pane, so look again.
    const answer = await tmux.ask(["display-message", "-p", "-t", paneId, "#{pane_id}"]).catch(() => undefined);
    isThere = answer === undefined || answer.stdout.trim() === paneId;
  }
  await sleep(LOOKS_EVERY_MS, signal);
}

/** Also ends when the signal aborts. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal }).catch(() => {});

/** The command with which a user opens a session. */
export function attachCommand({ program, server }: Tmux, name: string): string {
  return [program, ...server, "attach", "-t", name].join(" ");
}
