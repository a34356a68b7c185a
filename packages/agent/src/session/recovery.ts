// Opening a journal whose last run did not finish: every effect that began and has no outcome gets one, and what was waiting in
// the queues waits again.

import { type JsonObject, Message, type ToolCallData } from "@lathe/llm";
import type { AwaitedInput, InputContent, MessageSource } from "../events/types.ts";
import { INTERRUPTED_RESULT, pathTo } from "../journal/context.ts";
import { contentShape, entryId, sourceShape } from "../journal/line-shapes.ts";
import { either, fields, fits, oneOf, optional, text } from "../journal/shape.ts";
import type { MessageEntry } from "../journal/types.ts";
import { argumentsOf } from "./call/card.ts";
import { EFFECTS_UNKNOWN } from "./call/run-call.ts";
import type { Delivery } from "./inbox.ts";
import { restoreLedger } from "./ledger-line.ts";
import { BROKEN_OFF } from "./model-call.ts";
import type {
  ConfigPart,
  DetectorPart,
  EventPart,
  JournalPart,
  QueuePart,
  RedactionPart,
  SpendingPart,
} from "./parts.ts";

/** What an unfinished run left to do. */
export interface UnfinishedInput {
  readonly entry: MessageEntry;
  readonly rounds: number;
  /** Calls of the last answer without a result; none of them may have had an effect. */
  readonly pending: readonly ToolCallData[];
  /** The queue was drained for the request that got no answer; later messages wait for the next drain point. */
  readonly drained: boolean;
  /** What a call of the last answer waits for. */
  readonly awaits: AwaitedInput | undefined;
}

/** Reading what an earlier process wrote. */
type Written = Pick<JournalPart, "journal">;

/** Runs once, when a session opens over an existing journal; `recover` follows when the ends of its children are known. */
export function restore(core: JournalPart & SpendingPart & QueuePart & EventPart & RedactionPart): void {
  restoreLedger(core);
  restoreQueues(core);
}

/** `leftBy`: what the model should know of a call that was cut. */
export function recover(
  core: JournalPart & ConfigPart & DetectorPart,
  leftBy: (callId: string) => string | undefined,
): UnfinishedInput | undefined {
  const requestWasOpen = core.journal.unsettled().some((intent) => intent.effect === "request");
  settleIntents(core, leftBy);
  restoreDetector(core);
  return findUnfinished(core, requestWasOpen);
}

function settleIntents(core: JournalPart, leftBy: (callId: string) => string | undefined): void {
  const open = new Map(openCalls(core).map((call) => [call.id, call]));
  for (const intent of core.journal.unsettled()) {
    const call = intent.effect === "tool" ? open.get(intent.callId ?? "") : undefined;
    if (intent.effect === "child") continue;
    if (!call || intent.replay === "safe") {
      core.journal.settle(intent.id, "interrupted");
      continue;
    }
    core.append({
      type: "message",
      id: intent.for,
      message: Message.toolResult({ toolCallId: call.id, content: leftBy(call.id) ?? EFFECTS_UNKNOWN, isError: true }),
      settled: "interrupted",
    });
  }
}

function findUnfinished(core: Written, requestWasOpen: boolean): UnfinishedInput | undefined {
  const input = core.journal.input;
  if (input?.state !== "start") return undefined;
  const entry = core.journal.has(input.entryId) ? core.journal.entry(input.entryId) : undefined;
  // The process ended before the message itself was written, so nothing was promised; or while it was being interrupted.
  if (entry?.type !== "message" || endsBrokenOff(core)) {
    core.journal.write({ type: "input", state: "end", entryId: input.entryId, reason: "interrupted" });
    return undefined;
  }
  const path = pathTo(core.journal, core.journal.leaf);
  const since = path.slice(path.indexOf(entry.id) + 1);
  let rounds = 0;
  let drained = requestWasOpen;
  let awaits: AwaitedInput | undefined;
  for (const id of since) {
    const candidate = core.journal.meta(id)?.type === "message" ? (core.journal.entry(id) as MessageEntry) : undefined;
    if (!candidate) continue;
    if (candidate.message.content.some((part) => part.kind === "tool_call")) rounds += 1;
    drained = requestWasOpen || candidate.origin === "steering";
    awaits = candidate.message.role === "tool" ? (candidate.awaits ?? awaits) : undefined;
  }
  const pending = openCalls(core);
  return { entry, rounds: pending.length > 0 ? rounds - 1 : rounds, pending, drained, awaits };
}

/** The last entry is what was left of an answer that somebody stopped. */
function endsBrokenOff({ journal }: Written): boolean {
  if (journal.leaf === null || journal.meta(journal.leaf)?.type !== "message") return false;
  return (journal.entry(journal.leaf) as MessageEntry).finishReason?.raw === BROKEN_OFF;
}

/** Answers what an unfinished run left open, for a host that continues with something else. */
export function abandonUnfinishedInput(core: JournalPart, unfinished: UnfinishedInput): void {
  for (const call of openCalls(core)) {
    core.append({
      type: "message",
      message: Message.toolResult({ toolCallId: call.id, content: INTERRUPTED_RESULT, isError: true }),
      settled: "interrupted",
    });
  }
  core.journal.write({ type: "input", state: "end", entryId: unfinished.entry.id, reason: "interrupted" });
}

/** Calls of the last answer that no entry answers; the context has filled them in. */
function openCalls(core: Written): ToolCallData[] {
  const { messages, entryIds } = core.journal.context;
  const at = messages.findLastIndex((message) => message.role === "assistant");
  if (at < 0) return [];
  const calls = messages[at]!.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));
  return calls.filter((_call, index) => entryIds[at + 1 + index] === undefined);
}

const QUEUE_KIND = "queue";
interface QueueChange {
  readonly queue: Delivery;
  readonly change: "added" | "edited" | "cancelled";
  readonly id: string;
  readonly content?: InputContent;
  readonly source?: MessageSource;
  /** Of a cancelled message: the call whose result it is. */
  readonly call?: string;
}
const QUEUED = fields({
  queue: oneOf("steering", "follow_up"),
  change: oneOf("added", "edited", "cancelled"),
  id: entryId,
  content: optional(either(text, contentShape)),
  source: optional(sourceShape),
  call: optional(text),
});

/** A queued message survives the process that took it. */
export function journalQueued(
  core: Written & EventPart & RedactionPart,
  queue: Delivery,
  change: QueueChange["change"],
  { id, content, source, call }: Pick<QueueChange, "id" | "content" | "source" | "call">,
): void {
  const data: JsonObject = { queue, change, id, ...(call === undefined ? {} : { call }) };
  if (content !== undefined) data["content"] = core.redacted(content) as unknown as JsonObject;
  if (source !== undefined) data["source"] = { ...source };
  core.journal.write({ type: "host", kind: QUEUE_KIND, data });
  core.emit("queue_changed", { queue, id, change, ...(source === undefined ? {} : { source }) });
}

/** Whether a message of this id was ever taken into the queue. */
export function wasQueued(core: Written, id: string): boolean {
  for (const { kind, data } of core.journal.outside("host"))
    if (kind === QUEUE_KIND && (data as JsonObject | null)?.["id"] === id) return true;
  return false;
}

function restoreQueues(core: Written & QueuePart & EventPart & RedactionPart): void {
  const waiting = new Map<string, Pick<QueueChange, "queue" | "source"> & { content: InputContent }>();
  const cutCalls = new Set(core.journal.unsettled().flatMap(({ callId }) => callId ?? []));
  const cut = new Set<string>();
  for (const line of core.journal.outside("host")) {
    if (line.kind !== QUEUE_KIND || !fits(line.data, QUEUED)) continue;
    const { queue, change, id, content = "", source, call } = line.data as unknown as QueueChange;
    if (core.journal.has(id)) continue;
    const known = waiting.get(id);
    // A call that was cut has shown its message to nobody.
    if (call !== undefined && cutCalls.has(call)) cut.add(id);
    else if (change === "cancelled") waiting.delete(id);
    else if (change === "added" && !known) waiting.set(id, { queue, content, ...(source ? { source } : {}) });
    else if (change === "edited" && known) known.content = content;
  }
  for (const [id, { queue, ...message }] of waiting) {
    core.inbox.add(queue, { id, ...message });
    // The next process will find the call settled.
    if (cut.has(id)) journalQueued(core, queue, "added", { id, ...message });
  }
}

function restoreDetector(core: Written & ConfigPart & DetectorPart): void {
  const window = core.config.loopDetectionWindow;
  const calls: ToolCallData[] = [];
  const pending = new Set(openCalls(core));
  const { messages } = core.journal.context;
  for (let at = messages.length - 1; at >= 0 && calls.length < window * 2; at--) {
    const inner = messages[at]!.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));
    calls.unshift(...inner.filter((call) => !pending.has(call)));
  }
  for (const call of calls) core.detector.record(call.name, argumentsOf(call), window);
}
