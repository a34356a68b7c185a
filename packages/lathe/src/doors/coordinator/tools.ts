// Runs one tool call, independent of the transport: checks arguments, ids and permission for changes, and returns the
// reply as data.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@lathe/llm";
import { Checker } from "@lathe/llm/schema";
import { artifactsOf, readArtifact } from "./artifacts.ts";
import { checkMutation } from "./configuration.ts";
import {
  CoordinatorRefusal,
  LONGEST_WAIT_MS,
  MOST_EVENTS,
  SCHEMA_VERSION,
  TOOLS,
  type ToolName,
  type ToolParams,
} from "./contract.ts";
import type { CoordinatorEvent } from "./events.ts";
import { safeQuestionId, safeSessionId, safeTurnId } from "./ids.ts";
import { writePayload } from "./payloads.ts";
import { answerQuestion, questionsOf } from "./questions.ts";
import { coordinationStatus, type Reader, sessionRow, tailOf, turnReply } from "./reading.ts";
import { register, startAgain, startNew } from "./sessions.ts";
import { hasEnded, type SessionFacts, type TurnFacts } from "./state.ts";
import { beginTurn, report, sessionOf, turnOf } from "./turn-moves.ts";

type Handler<K extends ToolName> = (reader: Reader, params: ToolParams<K>, signal: AbortSignal) => Promise<object>;

/** The reply, and whether it is a refusal. Only a bug rejects. */
export interface ToolReply {
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

const CHECKERS = new Map<ToolName, Checker>();

export async function callTool(reader: Reader, name: ToolName, args: unknown, signal: AbortSignal): Promise<ToolReply> {
  try {
    const checker = CHECKERS.get(name) ?? new Checker(TOOLS[name].params);
    CHECKERS.set(name, checker);
    const wrong = checker.wrongIn(args);
    if (wrong !== undefined) throw new CoordinatorRefusal("invalid_arguments", `${wrong}.`);
    const params = args as ToolParams<typeof name> & { readonly allow_mutation?: boolean };
    const { needs } = TOOLS[name];
    if (needs !== undefined) checkMutation(reader.coordinator.configuration, needs, params.allow_mutation);
    reader.coordinator.journal.refresh();
    const data = await (HANDLERS[name] as Handler<ToolName>)(reader, params, signal);
    return { data: { ok: true, schema_version: SCHEMA_VERSION, ...data }, isError: false };
  } catch (error) {
    return { data: { ok: false, schema_version: SCHEMA_VERSION, error: errorReply(error) }, isError: true };
  }
}

function errorReply(error: unknown): object {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const more = error instanceof CoordinatorRefusal ? error.more : {};
  return { code: typeof code === "string" ? code : "failed", message: messageOf(error), ...more };
}

const HANDLERS: { readonly [K in ToolName]: Handler<K> } = {
  list_sessions: async (reader) => {
    await reader.keepers.finishStarts();
    const { sessions } = reader.coordinator.journal.state;
    return { sessions: await Promise.all([...sessions.values()].map((session) => sessionRow(reader, session))) };
  },
  read_status: async (reader, { session_id }) => {
    await reader.keepers.finishStarts();
    return { session: await sessionRow(reader, sessionHere(reader, session_id)) };
  },
  read_tail: async (reader, { session_id, lines }) => ({
    session_id,
    lines: tailOf(reader, sessionHere(reader, session_id), lines),
  }),
  list_questions: async (reader, { session_id }) => {
    const { sessions } = reader.coordinator.journal.state;
    const asked = session_id === undefined ? [...sessions.values()] : [sessionHere(reader, session_id)];
    return { questions: (await Promise.all(asked.map((session) => questionsOf(reader, session)))).flat() };
  },
  list_artifacts: async (reader, { session_id }) => artifactsOf(reader, sessionHere(reader, session_id)),
  read_artifact: async (reader, { session_id, path, offset = 0 }) => {
    const session = session_id === undefined ? undefined : sessionHere(reader, session_id);
    return readArtifact(reader, { session, path, offset: Math.max(0, offset) });
  },
  read_coordination_status: async (reader) => {
    await reader.keepers.finishStarts();
    return coordinationStatus(reader);
  },
  read_turn: async (reader, { turn_id, session_id }) => {
    const turn = await advanceTurn(reader, turnHere(reader, turn_id, session_id));
    return turnReply(reader, turn);
  },
  await_turn: async (reader, { turn_id, session_id, timeout_ms }, signal) => {
    const turn = await advanceTurn(reader, turnHere(reader, turn_id, session_id));
    const { journal } = reader.coordinator;
    const ended = (): TurnFacts | undefined => {
      const now = turnOf(journal.state, turn.turnId, undefined);
      return hasEnded(now) ? now : undefined;
    };
    const end = await journal.until(ended, waitOf(timeout_ms), signal);
    return {
      timed_out: end === undefined,
      ...(await turnReply(reader, turnOf(journal.state, turn.turnId, undefined))),
    };
  },
  watch_events: async (reader, params, signal) => watchEvents(reader, params, signal),
  start_session: async (reader, { cwd, session_id }) => {
    const { coordinator, keepers } = reader;
    if ((cwd === undefined) === (session_id === undefined))
      throw new CoordinatorRefusal(
        "invalid_arguments",
        "Give cwd for a new session, or session_id for one whose process has ended.",
      );
    const session =
      session_id === undefined
        ? await startNew(coordinator, cwd ?? "")
        : await startAgain(coordinator, safeSessionId(session_id));
    await keepers.of(session.sessionId).advance();
    return { session_id: session.sessionId, session: await sessionRow(reader, session) };
  },
  register_session: async (reader, { session_id, pane }) => {
    const session = await register(reader.coordinator, safeSessionId(session_id), pane);
    return { session_id, session: await sessionRow(reader, session) };
  },
  send_prompt: async (reader, params) => sendPrompt(reader, params),
  submit_question_answer: async (reader, { session_id, question_id, turn_id, answer }) => {
    sessionHere(reader, session_id);
    if (turn_id !== undefined) turnHere(reader, turn_id, session_id);
    const given = { sessionId: session_id, questionId: safeQuestionId(question_id), answer };
    return { session_id, question_id, ...(await answerQuestion(reader, given)) };
  },
  report_status: async (reader, params) => reportStatus(reader, params),
};

function sessionHere({ coordinator }: Reader, sessionId: string): SessionFacts {
  return sessionOf(coordinator.journal.state, safeSessionId(sessionId));
}

function turnHere({ coordinator }: Reader, turnId: string, sessionId: string | undefined): TurnFacts {
  const owner = sessionId === undefined ? undefined : safeSessionId(sessionId);
  return turnOf(coordinator.journal.state, safeTurnId(turnId), owner);
}

/** First records what happened while no coordinator was running. */
async function advanceTurn({ coordinator, keepers }: Reader, turn: TurnFacts): Promise<TurnFacts> {
  if (!hasEnded(turn)) await keepers.of(turn.sessionId).advance();
  return turnOf(coordinator.journal.state, turn.turnId, undefined);
}

const waitOf = (ms = LONGEST_WAIT_MS): number => Math.min(Math.max(ms, 0), LONGEST_WAIT_MS);

async function watchEvents(
  reader: Reader,
  { after_seq = 0, session_id, event_types = [], timeout_ms, limit = MOST_EVENTS }: ToolParams<"watch_events">,
  signal: AbortSignal,
): Promise<object> {
  const { journal } = reader.coordinator;
  const owner = session_id === undefined ? undefined : sessionHere(reader, session_id).sessionId;
  const most = Math.min(Math.max(limit, 1), MOST_EVENTS);
  const fits = ({ session_id: of, kind }: CoordinatorEvent): boolean =>
    (owner === undefined || of === owner) && (event_types.length === 0 || event_types.includes(kind));
  let from = after_seq;
  const look = (): readonly CoordinatorEvent[] | undefined => {
    const found = journal.after(from).filter(fits);
    if (found.length === 0) from = Math.max(from, journal.state.seq);
    return found.length === 0 ? undefined : found.slice(0, most);
  };
  const events = await journal.until(look, waitOf(timeout_ms), signal);
  return {
    events: events ?? [],
    latest_seq: journal.state.seq,
    timed_out: events === undefined,
    transport: { mcp: "long_poll", push_subscriptions: false },
  };
}

async function sendPrompt(
  { coordinator, keepers }: Reader,
  { session_id, prompt, queue = false, force = false }: ToolParams<"send_prompt">,
): Promise<object> {
  const { journal, machine } = coordinator;
  const sessionId = safeSessionId(session_id);
  if (prompt.trim() === "") throw new CoordinatorRefusal("invalid_arguments", "The prompt is empty.");
  if (queue && force) throw new CoordinatorRefusal("invalid_arguments", "Give queue or force, not both.");
  const { way, cwd } = sessionHere({ coordinator, keepers }, sessionId);
  if (way === "paste") refuseCommands(prompt);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new CoordinatorRefusal(
      "folder_gone",
      `The folder of this session no longer exists: ${cwd}. Put it back, or start a session in another folder.`,
    );
  const turnId = `turn-${machine.deps.uuid()}`;
  // A turn that has ended meanwhile must not block this one.
  await keepers.of(sessionId).advance();
  const payload = writePayload(journal.folder, "prompts", turnId, { prompt });
  const begun = await journal
    .change((state) => beginTurn(state, { sessionId, turnId, queue, force, payload }))
    .catch((error: unknown) => {
      rmSync(join(journal.folder, payload), { force: true });
      throw error;
    });
  await keepers.of(sessionId).advance();
  const turn = turnOf(journal.state, turnId, sessionId);
  const { error } = turn;
  return {
    ...{
      session_id: sessionId,
      turn_id: turnId,
      active_turn_id: journal.state.active.get(sessionId) ?? null,
      status: turn.status,
    },
    ...{ queued: begun.queued, delivered: turn.deliveredTo !== undefined },
    ...(error === undefined ? {} : { error: { message: error } }),
  };
}

/** At a pane's prompt, text with such a start is a command that leaves nothing in the journal. */
function refuseCommands(prompt: string): void {
  if (/^[!/]/.test(prompt.trim()))
    throw new CoordinatorRefusal(
      "command_in_pane",
      "A prompt for this pane cannot begin with ! or /: that is a command there.",
    );
}

async function reportStatus(
  { coordinator, keepers }: Reader,
  { session_id, turn_id, status, blocker, summary, evidence }: ToolParams<"report_status">,
): Promise<object> {
  const { journal, machine } = coordinator;
  const sessionId = safeSessionId(session_id);
  const turnId = safeTurnId(turn_id);
  turnOf(journal.state, turnId, sessionId);
  const reportId = `report-${machine.deps.uuid()}`;
  const payload = writePayload(journal.folder, "reports", reportId, {
    status,
    ...(blocker === undefined ? {} : { blocker }),
    ...(summary === undefined ? {} : { summary }),
    ...(evidence === undefined ? {} : { evidence }),
  });
  await journal
    .change((state) => report(state, { sessionId, turnId, reportId, status, payload }))
    .catch((error: unknown) => {
      rmSync(join(journal.folder, payload), { force: true });
      throw error;
    });
  const keeper = keepers.of(sessionId);
  if (status === "cancelled") await keeper.interrupt(turnId);
  await keeper.advance();
  const active = journal.state.active.get(sessionId) ?? null;
  return { session_id: sessionId, turn_id: turnId, report_id: reportId, status, active_turn_id: active };
}
