// Opens a journal whose last run did not finish: every effect that began without an outcome gets one, and messages that
// were queued are queued again.

import { type JsonObject, Message, type ToolCallData } from "@lathe/llm";
import type { AwaitedInput } from "../contract/events/types.ts";
import type { IntentLine, MessageEntry } from "../contract/journal.ts";
import { INTERRUPTED_RESULT, pathTo } from "../record/journal/context.ts";
import { QUEUE_KIND, type QueueChange, queuedIn } from "../record/journal/queue-lines.ts";
import { argumentsOf } from "./call/card.ts";
import { nestedReport } from "./call/nest.ts";
import { EFFECTS_UNKNOWN } from "./call/run-call.ts";
import type { HostChoices, SessionLog, Work } from "./facades.ts";
import type { Delivery } from "./inbox.ts";
import { restoreLedger } from "./ledger-line.ts";
import { BROKEN_OFF } from "./model-call.ts";

/** The work that an unfinished run left. */
export interface UnfinishedInput {
  readonly entry: MessageEntry;
  readonly rounds: number;
  /** Calls of the last answer without a result. None of them can have had an effect. */
  readonly pending: readonly ToolCallData[];
  /** The queue was drained for the request that got no answer. Later messages wait for the next drain point. */
  readonly drained: boolean;
  /** The user's answer that a call of the last answer waits for. */
  readonly awaits: AwaitedInput | undefined;
}

/** Other parts that are recovered with a session. Each reads the same journal. */
export interface RecoveredParts {
  /**
   * Recovers messages between the session's agents that did not arrive. Undefined for a child: its parent recovers
   * them.
   */
  readonly messages: (() => void) | undefined;
  /** Recovers the child agents: those that ended are known again, those that ran are settled as interrupted. */
  readonly children: () => void;
  /** What the model should know about a call that was cut off, from the children that it started. */
  readonly leftByCall: (callId: string) => string | undefined;
  /** Recovers the background jobs, which ended with the earlier process. */
  readonly jobs: () => void;
}

/** Runs once, when a session opens over an existing journal. Returns the input that can be continued. */
export function recoverSession(
  core: SessionLog & HostChoices & Work,
  parts: RecoveredParts,
): UnfinishedInput | undefined {
  // The order matters. The spending comes first: children that are settled later add to it.
  restoreLedger(core);
  // Queued messages are restored before anything below adds to the queues.
  restoreQueues(core);
  parts.messages?.();
  // Children come before the calls that started them, because the result of an interrupted call reports on its
  // children.
  parts.children();
  const requestWasOpen = core.journal.openIntents().some((intent) => intent.effect === "request");
  settleIntents(core, parts.leftByCall);
  // Now every call has a result or may be run again, so we know which calls the model repeated and what is unfinished.
  restoreDetector(core);
  const unfinished = findUnfinished(core, requestWasOpen);
  // Jobs come last, because the end of a job is a message for the next input.
  parts.jobs();
  return unfinished;
}

function settleIntents(core: SessionLog & Work, leftBy: (callId: string) => string | undefined): void {
  // Nested calls come before their callers, whose results report on them.
  for (const intent of core.journal.openIntents()) if (intent.within !== undefined) settleNested(core, intent, leftBy);
  const open = new Map(openCalls(core).map((call) => [call.id, call]));
  for (const intent of core.journal.openIntents()) {
    const call = intent.effect === "tool" ? open.get(intent.callId ?? "") : undefined;
    const nested = call ? nestedReport(core.journal, call.id) : "";
    // A call that is safe to repeat must still not run again if it made other calls: they would run twice.
    if (!call || (intent.replay === "safe" && nested === "")) {
      // The vendor may have worked on the request until the process ended.
      core.journal.settle(intent.id, "interrupted", intent.reserved ? { uncertain: intent.reserved } : {});
      continue;
    }
    const content = `${leftBy(call.id) ?? EFFECTS_UNKNOWN}${nested}`;
    core.ledger.call();
    core.append({
      type: "message",
      id: intent.for,
      message: Message.toolResult({ toolCallId: call.id, content, isError: true }),
      settled: "interrupted",
    });
  }
}

function settleNested(
  core: SessionLog & Work,
  intent: IntentLine,
  leftBy: (callId: string) => string | undefined,
): void {
  const { callId = "", within = "", tool = "", summary, replay } = intent;
  const content = leftBy(callId) ?? (replay === "safe" ? INTERRUPTED_RESULT : EFFECTS_UNKNOWN);
  core.ledger.call();
  core.append({
    type: "nested_call",
    id: intent.for,
    callId,
    within,
    tool,
    ...(summary === undefined ? {} : { summary }),
    message: Message.toolResult({ toolCallId: callId, content, isError: true }),
    settled: "interrupted",
  });
}

function findUnfinished(core: SessionLog, requestWasOpen: boolean): UnfinishedInput | undefined {
  const input = core.journal.input;
  if (input?.state !== "start") return undefined;
  const entry = core.journal.has(input.entryId) ? core.journal.entry(input.entryId) : undefined;
  // Either the process ended before it wrote the message, so the user was promised nothing, or the input was being
  // interrupted.
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

/** True if the last entry is the part of an answer that an interrupt left. */
function endsBrokenOff({ journal }: SessionLog): boolean {
  if (journal.leaf === null || journal.meta(journal.leaf)?.type !== "message") return false;
  return (journal.entry(journal.leaf) as MessageEntry).finishReason?.raw === BROKEN_OFF;
}

/** Answers the open calls of an unfinished run, for a host that continues with something else. */
export function abandonUnfinishedInput(core: SessionLog & Work, unfinished: UnfinishedInput): void {
  for (const call of openCalls(core)) {
    core.ledger.call();
    core.append({
      type: "message",
      message: Message.toolResult({ toolCallId: call.id, content: INTERRUPTED_RESULT, isError: true }),
      settled: "interrupted",
    });
  }
  core.journal.write({ type: "input", state: "end", entryId: unfinished.entry.id, reason: "interrupted" });
}

/** Calls of the last answer that no entry answers. The context contains made-up results for them. */
function openCalls(core: SessionLog): ToolCallData[] {
  const { messages, entryIds } = core.journal.context;
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const answer = messages[at]?.content ?? [];
  const calls = answer.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));
  return calls.filter((_call, index) => entryIds[at + 1 + index] === undefined);
}

/** Journals a queued message, so that it survives the process. */
export function journalQueued(
  core: SessionLog,
  queue: Delivery,
  change: QueueChange["change"],
  { id, content, source, call }: Pick<QueueChange, "id" | "content" | "source" | "call">,
): void {
  const data: JsonObject = { queue, change, id, ...(call === undefined ? {} : { call }) };
  if (content !== undefined) data["content"] = core.redact(content) as unknown as JsonObject;
  if (source !== undefined) data["source"] = { ...source };
  // This may come before the session's first message, while a hook examines that one.
  core.journal.persist();
  core.journal.write({ type: "host", kind: QUEUE_KIND, data });
  core.emit("queue_changed", { queue, id, change, ...(source === undefined ? {} : { source }) });
}

function restoreQueues(core: SessionLog & Work): void {
  for (const [id, { queue, isCut, ...message }] of queuedIn(core.journal)) {
    core.inbox.add(queue, { id, ...message });
    // The next process will find the call settled.
    if (isCut) journalQueued(core, queue, "added", { id, ...message });
  }
}

function restoreDetector(core: SessionLog & HostChoices & Work): void {
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
