// Sessions of a namespace: started in tmux with a local door, restarted after their process has died, or adopted from
// an existing pane.

import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { oneLine } from "@lathe/agent/base";
import { isDead, processStartTime } from "@lathe/agent/record";
import { messageOf } from "@lathe/llm";
import { ownCommand } from "../../hosts/rpc-client/process.ts";
import { localSessions } from "../local/local-door.ts";
import { findManaged, listManaged } from "../tmux/managed-sessions.ts";
import { startSession } from "../tmux/start-session.ts";
import { allowedPath, VARIABLE } from "./configuration.ts";
import { CoordinatorRefusal } from "./contract.ts";
import { COORDINATOR, type Coordinator } from "./coordinator.ts";
import { findPane, sessionInPane } from "./panes.ts";
import { type SessionFacts, type Starter, starterFacts } from "./state.ts";
import { sessionOf } from "./turn-moves.ts";

/** MCP clients wait a minute for a reply. */
const OPENS_WITHIN_MS = 40_000;
const MOST_SHOWN = 300;
/** Processes of a killed session may use its isolated copy for a moment longer. */
const COPY_IS_IN_USE = /There is an isolated copy named|Another process is using the isolated copy/;
const COPY_IS_LEFT_WITHIN_MS = 10_000;
const COPY_STEP_MS = 250;
const MOST_PATH = 1_000;
/** A session has the same name in tmux and here. */
const NAME = "lathe-coordinator-";

export async function startNew(coordinator: Coordinator, cwd: string): Promise<SessionFacts> {
  const { configuration, journal, machine } = coordinator;
  if (!isAbsolute(cwd)) throw new CoordinatorRefusal("invalid_arguments", "cwd is an absolute path.");
  const command = commandOf(coordinator);
  const real = folderAt(coordinator, cwd);
  const sessionId = NAME + machine.deps.uuid().slice(0, 8);
  checkLength(real);
  await journal.change((state) => {
    if (state.sessions.has(sessionId)) throw new CoordinatorRefusal("name_taken", "Try again: the name was taken.");
    const metadata = { cwd: real, way: "door", tmux: sessionId, ...starterFacts(starterOf(coordinator)) };
    const summary = `A session starts in a tmux pane (${configuration.profile}/${configuration.repo}).`;
    return { events: [{ kind: "session.starting", session_id: sessionId, summary, metadata }], result: undefined };
  });
  return openInPane(coordinator, sessionId, real, inWorktree(command, sessionId));
}

/** Opens the same session in a new process, from its journal. */
export async function startAgain(coordinator: Coordinator, sessionId: string): Promise<SessionFacts> {
  const { journal, records, doors, tmux } = coordinator;
  const command = commandOf(coordinator);
  journal.refresh();
  const before = sessionOf(journal.state, sessionId);
  if (before.phase === "starting") await finishStarts(coordinator);
  const known = sessionOf(journal.state, sessionId);
  if (before.phase === "starting" && known.phase === "open") return known;
  const { cwd, way, latheSession } = known;
  if (way === "paste")
    throw new CoordinatorRefusal(
      "not_ours",
      "This session was not started here. Restart it in its pane, then register the pane.",
    );
  const real = folderAt(coordinator, cwd);
  const living = latheSession === undefined ? [] : await localSessions(doors, COORDINATOR);
  if (living.some((one) => one.sessionId === latheSession) || (await findManaged(tmux, sessionId)))
    throw new CoordinatorRefusal("session_lives", "The process of this session is still running.");
  const path = latheSession === undefined ? undefined : records.pathOf(latheSession);
  const words = inWorktree(command, sessionId);
  await journal.change(() => {
    const summary = "The session is restarted.";
    const metadata = starterFacts(starterOf(coordinator));
    return { events: [{ kind: "session.starting", session_id: sessionId, summary, metadata }], result: undefined };
  });
  return openInPane(coordinator, sessionId, real, path === undefined ? words : [...words, "--session", path]);
}

/** Completes starts whose coordinator was killed: the session may have opened anyway, or failed. */
export async function finishStarts(coordinator: Coordinator): Promise<void> {
  const { journal, tmux } = coordinator;
  const starting = [...journal.state.sessions.values()].filter(({ phase }) => phase === "starting");
  if (starting.length === 0) return;
  let managed: Awaited<ReturnType<typeof listManaged>>;
  try {
    managed = await listManaged(tmux);
  } catch {
    return; // without tmux's answer, we know nothing about them
  }
  for (const session of starting) {
    const found = managed.find(({ name }) => name === session.sessionId);
    const pane = found?.panes.find((one) => one.latheSession);
    if (pane?.latheSession !== undefined)
      await markOpen(coordinator, session.sessionId, pane.latheSession, pane.paneId);
    else if (!found && isAbandoned(coordinator, session)) await markFailed(coordinator, session);
  }
}

/** Whether a session is starting whose coordinator has died, so that another one must find out what became of it. */
export const hasAbandonedStarts = (coordinator: Coordinator): boolean =>
  [...coordinator.journal.state.sessions.values()].some(
    (session) => session.phase === "starting" && isAbandoned(coordinator, session),
  );

const isAbandoned = ({ machine }: Coordinator, { starter }: SessionFacts): boolean =>
  !starter || isDead(starter, machine);

const starterOf = ({ machine: { pid, host } }: Coordinator): Starter => ({
  ...{ pid, host },
  startTime: processStartTime(pid),
});

/** Marks the start as failed, unless another coordinator is starting the session by now. */
const markFailed = ({ journal }: Coordinator, { sessionId, starter }: SessionFacts): Promise<void> =>
  journal.change((state) => {
    const now = state.sessions.get(sessionId);
    const isSame = now?.phase === "starting" && now.starter?.pid === starter?.pid;
    const summary = "The coordinator that started the session ended before it was open.";
    return { events: isSame ? [{ kind: "session.failed", session_id: sessionId, summary }] : [], result: undefined };
  });

export async function register(coordinator: Coordinator, sessionId: string, paneId: string): Promise<SessionFacts> {
  const { journal } = coordinator;
  const pane = await findPane(coordinator, paneId);
  if (!pane) throw new CoordinatorRefusal("pane_gone", `There is no running pane ${paneId} on this tmux server.`);
  const cwd = folderAt(coordinator, pane.cwd);
  checkLength(cwd);
  const session = await sessionInPane(coordinator, pane);
  if (!session)
    throw new CoordinatorRefusal(
      "no_session",
      "No Lathe session with a message is in the foreground of this pane. Type /serve there, or send a message first.",
    );
  const { latheSession, way } = session;
  const own = coordinator.records.cwdOf(latheSession);
  if (own !== undefined) allowedPath(coordinator.configuration, own);
  return journal.change((state) => {
    const known = state.sessions.get(sessionId);
    if (known && known.latheSession !== latheSession)
      throw new CoordinatorRefusal("name_taken", "Another session has this name. Choose another one.");
    // Two names for one session would allow two turns at once. A session that is still starting can only be recognized
    // by its tmux name.
    const other = [...state.sessions.values()].find(
      (one) =>
        one.sessionId !== sessionId &&
        (one.latheSession === latheSession || (one.phase === "starting" && one.sessionId === pane.tmuxName)),
    );
    if (other)
      throw new CoordinatorRefusal("already_registered", `This pane is the session ${other.sessionId} already.`, {
        session_id: other.sessionId,
      });
    const metadata = { cwd, way, lathe_session: latheSession, pane: paneId, tmux: pane.tmuxName };
    const summary = "A tmux pane was adopted.";
    const result: SessionFacts = {
      sessionId,
      cwd,
      way,
      phase: "open",
      latheSession,
      pane: paneId,
      tmuxName: pane.tmuxName,
    };
    return { events: [{ kind: "session.registered", session_id: sessionId, summary, metadata }], result };
  });
}

function commandOf({ configuration: { sessionCommand } }: Coordinator): readonly string[] {
  if (sessionCommand) return sessionCommand;
  throw new CoordinatorRefusal(
    "no_session_command",
    `No session can be started: set ${VARIABLE}SESSION_COMMAND, such as "lathe --worktree".`,
  );
}

/** Names the isolated copy after the session; an unnamed one could not be found again. */
function inWorktree(command: readonly string[], name: string): readonly string[] {
  return command.flatMap((word, at) => {
    const next = command[at + 1];
    return word === "--worktree" && (next === undefined || next.startsWith("-")) ? [word, name] : [word];
  });
}

function folderAt({ configuration }: Coordinator, path: string): string {
  const real = allowedPath(configuration, path);
  if (statSync(real).isDirectory()) return real;
  throw new CoordinatorRefusal("not_a_folder", "This path is not a folder.");
}

function checkLength(path: string): void {
  if (path.length > MOST_PATH)
    throw new CoordinatorRefusal("path_too_long", `The path is longer than ${MOST_PATH} characters.`);
}

async function openInPane(
  coordinator: Coordinator,
  name: string,
  cwd: string,
  command: readonly string[],
): Promise<SessionFacts> {
  const until = performance.now() + COPY_IS_LEFT_WITHIN_MS;
  for (;;) {
    try {
      return await openOnce(coordinator, name, cwd, command);
    } catch (error) {
      if (COPY_IS_IN_USE.test(messageOf(error)) && performance.now() < until) {
        await sleep(COPY_STEP_MS);
        continue;
      }
      const summary = "The session could not be started.";
      await coordinator.journal.change(() => ({
        events: [{ kind: "session.failed", session_id: name, summary }],
        result: undefined,
      }));
      throw new CoordinatorRefusal("start_failed", messageOf(error), { session_id: name });
    }
  }
}

async function openOnce(
  coordinator: Coordinator,
  name: string,
  cwd: string,
  [program = "", ...rest]: readonly string[],
): Promise<SessionFacts> {
  const { tmux, machine, doors } = coordinator;
  // The tmux server's PATH may have a different `lathe`, or none.
  const command = program === "lathe" ? [process.execPath, ownCommand(), ...rest] : [program, ...rest];
  const env = Object.fromEntries(Object.entries(machine.env).filter(([variable]) => !variable.startsWith(VARIABLE)));
  const started = await startSession(
    { tmux, pid: machine.pid, doors },
    {
      ...{ name, cwd, env, command },
      args: [],
      endsWithStarter: false,
      tags: { owner: "coordinator", project: cwd },
    },
  );
  let hasEnded = false;
  void started.ended.then(() => {
    hasEnded = true;
  });
  try {
    const latheSession = await started.opened(OPENS_WITHIN_MS);
    return await markOpen(coordinator, name, latheSession, started.paneId);
  } catch (error) {
    // A process that has ended has reported its reason.
    const shown = hasEnded ? "" : await paneText(coordinator, started.paneId);
    // The tmux server may have ended with its last session; report the original error, not this one.
    await started.close().catch(() => undefined);
    throw shown === "" ? error : new Error(`${messageOf(error)} Its pane shows: ${shown}`, { cause: error });
  } finally {
    started.release();
  }
}

/** What the pane shows: it may ask for something that only a user can answer, such as a key. */
async function paneText({ tmux }: Coordinator, pane: string): Promise<string> {
  const { code, stdout } = await tmux.ask(["capture-pane", "-p", "-t", pane]);
  const words = oneLine(stdout.replace(/[─━]+/g, " "));
  return code === 0 ? words.slice(0, MOST_SHOWN).toWellFormed() : "";
}

function markOpen({ journal }: Coordinator, name: string, latheSession: string, pane: string): Promise<SessionFacts> {
  return journal.change((state) => {
    const known = sessionOf(state, name);
    const result: SessionFacts = { ...known, phase: "open", latheSession, pane };
    const metadata = { lathe_session: latheSession, pane };
    const summary = "The session is open.";
    return { events: [{ kind: "session.started", session_id: name, summary, metadata }], result };
  });
}
