// One model answer with its retries: an intent before each attempt, the answer (or the failure) journalled after it.

import {
  billedOutputTokens,
  ContextLengthError,
  comparableUsage,
  Message,
  messageOf,
  promptTokens,
  type Response,
  type ToolCallData,
  type Usage,
} from "@lathe/llm";
import { type RequestAmounts, usedUpText } from "../base/budget/ledger.ts";
import { uncertainBill } from "../base/budget/request-bounds.ts";
import { sleep } from "../base/time/deadline.ts";
import { mostTokensOf } from "../context/most-tokens.ts";
import type { InputError } from "../contract/events/types.ts";
import type { IntentLine } from "../contract/journal.ts";
import type { RequestInfo, StreamCut } from "../contract/seams/types.ts";
import type { Profile } from "../tools/profiles/types.ts";
import { applyCompaction, applyPrune } from "./compaction.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox, WholeSession, Work } from "./facades.ts";
import { failureOf } from "./failure.ts";
import { afterOverflow, fitsWindow } from "./known-window.ts";
import { costField, priceOf } from "./price.ts";
import { readableAnswer } from "./readable-answer.ts";
import { leaveOutRefused } from "./refused-parts.ts";
import { type PreparedRequest, prepareRequest } from "./request.ts";
import { affordableRequest, type Reservation, reserve } from "./reserve.ts";
import { retryDelay } from "./retry.ts";
import { type PartialAnswer, readAnswer } from "./stream.ts";
import { usableAnswer, usableUsage } from "./usable-answer.ts";

export type ModelOutcome =
  | {
      readonly kind: "answer";
      readonly response: Response;
      readonly calls: readonly ToolCallData[];
      /** True if a limit, and not the model, may have ended the answer. */
      readonly isShortened: boolean;
    }
  | { readonly kind: "cut"; readonly cut: StreamCut }
  | { readonly kind: "interrupted" }
  /** A limit does not allow the cost of the request. */
  | { readonly kind: "unaffordable"; readonly message: string }
  | { readonly kind: "overflow"; readonly failure: InputError; readonly incomplete?: boolean; readonly error?: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** `again`: a hook changed the request that failed. */
type Attempted = ModelOutcome | { readonly kind: "again" };

/** Marks an answer that an interrupt stopped, so that only a part of it was kept. */
export const BROKEN_OFF = "interrupted";

/** Each attempt keeps less of the history; after this many we give up. */
const MOST_OVERFLOWS = 3;
/** A hook that always says "again" would loop forever. */
const MOST_REPLACEMENTS = 8;
/** An answer that ends above this share of the window was ended by the window, not by its own limit. */
const FULL = 0.97;

export async function callModel(core: WholeSession, signal: AbortSignal): Promise<ModelOutcome> {
  let overflows = 0;
  let refusals = 0;
  let replacements = 0;
  for (;;) {
    if (signal.aborted) return { kind: "interrupted" };
    const prepared = await prepareRequest(core, signal);
    const outcome = await attemptUntilAnswered(core, signal, prepared, replacements++ < MOST_REPLACEMENTS);
    if (outcome.kind === "again") continue;
    // We may have to drop parts twice: first the newest attachments, then thinking.
    if (outcome.kind === "failed" && refusals++ < 2 && leaveOutRefused(core, outcome.error)) continue;
    if (outcome.kind !== "overflow") return outcome;
    overflows += 1;
    const info = outcome.incomplete
      ? { ...prepared.info, incomplete: true }
      : afterOverflow(core, prepared.info, outcome.error);
    if (overflows > MOST_OVERFLOWS) return outcome;
    if (!(await makeRoom(core, signal, info)) && !fitsWindow(info)) return outcome;
  }
}

async function attemptUntilAnswered(
  core: WholeSession,
  signal: AbortSignal,
  { info, profile }: PreparedRequest,
  isReplaceable: boolean,
): Promise<Attempted> {
  let failures = 0;
  let midStream = 0;
  let firstFailure: number | undefined;
  for (;;) {
    const { turns } = core.config.budget;
    // An agent that started in the meantime may have used the last turn.
    if (turns && core.ledger.amountsLeft(core.config.budget, 0).turns <= 0)
      return { kind: "unaffordable", message: usedUpText("turns", turns) };
    const reservation = affordableRequest(core, profile, info.request, () => mostTokensOfPrompt(core, info));
    if ("message" in reservation) return { kind: "unaffordable", message: reservation.message };
    const { intent, release } = await reserve(core, "request", reservation);
    const asked: Asked = { core, profile, intent, reservation };
    // Never throws; the cost is counted before anything else can run.
    const result = await readAnswer(core, signal, reservation.request);
    release();
    core.prefix.record();
    if (result.kind === "response") {
      const response = await readableAnswer(core, signal, result.response, info.request.tools);
      if (!endedByWindow(response, profile) || !core.seams.handles("onOverflow"))
        return recordAnswer(core, asked, response);
      return incomplete(core, profile, intent, response);
    }
    if (signal.aborted) {
      keepPartial(asked, result.partial);
      return { kind: "interrupted" };
    }
    if (result.kind === "cut") {
      const { cut, partial } = result;
      if (cut.discard === undefined) keepPartial(asked, partial);
      else dropPartial(asked, partial, cut.discard);
      return { kind: "cut", cut };
    }
    const { error, partial } = result;
    settleFailure(asked, error, partial);
    failures += 1;
    if (partial.text !== "") midStream += 1;
    firstFailure ??= core.deps.now();
    const elapsedMs = failures === 1 ? 0 : core.deps.now() - firstFailure;
    const delay = retryDelay(error, { failures, midStream, elapsedMs }, core.config.retry, core.deps.random);
    const failure = failureOf(error);
    const isOverflow = error instanceof ContextLengthError;
    const isReplaced =
      delay === undefined &&
      isReplaceable &&
      !isOverflow &&
      (await core.seams.onFailure({ failure, request: info }, signal));
    if (delay === undefined && !isReplaced) {
      closeAnswer(core, partial);
      return isOverflow ? { kind: "overflow", failure, error } : { kind: "failed", error };
    }
    core.emit("retry", {
      attempt: failures,
      delay_ms: Math.round(delay ?? 0),
      discards: partial.started,
      kind: failure.kind,
      error_type: failure.type,
      message: failure.message,
    });
    if (delay === undefined) return { kind: "again" };
    try {
      await sleep(core.deps, delay, signal);
    } catch {
      return { kind: "interrupted" };
    }
  }
}

/** A request that was sent. */
interface Asked {
  readonly core: SessionLog & HostChoices & ModelContext & Work;
  readonly profile: Profile;
  readonly intent: IntentLine;
  readonly reservation: Reservation;
}

/** A hook may have replaced the conversation's request by another one. */
function mostTokensOfPrompt(core: WholeSession, { request }: RequestInfo): number {
  const own = core.messages();
  const isOwn =
    own.length === request.messages.length && own.at(-1) === request.messages.at(-1) && own[0] === request.messages[0];
  const ofRequest = isOwn ? 0 : request.messages.reduce((sum, message) => sum + mostTokensOf(message), 0);
  return Math.max(core.meter.mostTokens(), ofRequest);
}

function recordAnswer(core: WholeSession, { profile, intent, reservation }: Asked, response: Response): ModelOutcome {
  const cost = priceOf(core, profile, response.usage);
  const message = usableAnswer(response.message, {
    callIds: core.callIds,
    isTool: (name) => core.tools.get(name) !== undefined,
  });
  core.append({
    type: "message",
    id: intent.for,
    message,
    provider: response.provider,
    model: profile.model,
    responseId: response.id,
    usage: usableUsage(response.usage),
    ...costField(cost),
    finishReason: response.finishReason,
  });
  core.account(response.usage, response.provider, cost ?? 0);
  core.meter.recordUsage(response.usage, response.provider);
  core.turns += 1;
  core.ledger.turn();
  core.recordAnswer(response.text, response.finishReason.reason);
  core.emit("assistant_text_end", {
    text: response.text,
    reasoning: response.reasoning ?? "",
    entry_id: intent.for,
    message,
    finish: response.finishReason.reason,
    ...(cost === undefined ? {} : { cost }),
  });
  const calls = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));
  return { kind: "answer", response, calls, isShortened: reservation.isShortened };
}

function endedByWindow({ finishReason, usage, provider }: Response, { contextWindowSize }: Profile): boolean {
  if (finishReason.reason !== "length" || contextWindowSize <= 0) return false;
  return promptTokens(usage, provider) + billedOutputTokens(usage, provider) >= FULL * contextWindowSize;
}

/** The answer was paid for, but we keep none of it: once there is room, we request it again. */
function incomplete(
  core: SessionLog & HostChoices & ModelContext & Work,
  profile: Profile,
  intent: IntentLine,
  response: Response,
): ModelOutcome {
  const message = "the context was full before the answer was complete";
  const usage = usableUsage(response.usage);
  const cost = priceOf(core, profile, usage);
  core.journal.settle(intent.id, "failed", {
    error: message,
    usage: comparableUsage(usage, response.provider),
    ...costField(cost),
  });
  core.account(usage, response.provider, cost ?? 0);
  const kind = "overflow";
  const type = ContextLengthError.name;
  core.emit("retry", { attempt: 1, delay_ms: 0, discards: true, kind, error_type: type, message });
  return { kind, incomplete: true, failure: { message, kind, type } };
}

/**
 * Keeps an answer that was stopped on purpose: the user saw its text, so the model keeps it too. Unfinished thinking
 * and calls cannot be replayed and are dropped.
 */
function keepPartial(asked: Asked, partial: PartialAnswer): void {
  const { core, profile, intent } = asked;
  let message: Message | undefined;
  const billed = billedOf(asked, partial);
  if (partial.text.trim() === "") {
    core.journal.settle(intent.id, "cancelled", comparable(asked, billed));
  } else {
    message = Message.assistant(partial.text);
    core.append({
      type: "message",
      id: intent.for,
      message,
      provider: profile.provider ?? profile.id,
      model: profile.model,
      finishReason: { reason: "other", raw: BROKEN_OFF },
      ...billed,
    });
    core.turns += 1;
    core.ledger.turn();
  }
  account(asked, billed);
  closeAnswer(core, partial, message && { entry_id: intent.for, message });
}

/**
 * Drops an answer that a hook refused. It was paid for and is not shown again. It counts as a turn, so that a turn
 * limit ends a hook that refuses everything.
 */
function dropPartial(asked: Asked, partial: PartialAnswer, message: string): void {
  const { core, intent } = asked;
  const billed = billedOf(asked, partial);
  core.journal.settle(intent.id, "cancelled", comparable(asked, billed));
  account(asked, billed);
  core.turns += 1;
  core.ledger.turn();
  if (!partial.started) return;
  core.emit("retry", {
    attempt: 0,
    delay_ms: 0,
    discards: true,
    kind: "cancelled",
    error_type: "stream_cut",
    message,
  });
}

function closeAnswer(
  core: SessionLog & Work,
  partial: PartialAnswer,
  kept?: { readonly entry_id: string; readonly message: Message },
): void {
  if (!partial.started) return;
  // The beginning of a failed answer is not kept and does not count as the input's answer.
  if (kept) core.recordAnswer(partial.text, "interrupted");
  core.emit("assistant_text_end", {
    text: partial.text,
    reasoning: partial.reasoning,
    finish: "interrupted",
    interrupted: true,
    ...kept,
  });
}

function settleFailure(asked: Asked, error: unknown, partial: PartialAnswer): void {
  const billed = billedOf(asked, partial, error);
  asked.core.journal.settle(asked.intent.id, "failed", { error: messageOf(error), ...comparable(asked, billed) });
  account(asked, billed);
}

/** The cost of an answer that did not finish: what the vendor has reported so far, and what it may still charge. */
interface CutBill {
  readonly usage?: Usage;
  readonly cost?: number;
  readonly uncertain?: RequestAmounts;
}

function billedOf({ core, profile, reservation }: Asked, partial: PartialAnswer, error?: unknown): CutBill | undefined {
  const said = partial.usage && usableUsage(partial.usage);
  const usage = said && said.totalTokens > 0 ? said : undefined;
  const cost = usage && priceOf(core, profile, usage);
  const tokens = usage ? comparableUsage(usage, profile.provider ?? profile.id).totalTokens : 0;
  const cut = { hasBegun: partial.started, tokens, cost: cost ?? 0, error };
  const uncertain = uncertainBill(reservation.amounts, cut);
  if (!usage && !uncertain) return undefined;
  return { ...(usage ? { usage } : {}), ...costField(cost), ...(uncertain ? { uncertain } : {}) };
}

/** Converts the usage to comparable counts, because settle lines do not say whose counts they hold. */
function comparable({ profile }: Asked, billed: CutBill | undefined): CutBill {
  if (!billed?.usage) return billed ?? {};
  return { ...billed, usage: comparableUsage(billed.usage, profile.provider ?? profile.id) };
}

function account({ core, profile }: Asked, billed: CutBill | undefined): void {
  if (billed?.usage) core.account(billed.usage, profile.provider ?? profile.id, billed.cost ?? 0);
  if (billed?.uncertain) core.ledger.addUncertain(billed.uncertain);
}

async function makeRoom(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  signal: AbortSignal,
  info: RequestInfo,
): Promise<boolean> {
  const verdict = await core.seams.onOverflow(info, signal);
  if (!verdict) return false;
  if ("retry" in verdict) return true;
  if ("compact" in verdict) return (await applyCompaction(core, verdict.compact, signal)).problem === undefined;
  applyPrune(core, verdict.prune);
  return true;
}
