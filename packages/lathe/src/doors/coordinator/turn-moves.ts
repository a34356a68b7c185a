// The rules for turns, as pure decisions over the state: one active turn per session, queued turns in their order, and
// each turn ends once.

import { CoordinatorRefusal, type REPORTED } from "./contract.ts";
import { cut, type Kind, type NewEvent } from "./events.ts";
import { hasEnded, type SessionFacts, type State, type TurnFacts } from "./state.ts";

interface Decision<T> {
  readonly events: readonly NewEvent[];
  readonly result: T;
}

export interface NewTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly queue: boolean;
  readonly force: boolean;
  /** The file with the prompt. */
  readonly payload: string;
}

export function sessionOf(state: State, sessionId: string): SessionFacts {
  const session = state.sessions.get(sessionId);
  if (session) return session;
  throw new CoordinatorRefusal("unknown_session", "There is no session of this name in this namespace.");
}

/** If a session is given, a turn of another session is refused. */
export function turnOf(state: State, turnId: string, sessionId: string | undefined): TurnFacts {
  const turn = state.turns.get(turnId);
  if (!turn) throw new CoordinatorRefusal("unknown_turn", "There is no turn of this id in this namespace.");
  if (sessionId !== undefined && turn.sessionId !== sessionId)
    throw new CoordinatorRefusal("wrong_owner", "This turn belongs to another session.");
  return turn;
}

export function beginTurn(
  state: State,
  turn: NewTurn,
): Decision<{ readonly queued: boolean; readonly active: string }> {
  const { sessionId, turnId, queue, force, payload } = turn;
  const session = sessionOf(state, sessionId);
  if (session.phase !== "open")
    throw new CoordinatorRefusal(
      "session_not_open",
      "This session has not been opened. Start it again with start_session.",
    );
  const active = state.active.get(sessionId);
  const ids = { session_id: sessionId, turn_id: turnId, payload_ref: payload };
  if (active === undefined || force) {
    const events: NewEvent[] =
      active === undefined || !force ? [] : [endEvent(state, active, "turn.superseded", turnId)];
    const metadata = { forced: force && active !== undefined };
    events.push({ kind: "turn.active", ...ids, summary: "The turn is active.", metadata });
    return { events, result: { queued: false, active: turnId } };
  }
  if (!queue)
    throw new CoordinatorRefusal(
      "active_turn_exists",
      "The session is working on another turn. Wait for it, or repeat the call with queue: true or force: true.",
      { active_turn_id: active },
    );
  const events: NewEvent[] = [{ kind: "turn.queued", ...ids, summary: "The turn waits for the active one." }];
  return { events, result: { queued: true, active } };
}

export interface TurnEnd {
  readonly status: (typeof REPORTED)[number];
  /** What reports the end: `journal`, `report`, `command` or `refused`. */
  readonly by: string;
  readonly error?: string | undefined;
}

/** Does nothing for a turn that has already ended. The next turn in the queue becomes active. */
export function endTurn(state: State, turnId: string, { status, by, error }: TurnEnd): Decision<boolean> {
  const turn = state.turns.get(turnId);
  if (!turn || hasEnded(turn)) return { events: [], result: false };
  const events = [endEvent(state, turnId, `turn.${status}`, by, error)];
  if (turn.status === "active") events.push(...nextActive(state, turn.sessionId));
  return { events, result: true };
}

/** Starts the next turn of a queue that has no active turn. */
export function promote(state: State, sessionId: string): Decision<boolean> {
  const events = state.active.has(sessionId) ? [] : nextActive(state, sessionId);
  return { events, result: events.length > 0 };
}

function nextActive(state: State, sessionId: string): NewEvent[] {
  const [next] = state.queues.get(sessionId) ?? [];
  if (next === undefined) return [];
  const ids = { session_id: sessionId, turn_id: next };
  return [{ kind: "turn.active", ...ids, summary: "The turn is active: it was the next one in the queue." }];
}

const ENDINGS: Readonly<Record<string, string>> = {
  "turn.completed": "The turn is completed.",
  "turn.failed": "The turn failed.",
  "turn.cancelled": "The turn was cancelled.",
  "turn.superseded": "Another turn replaced this one.",
};

function endEvent(state: State, turnId: string, kind: Kind, by: string, error?: string): NewEvent {
  const metadata = { by, ...(error === undefined ? {} : { error: cut(error, 300) }) };
  const sessionId = state.turns.get(turnId)?.sessionId ?? "";
  return { kind, session_id: sessionId, turn_id: turnId, summary: ENDINGS[kind] ?? kind, metadata };
}

export interface Report {
  readonly sessionId: string;
  readonly turnId: string;
  readonly reportId: string;
  readonly status: (typeof REPORTED)[number];
  readonly payload: string;
}

export function report(state: State, { sessionId, turnId, reportId, status, payload }: Report): Decision<void> {
  const turn = turnOf(state, turnId, sessionId);
  if (hasEnded(turn))
    throw new CoordinatorRefusal("turn_ended", `This turn has ended: it is ${turn.status}.`, { status: turn.status });
  const reported: NewEvent = {
    kind: "report.status",
    ...{ session_id: sessionId, turn_id: turnId, report_id: reportId, payload_ref: payload },
    summary: `The controller reports: ${status}.`,
    metadata: { status },
  };
  const { events } = endTurn(state, turnId, { status, by: "report" });
  return { events: [reported, ...events], result: undefined };
}
