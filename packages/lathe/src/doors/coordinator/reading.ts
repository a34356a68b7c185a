// What the reading tools report about sessions and turns. All of it comes from journals; whether a process is alive is
// separate advice.

import { oneLine } from "@lathe/agent/base";
import { pathTo } from "@lathe/agent/record";
import { itemsOfEntry } from "../../sessions/transcript.ts";
import { allowedPath } from "./configuration.ts";
import { SCHEMA_VERSION } from "./contract.ts";
import type { Coordinator } from "./coordinator.ts";
import type { CoordinatorEvent } from "./events.ts";
import { entryOfTurn } from "./ids.ts";
import type { Keepers } from "./keepers.ts";
import { findPane, sessionInPane } from "./panes.ts";
import { readPayload } from "./payloads.ts";
import { hasEnded, type SessionFacts, type TurnFacts } from "./state.ts";

/** What a tool call reads from. */
export interface Reader {
  readonly coordinator: Coordinator;
  readonly keepers: Keepers;
}

const RECENT = 10;
const MOST_LINES = 200;
const MOST_LINE = 2_000;

/** Observed at this moment, not from a journal; it may be outdated when it is read. */
interface Advice {
  readonly live: boolean;
  readonly state: "starting" | "not_started" | "idle" | "working" | "waiting_for_answer" | "unknown" | "gone";
}

async function adviceOn({ coordinator, keepers }: Reader, session: SessionFacts): Promise<Advice> {
  if (session.phase !== "open")
    return { live: false, state: session.phase === "starting" ? "starting" : "not_started" };
  if (session.way === "paste") {
    const pane = await findPane(coordinator, session.pane ?? "").catch(() => undefined);
    const inPane = pane && (await sessionInPane(coordinator, pane));
    const isThere = inPane?.latheSession === session.latheSession;
    return { live: isThere, state: isThere ? "unknown" : "gone" };
  }
  const door = await keepers.door(session.sessionId);
  if (!door) return { live: false, state: "gone" };
  if (door.questions.length > 0) return { live: true, state: "waiting_for_answer" };
  return { live: true, state: door.isBusy ? "working" : "idle" };
}

export async function sessionRow(reader: Reader, session: SessionFacts): Promise<object> {
  const { active, queues } = reader.coordinator.journal.state;
  const { sessionId, cwd, way, latheSession, tmuxName, pane } = session;
  return {
    session_id: sessionId,
    cwd,
    driven_by: way,
    lathe_session: latheSession ?? null,
    tmux_session: tmuxName ?? null,
    pane: pane ?? null,
    active_turn_id: active.get(sessionId) ?? null,
    queued_turn_ids: queues.get(sessionId) ?? [],
    advisory_status: await adviceOn(reader, session),
  };
}

/** The last lines that a user would see. */
export function tailOf({ coordinator }: Reader, session: SessionFacts, wanted = 40): readonly string[] {
  const journal = readable(coordinator, session);
  if (!journal) return [];
  const most = Math.min(Math.max(wanted, 1), MOST_LINES);
  let lines: string[] = [];
  for (const id of pathTo(journal, journal.leaf).reverse()) {
    const said = itemsOfEntry(journal.entry(id)).flatMap(wordsOf);
    lines = [...said, ...lines];
    if (lines.length >= most) break;
  }
  return lines
    .slice(-most)
    .map((line) => (line.length > MOST_LINE ? `${line.slice(0, MOST_LINE).toWellFormed()}…` : line));
}

/** The session's journal, if its folder is allowed, whatever the state says. */
export function readable({ configuration, records }: Coordinator, { latheSession }: SessionFacts) {
  if (latheSession === undefined) return undefined;
  const cwd = records.cwdOf(latheSession);
  if (cwd === undefined) return undefined;
  allowedPath(configuration, cwd);
  return records.journalOf(latheSession);
}

function wordsOf(item: ReturnType<typeof itemsOfEntry>[number]): string[] {
  if (item.type === "user") return item.text.split("\n").map((line) => `> ${line}`);
  if (item.type === "note") return [`* ${oneLine(item.title)}`];
  return item.parts.flatMap((part) => {
    if (part.kind === "text") return part.text.split("\n");
    return part.kind === "call"
      ? [`- ${part.call.name}${part.call.result ? `: ${oneLine(part.call.result.text)}` : ""}`]
      : [];
  });
}

export async function turnReply(reader: Reader, turn: TurnFacts): Promise<object> {
  const { coordinator } = reader;
  const { journal } = coordinator;
  const { turnId, sessionId, status, endedBy, reportRef } = turn;
  const session = journal.state.sessions.get(sessionId);
  const report = reportRef === undefined ? undefined : readPayload(journal.folder, "reports", idOfRef(reportRef));
  const blocker = typeof report?.["blocker"] === "string" ? report["blocker"] : undefined;
  const answer = session && hasEnded(turn) ? answerOf(coordinator, session, turn) : undefined;
  const summary = typeof report?.["summary"] === "string" ? report["summary"] : "";
  const reported = Array.isArray(report?.["evidence"])
    ? report["evidence"].map((words) => ({ kind: "report", text: words }))
    : [];
  const message = turn.error ?? blocker;
  return {
    turn: {
      schema_version: SCHEMA_VERSION,
      turn_id: turnId,
      session_id: sessionId,
      status,
      delivered: turn.deliveredTo !== undefined,
      ended_by: endedBy ?? null,
      final_response: responseOf(turnId, answer?.text ?? "", summary, coordinator.configuration.artifactCap),
      evidence: [...evidenceOf(answer?.verification), ...reported],
      error: message === undefined ? null : { message },
    },
    advisory_status: session ? await adviceOn(reader, session) : { live: false, state: "gone" },
  };
}

const idOfRef = (ref: string): string => /^reports\/(report-[0-9a-f-]{36})\.json$/.exec(ref)?.[1] ?? "none";

/** The model's answer; undefined if its journal may not be read or does not contain the turn. */
export function answerOf(coordinator: Coordinator, session: SessionFacts, turn: TurnFacts) {
  const latheSession = turn.deliveredTo;
  if (latheSession === undefined || turn.endedBy === "command") return undefined;
  const { records, journal } = coordinator;
  if (!readable(coordinator, { ...session, latheSession })) return undefined;
  if (session.way === "door") return records.answerOf(latheSession, entryOfTurn(turn.turnId));
  const prompt = readPayload(journal.folder, "prompts", turn.turnId)?.["prompt"];
  const entry = typeof prompt === "string" ? records.pastedEntry(latheSession, prompt, turn.after) : undefined;
  return entry === undefined ? undefined : records.answerOf(latheSession, entry);
}

/** The artifact path of a complete response, to be read in pieces. */
export const responseName = (turnId: string): string => `response://${turnId}`;

function responseOf(turnId: string, text: string, reported: string, cap: number): object {
  const words = text === "" ? reported : text;
  const bytes = Buffer.from(words);
  const truncated = bytes.length > cap;
  return {
    text: truncated ? cutTo(bytes, cap) : words,
    format: "markdown",
    source: text === "" ? (reported === "" ? "none" : "report") : "journal",
    artifact_path: truncated ? responseName(turnId) : null,
    truncated,
  };
}

const MORE = "…";

/** Cuts to `most` bytes, including the mark that there is more. */
function cutTo(bytes: Buffer, most: number): string {
  const room = most - Buffer.byteLength(MORE);
  return room < 0 ? utf8Start(bytes, most) : utf8Start(bytes, room) + MORE;
}

/** At most this many bytes, without a partial character at the end. */
export function utf8Start(bytes: Buffer, most: number): string {
  let end = Math.min(most, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

function evidenceOf(
  verification: { readonly verdict: string; readonly reasons: readonly string[] } | undefined,
): object[] {
  if (!verification) return [];
  const { verdict, reasons } = verification;
  return [{ kind: "verification", verdict, text: reasons.join(" ") }];
}

export async function coordinationStatus(reader: Reader): Promise<object> {
  const { journal, configuration } = reader.coordinator;
  const { sessions, turns, questions, seq } = journal.state;
  const withStatus = (wanted: string): string[] =>
    [...turns.values()].filter(({ status }) => status === wanted).map(({ turnId }) => turnId);
  const rows = await Promise.all([...sessions.values()].map((session) => sessionRow(reader, session)));
  return {
    namespace: { profile: configuration.profile, repo: configuration.repo },
    sessions: rows,
    active_turn_ids: withStatus("active"),
    queued_turn_ids: withStatus("queued"),
    open_question_ids: [...questions].flatMap(([id, { isOpen }]) => (isOpen ? [id] : [])),
    latest_event_seq: seq,
    recent_events: journal.after(Math.max(0, seq - RECENT)).map(summaryOf),
  };
}

const summaryOf = ({ seq, kind, timestamp, session_id, turn_id, summary }: CoordinatorEvent): object => ({
  ...{ seq, kind, timestamp, summary },
  ...(session_id === undefined ? {} : { session_id }),
  ...(turn_id === undefined ? {} : { turn_id }),
});
