// One input: from its user message through rounds of model and tools to processing_end.

import { type FinishReason, Message, type ToolCallData, type ToolResultData } from "@lathe/llm";
import { answerAtOnce } from "../base/answer-at-once.ts";
import { limitText, usedUpText } from "../base/budget/ledger.ts";
import { textOfContent } from "../base/text/content.ts";
import { wellFormedParts } from "../base/text/well-formed.ts";
import type { EndReason, InputContent } from "../contract/events/types.ts";
import type { MessageEntry } from "../contract/journal.ts";
import { JournalError } from "../record/journal/errors.ts";
import { type Batch, runBatch } from "./call/batch.ts";
import { argumentsOf } from "./call/card.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox, WholeSession, Work } from "./facades.ts";
import { failureOf } from "./failure.ts";
import { type Delivery, isReport, type QueuedMessage } from "./inbox.ts";
import { rulesInjected } from "./injected-rules.ts";
import type { InputEnd, InputRun } from "./input-run.ts";
import { saveLedger } from "./ledger-line.ts";
import { readQueued } from "./media.ts";
import { callModel } from "./model-call.ts";
import type { UnfinishedInput } from "./recovery.ts";
import { selectorOf } from "./request.ts";
import { withWait } from "./retry.ts";
import { type AssistantTurn, partsOf } from "./types.ts";

const ROUND_LIMIT: InputEnd = { reason: "round_limit" };
const TURN_LIMIT: InputEnd = { reason: "turn_limit" };
/** Reasons of an end after which a queued follow-up begins. */
const RUNS_ON: ReadonlySet<EndReason> = new Set(["completed", "round_limit", "turn_limit", "context_overflow"]);

/** Journals the messages that begin an input, which gets the id of the first one. */
export function beginInput(
  core: SessionLog & ModelContext,
  run: InputRun,
  messages: readonly QueuedMessage[],
  origin: "input" | "follow_up",
): void {
  run.entryId = messages[0]!.id;
  core.journal.write({ type: "input", state: "start", entryId: run.entryId, model: selectorOf(core.profile) });
  for (const { id, content, source } of messages) {
    const message = userMessage(content);
    core.append({ type: "message", id, message, origin, ...(source === undefined ? {} : { source }) });
    const from = source === undefined ? {} : { source };
    core.emit("user_input", { ...describeContent(content), entry_id: id, origin, message, ...from });
  }
}

/** Announces an input that an earlier process began. */
export function continueInput(core: SessionLog, run: InputRun, entry: MessageEntry, rounds: number): void {
  run.entryId = entry.id;
  run.rounds = rounds;
  core.emit("user_input", {
    ...describeContent(entry.message.content),
    entry_id: entry.id,
    origin: "continue",
    message: entry.message,
  });
}

/** `unfinished`: the state in which an earlier process left the input; absent for a new input. */
export async function runInput(
  core: WholeSession,
  run: InputRun,
  unfinished?: Pick<UnfinishedInput, "pending" | "drained" | "awaits">,
): Promise<InputEnd> {
  try {
    if (!unfinished) return await loop(core, run);
    run.awaits = unfinished.awaits;
    const asking =
      unfinished.awaits && core.journal.context.messages.findLast((message) => message.role === "assistant");
    if (asking) core.recordAnswer(textOfContent(asking.content), "tool_calls");
    if (unfinished.pending.length > 0) {
      core.emit("turn_start", { turn: core.turns });
      await finishTurn(core, run, core.turns, { calls: unfinished.pending, lastIsIncomplete: false });
    } else if (core.journal.context.messages.at(-1)?.role === "assistant") return await stopOrGoOn(core, run);
    if (run.awaits || run.isDone) return { reason: "completed" };
    return await loop(core, run, unfinished.pending.length === 0 && unfinished.drained ? "drained" : "fresh");
  } catch (error) {
    if (error instanceof JournalError) throw error;
    if (run.signal.aborted) return endOf(run);
    const failure = failureOf(error, withWait(error));
    const { message, kind, type } = failure;
    core.emit("error", { message, kind, error_type: type, fatal: false });
    return { reason: "error", error: failure };
  }
}

async function loop(core: WholeSession, run: InputRun, start: "fresh" | "drained" = "fresh"): Promise<InputEnd> {
  for (let drained = start === "drained"; ; drained = false) {
    if (!drained) {
      const steering = readQueued(core, core.inbox.take("steering", core.config.steeringMode));
      giveSteering(core, steering instanceof Promise ? await steering : steering);
    }
    if (run.signal.aborted) return endOf(run);
    const limit = limitReached(core, run);
    if (limit) return limit;
    const turn = core.turns + 1;
    core.emit("turn_start", { turn });
    const outcome = await callModel(core, run.signal).catch((error: unknown) => ({ kind: "failed" as const, error }));
    switch (outcome.kind) {
      case "interrupted":
        core.emit("turn_end", { turn, outcome: "interrupted" });
        return endOf(run);
      case "overflow":
        core.emit("turn_end", { turn, outcome: "failed" });
        core.warn(`The conversation no longer fits the model: ${outcome.failure.message}`, "context_overflow");
        return { reason: "context_overflow", error: outcome.failure };
      case "failed":
        if (outcome.error instanceof JournalError) throw outcome.error;
        core.emit("turn_end", { turn, outcome: "failed" });
        if (run.signal.aborted) return endOf(run);
        throw outcome.error;
      case "unaffordable":
        core.emit("turn_end", { turn, outcome: "failed" });
        return endAtLimit(core, outcome.message);
      case "cut":
        core.emit("turn_end", { turn, outcome: "interrupted" });
        inject(core, outcome.cut.cut, "injected");
        if (outcome.cut.rules) rulesInjected(core, outcome.cut.rules);
        continue;
      case "answer":
        break;
    }
    const { response, calls, isShortened } = outcome;
    const isCutByLimit = isShortened && response.finishReason.reason === "length";
    if (!isCutByLimit) warnAboutFinish(core, response.finishReason);
    if (calls.length > 0) {
      const lastIsIncomplete = response.finishReason.reason === "length";
      const end = await finishTurn(core, run, turn, { calls, lastIsIncomplete });
      if (run.refusedCalls) return endAtLimit(core, callsText(core));
      if (run.awaits || run.isDone) return { reason: "completed" };
      if (end && !run.signal.aborted) return end;
      continue;
    }
    core.emit("turn_end", { turn, outcome: "answered" });
    if (isCutByLimit) return endAtLimit(core, CUT_BY_LIMIT);
    const end = await endUnlessMore(core, run, response.text);
    if (end) return end;
  }
}

/** Runs the calls of a turn and ends it. If the journal cannot be written, session_end closes the turn. */
async function finishTurn(
  core: WholeSession,
  run: InputRun,
  turn: number,
  batch: Batch,
): Promise<InputEnd | undefined> {
  const end = await runRound(core, run, batch);
  core.emit("turn_end", { turn, outcome: "answered" });
  await core.journal.turnEnd();
  return end;
}

/** Returns the reason to end the input here, if there is one. */
async function runRound(core: WholeSession, run: InputRun, batch: Batch): Promise<InputEnd | undefined> {
  run.rounds += 1;
  await runBatch(core, run.signal, batch);
  if (run.signal.aborted) return undefined;
  const end = core.config.enableLoopDetection ? countRepeats(core, run, batch.calls) : undefined;
  if (end) return end;
  if (core.config.enableLoopDetection) detectLoop(core, batch.calls);
  const notice = core.ledger.notice(core.config.budget, core.elapsedMs());
  if (notice !== undefined) inject(core, notice, "injected");
  for (const told of await core.seams.afterRound(run.signal)) inject(core, told, "injected");
  return undefined;
}

/**
 * The last answer asked for nothing more, but its input was never closed. The host may not have heard of it, so we
 * announce the end again.
 */
async function stopOrGoOn(core: WholeSession, run: InputRun): Promise<InputEnd> {
  const { messages, entryIds } = core.journal.context;
  const message = messages.at(-1)!;
  const entry = core.journal.entry(entryIds.at(-1)!) as MessageEntry;
  const text = textOfContent(message.content);
  const finish = entry.finishReason?.reason ?? "stop";
  core.emit("turn_start", { turn: core.turns });
  core.recordAnswer(text, finish);
  core.emit("assistant_text_end", {
    text,
    reasoning: message.content.flatMap((part) => (part.kind === "thinking" ? [part.thinking.text] : [])).join(""),
    entry_id: entry.id,
    message,
    finish,
  });
  core.emit("turn_end", { turn: core.turns, outcome: "answered" });
  if (entry.finishReason) warnAboutFinish(core, entry.finishReason);
  return (await endUnlessMore(core, run, text)) ?? loop(core, run);
}

/** The model has nothing more to do: ends the input, unless a hook or the output schema asks for more. */
async function endUnlessMore(core: WholeSession, run: InputRun, text: string): Promise<InputEnd | undefined> {
  const told = await core.seams.beforeStop({ text, rounds: run.rounds }, run.signal);
  if (told === undefined) noteQuestion(core, run);
  const goOn = told ?? (run.awaits ? undefined : await run.output?.judge(text, run.finish));
  if (goOn !== undefined) {
    inject(core, goOn, "injected");
    return undefined;
  }
  const error = run.output?.error;
  return error ? { reason: "error", error } : { reason: "completed" };
}

function noteQuestion(core: SessionLog & HostChoices, run: InputRun): void {
  const answer = core.options.isQuestion && lastAnswer(core);
  const asks =
    answer &&
    answerAtOnce(core.options.isQuestion?.(answer), "isQuestion", (message) => core.warn(message, "callback_failed"));
  if (answer && asks) run.awaits = { what: "question", text: answer.content };
}

/**
 * Writes the end, then emits the event. A host that reacts to processing_end finds the session in the state that
 * follows. Returns the queue that the next input comes from, if there is one.
 */
export async function endInput(
  core: SessionLog & HostChoices & Toolbox & Work,
  run: InputRun,
  end: InputEnd,
): Promise<Delivery | undefined> {
  core.ledger.wall(core.elapsedMs());
  run.verification = core.seams.verdictAtEnd({ reason: end.reason, awaiting: run.awaits }, run.signal);
  const proof = run.verification === undefined ? {} : { verification: run.verification };
  core.journal.write({ type: "input", state: "end", entryId: run.entryId, reason: end.reason, ...proof });
  saveLedger(core);
  await core.journal.inputEnd();
  const next = nextInput(core, run, end);
  core.input = undefined;
  core.emit("processing_end", {
    reason: end.reason,
    rounds: run.rounds,
    usage: run.usage,
    cost: run.cost,
    followups_pending: core.inbox.count("follow_up"),
    ...(run.awaits === undefined ? {} : { awaiting: run.awaits }),
    ...proof,
    ...(end.error === undefined ? {} : { error: end.error }),
  });
  // A session that is shutting down goes from processing straight to closed.
  if (!next && end.reason !== "aborted") core.setState(run.awaits ? "awaiting_input" : "idle");
  return next;
}

/**
 * Queued messages do not answer a new question to the user, and an input that was aborted while its end was written has
 * no successor.
 */
function nextInput(core: HostChoices & Work, run: InputRun, { reason }: InputEnd): Delivery | undefined {
  if (run.awaits || run.signal.aborted || !RUNS_ON.has(reason)) return undefined;
  // Late steering was meant for the work that has just ended, so it goes before any follow-up.
  const { lateSteering, jobReports } = core.config;
  const runsLate = lateSteering === "run" || (jobReports === "run" && core.inbox.list("steering").some(isReport));
  if (runsLate && reason === "completed" && core.inbox.count("steering") > 0) return "steering";
  return core.inbox.count("follow_up") > 0 ? "follow_up" : undefined;
}

function giveSteering(core: SessionLog, messages: readonly QueuedMessage[]): void {
  for (const { id, content, source } of messages) {
    const message = userMessage(content);
    const from = source === undefined ? {} : { source };
    core.append({ type: "message", id, message, origin: "steering", ...from });
    core.emit("steering_injected", { content: textOfContent(content), entry_id: id, message, ...from });
  }
}

function inject(core: SessionLog, content: InputContent, origin: "injected" | "loop_detection"): void {
  core.append({ type: "message", message: userMessage(content), origin });
}

function limitReached(core: SessionLog & HostChoices & ModelContext & Work, run: InputRun): InputEnd | undefined {
  const { maxToolRoundsPerInput, maxTurns, budget } = core.config;
  if (maxToolRoundsPerInput > 0 && run.rounds >= maxToolRoundsPerInput) {
    core.emit("turn_limit", { round: run.rounds });
    return ROUND_LIMIT;
  }
  if (maxTurns > 0 && core.turns >= maxTurns) {
    core.emit("turn_limit", { total_turns: core.turns });
    return TURN_LIMIT;
  }
  const spent = core.ledger.exhaustedDimension(budget, core.elapsedMs());
  if (spent === undefined) return undefined;
  return endAtLimit(core, usedUpText(spent, budget[spent]!));
}

/** The message is for the user, who set the limit. */
function endAtLimit(core: SessionLog, message: string): InputEnd {
  core.warn(message, "budget_exhausted");
  return { reason: "budget" };
}

const CUT_BY_LIMIT = "The limit does not cover a longer answer, so this one was cut off.";
const callsText = ({ config }: HostChoices): string =>
  `The limit of ${limitText("calls", config.budget.calls ?? 0)} is used up, and the model asked for another one.`;

const MOST_FAILURES = 3;
/** Far more rounds than waiting for a slow command takes; loop detection warns the model four times before. */
const MOST_SAME_ROUNDS = 50;

/**
 * The model is told once that it repeats a failing call. If it does so again, the input ends, because every further
 * request costs money.
 */
function countRepeats(
  core: SessionLog & HostChoices & Work,
  run: InputRun,
  calls: readonly ToolCallData[],
): InputEnd | undefined {
  const results = lastResults(core);
  const failed = new Set(results.flatMap(({ toolCallId, isError }) => (isError ? [toolCallId] : [])));
  const round = calls.map((call) => ({ name: call.name, args: argumentsOf(call), hasFailed: failed.has(call.id) }));
  const counts = run.failures.record(round);
  const failures = Math.max(0, ...counts.map((count) => count.failures));
  const worst = counts.findIndex((count) => count.failures === failures);
  const { name } = calls[worst] ?? { name: "" };
  if (failures > 0 && counts[worst]!.before >= MOST_FAILURES)
    return endRepetition(
      core,
      `The model repeated the same failing call of ${name} ${failures} times, although it was told to stop.`,
    );
  if (failures >= MOST_FAILURES) {
    const message = `The same call of ${name} has failed ${failures} times in a row. Do not repeat it: change its arguments, use another tool, or say what is blocking you.`;
    inject(core, message, "loop_detection");
    core.emit("loop_detection", { message });
  }
  // Images may differ even if the text is the same.
  if (results.some(({ images }) => images !== undefined)) return undefined;
  const rounds = run.sameRounds.record(
    round,
    results.map(({ content }) => content),
  );
  if (rounds < MOST_SAME_ROUNDS) return undefined;
  return endRepetition(
    core,
    `The model made the same calls (${calls.map((call) => call.name).join(", ")}) ${rounds} times in a row with the same results.`,
  );
}

function endRepetition(core: SessionLog, message: string): InputEnd {
  core.warn(message, "repetition");
  return { reason: "error", error: { message, kind: "repetition", type: "Repetition" } };
}

/** The results of the last round, newest first. */
function lastResults({ journal }: SessionLog): readonly ToolResultData[] {
  const results: ToolResultData[] = [];
  const { messages } = journal.context;
  for (let at = messages.length - 1; at >= 0 && messages[at]!.role === "tool"; at--)
    for (const part of messages[at]!.content) if (part.kind === "tool_result") results.push(part.toolResult);
  return results;
}

function detectLoop(core: SessionLog & HostChoices & Work, calls: readonly ToolCallData[]): void {
  const window = core.config.loopDetectionWindow;
  let hit = false;
  for (const call of calls) hit = core.detector.record(call.name, argumentsOf(call), window) || hit;
  if (!hit) return;
  const message = `Loop detected: the last ${window} tool calls follow a repeating pattern. Try a different approach.`;
  inject(core, message, "loop_detection");
  core.emit("loop_detection", { message });
}

function warnAboutFinish(core: SessionLog, { reason }: FinishReason): void {
  if (reason === "length") core.warn("The answer ended at the model's output limit.", "length");
  if (reason === "content_filter") core.warn("The vendor's content filter ended the answer.", "content_filter");
}

export function endOf(run: InputRun): InputEnd {
  return { reason: run.signal.reason instanceof SessionAborted ? "aborted" : "interrupted" };
}

/** Why an input's signal aborted when the whole session ends. */
export class SessionAborted extends Error {}
export class InputInterrupted extends Error {}

function lastAnswer(core: SessionLog & HostChoices): AssistantTurn | undefined {
  const message = core.journal.context.messages.at(-1);
  if (message?.role !== "assistant") return undefined;
  return {
    kind: "assistant",
    content: textOfContent(message.content),
    toolCalls: [],
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    timestamp: core.deps.now(),
    message,
  };
}

function userMessage(content: InputContent): Message {
  return Message.user(wellFormedParts(partsOf(content)));
}

function describeContent(content: InputContent | Message["content"]): { content: string; images: number } {
  return {
    content: textOfContent(content),
    images: partsOf(content).filter((part) => part.kind === "image").length,
  };
}
