// What the page knows about the session it shows: a pure fold over the frames of its door and the answers to its own
// requests.

import type {
  ClientRow,
  CommandData,
  Dialog,
  DoorFrame,
  RpcSessionState,
  SessionSnapshot,
  WireEvent,
  WireEventOf,
} from "lathe/client";
import type { Item, WireEntry } from "./items.ts";
import { pastItems } from "./past.ts";
import { afterEvent } from "./transcript.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "./transcript-state.ts";

type MessageStart = WireEventOf<"message_start">;
type MessageEnd = WireEventOf<"message_end">;
export type Agent = WireEventOf<"task:subagent:lifecycle">["agent"];
export type Queue = CommandData<"get_queue">;

/** A page of entries as the session returned it. */
type EntryPage = CommandData<"get_entries">;

export interface SessionView {
  /**
   * `loading` until the snapshot and its entries have arrived; `unknown` if there is no such session, or it was
   * deleted.
   */
  readonly phase: "loading" | "open" | "closed" | "unknown";
  /** Why it cannot be shown, or why its process has ended. */
  readonly problem?: string | undefined;
  readonly isConnected: boolean;
  readonly state?: RpcSessionState | undefined;
  /** The entries of the branch, as far back as they have been read. */
  readonly entries: readonly WireEntry[];
  /** How many older entries there are. */
  readonly olderEntries: number;
  /** Whether the events continue the last answer in the entries. */
  readonly isResumed: boolean;
  /** Items of the entries. */
  readonly past: readonly Item[];
  /** Items since then. */
  readonly live: Transcript;
  readonly questions: readonly Dialog[];
  /** The last question that another client or the session closed, and who closed it. */
  readonly settled?: { readonly title: string; readonly by: string } | undefined;
  readonly clients: readonly ClientRow[];
  readonly agents: readonly Agent[];
  readonly queue: Queue;
  /** Increases whenever the results of commands such as `get_state` may have changed. */
  readonly revision: number;
}

export type SessionAction =
  | { readonly type: "opened"; readonly snapshot: SessionSnapshot; readonly page: EntryPage }
  | { readonly type: "older"; readonly page: EntryPage }
  | { readonly type: "frame"; readonly frame: DoorFrame }
  | { readonly type: "connection"; readonly isConnected: boolean }
  | {
      readonly type: "state";
      readonly state: RpcSessionState;
      readonly queue: Queue;
      readonly agents: readonly Agent[];
    }
  | { readonly type: "failed"; readonly problem: string; readonly isUnknown: boolean };

const NO_QUEUE: Queue = { steering: [], followUp: [] };

export const LOADING: SessionView = {
  phase: "loading",
  isConnected: true,
  entries: [],
  olderEntries: 0,
  isResumed: false,
  past: [],
  live: EMPTY_TRANSCRIPT,
  questions: [],
  clients: [],
  agents: [],
  queue: NO_QUEUE,
  revision: 0,
};

export function reduceSession(view: SessionView, action: SessionAction): SessionView {
  switch (action.type) {
    case "opened":
      return withSnapshot(view, action.snapshot, action.page);
    case "older":
      return withOlder(view, action.page);
    case "frame":
      return afterFrame(view, action.frame);
    case "connection":
      return { ...view, isConnected: action.isConnected };
    case "state":
      return { ...view, state: action.state, queue: action.queue, agents: action.agents };
    case "failed":
      return { ...view, phase: action.isUnknown ? "unknown" : "closed", problem: action.problem };
  }
}

/** Entries after the snapshot's last one are left out, since they also arrive as events. */
function withSnapshot(view: SessionView, snapshot: SessionSnapshot, { entries: read, start }: EntryPage): SessionView {
  const { state, questions, clients, running } = snapshot;
  const { leafId } = state;
  const end = read.findIndex(({ entryId }) => entryId === leafId);
  const entries = leafId === null ? [] : end < 0 ? read : read.slice(0, end + 1);
  const resumed = { ...EMPTY_TRANSCRIPT, isBusy: state.isStreaming, hasTurns: state.isStreaming };
  return {
    ...view,
    ...{ phase: "open", problem: undefined, isConnected: true, state, questions, clients },
    ...{ entries, olderEntries: start, isResumed: state.isStreaming, past: pastItems(entries, state.isStreaming) },
    live: running.reduce((live, event) => afterUnread(entries, live, event), resumed),
    revision: view.revision + 1,
  };
}

/** Ignored if the conversation has moved meanwhile. */
function withOlder(view: SessionView, { entries: older, start }: EntryPage): SessionView {
  if (start + older.length !== view.olderEntries) return view;
  const entries = [...older, ...view.entries];
  return { ...view, entries, olderEntries: start, past: pastItems(entries, view.isResumed) };
}

function afterFrame(view: SessionView, frame: DoorFrame): SessionView {
  switch (frame.kind) {
    case "event":
      return afterSessionEvent(view, frame.event);
    case "question":
      return { ...view, questions: [...view.questions, frame.question], settled: undefined };
    case "settled": {
      const { questionId, by } = frame;
      const question = view.questions.find(({ id }) => id === questionId);
      const questions = view.questions.filter((one) => one !== question);
      return { ...view, questions, ...(question ? { settled: { title: question.title ?? "", by } } : {}) };
    }
    case "clients":
      return { ...view, clients: frame.clients };
    case "closed":
      return { ...view, phase: "closed", problem: frame.problem };
    case "session":
    case "snapshot":
      // The code that follows the session reads it anew.
      return view;
  }
}

/** Events that may change the result of `get_state`. */
const CHANGES_STATE =
  /^(agent_|turn_|tool_execution_end|todo_|auto_compaction_end|lathe:(queue_changed|prefix_changed))/;

function afterSessionEvent(view: SessionView, event: Parameters<typeof afterEvent>[1]): SessionView {
  // An input that was cut off continues with the remaining calls.
  if (event.type === "tool_execution_start" && !view.isResumed && isLeft(view, event.toolCallId))
    return afterSessionEvent({ ...view, isResumed: true, past: pastItems(view.entries, true) }, event);
  const live = afterUnread(view.entries, view.live, event);
  const agents = "agent" in event ? withAgent(view.agents, event.agent) : view.agents;
  return { ...view, live, agents, revision: view.revision + (CHANGES_STATE.test(event.type) ? 1 : 0) };
}

const afterUnread = (entries: SessionView["entries"], live: Transcript, event: WireEvent): Transcript =>
  isRead(entries, event) ? afterReadMessage(live, event) : afterEvent(live, event);

/** The message is already among the entries: an input that continues in another process repeats its first messages. */
const isRead = (entries: SessionView["entries"], event: WireEvent): event is MessageStart | MessageEnd =>
  (event.type === "message_start" || event.type === "message_end") &&
  event.entryId !== undefined &&
  entries.some(({ entryId }) => entryId === event.entryId);

/** Drops the part of the answer that has streamed in. */
const afterReadMessage = (live: Transcript, event: MessageStart | MessageEnd): Transcript =>
  event.type === "message_end" && event.message.role === "assistant"
    ? afterEvent(live, { ...event, discarded: true })
    : live;

/** Whether the last answer in the entries makes this call, and no events of another answer have arrived. */
function isLeft({ entries, live }: SessionView, callId: string): boolean {
  const last = entries.findLast(({ type }) => type === "assistant");
  const makes =
    last?.type === "assistant" && last.parts.some((part) => part.kind === "call" && part.toolCallId === callId);
  return makes && !live.items.some(({ kind }) => kind === "call");
}

function withAgent(agents: readonly Agent[], agent: Agent): readonly Agent[] {
  const isKnown = agents.some(({ agentId }) => agentId === agent.agentId);
  return isKnown ? agents.map((one) => (one.agentId === agent.agentId ? agent : one)) : [...agents, agent];
}
