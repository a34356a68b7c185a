// A model call outside the conversation, for hooks: a summary, a title, a judgement. Its intent is journalled before it
// is sent and its cost after it. It is retried like a request of the conversation and has its own deadline.

import { createHash } from "node:crypto";
import {
  comparableUsage,
  type JsonObject,
  messageOf,
  type Request,
  type Response,
  type ToolCallData,
  type Usage,
} from "@lathe/llm";
import { Checker, number, openObject, optional, text } from "@lathe/llm/schema";
import { NO_USAGE, plainUsage } from "../base/budget/ledger.ts";
import { uncertainBill } from "../base/budget/request-bounds.ts";
import { sleep, withDeadline } from "../base/time/deadline.ts";
import type { Billed } from "../contract/billed.ts";
import type { CustomEntry, IntentLine } from "../contract/journal.ts";
import type { SideAnswer, SideCall } from "../contract/seams/types.ts";
import { SessionError } from "../contract/session-error.ts";
import { isObject, wrongArgument } from "../contract/wrong-argument.ts";
import { JournalError } from "../record/journal/errors.ts";
import { usageShape } from "../record/journal/line-shapes.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { RetryConfig } from "./config.ts";
import type { HostChoices, ModelContext, SessionLog, Work } from "./facades.ts";
import { costField, priceOf } from "./price.ts";
import { describeRequest } from "./request.ts";
import { type Reservation, reserve, reserveSideRequest } from "./reserve.ts";
import { retryDelay } from "./retry.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
export const GRACE_MS = 500;
export const OUTCOME_TYPE = "maintenance";

export async function sideCall(
  core: SessionLog & HostChoices & ModelContext & Work,
  role: string,
  call: SideCall,
  signal: AbortSignal,
): Promise<SideAnswer> {
  if (!isObject(call) || !Array.isArray(call.messages))
    throw wrongArgument("callModel: the call", "{ messages }", call);
  const ms = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const limits = { what: `the model call for ${role}`, ms, graceMs: GRACE_MS, signal };
  return withDeadline(core.deps, limits, (inner) => askModel(core, role, call, inner));
}

/** Instead of a longer wait we try the next model. */
const LONG_WAIT_MS = 5_000;

async function askModel(
  core: SessionLog & HostChoices & ModelContext & Work,
  role: string,
  call: SideCall,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const chosen = call.continuing ? [] : (core.options.profilesForRole?.(role) ?? []);
  const profiles = chosen.length === 0 ? [core.profile] : chosen;
  const startedAt = core.deps.now();
  for (const profile of profiles.slice(0, -1)) {
    try {
      return await callProfile(core, profile, { role, call, startedAt, mostWaitMs: LONG_WAIT_MS }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JournalError || error instanceof SessionError) throw error;
    }
  }
  const last = { role, call, startedAt, mostWaitMs: Number.POSITIVE_INFINITY };
  return callProfile(core, profiles.at(-1)!, last, signal);
}

/** The session's own limits, or tighter ones if the call has less patience. */
function retryLimits({ retry }: HostChoices["config"], { patience }: SideCall): RetryConfig {
  if (patience === undefined) return retry;
  return {
    ...retry,
    maxRetries: Math.min(retry.maxRetries, patience.tries - 1),
    maxTotalMs: retry.maxTotalMs > 0 ? Math.min(retry.maxTotalMs, patience.withinMs) : patience.withinMs,
  };
}

interface Asked {
  readonly role: string;
  readonly call: SideCall;
  /** When the first model was asked. */
  readonly startedAt: number;
  readonly mostWaitMs: number;
}

async function callProfile(
  core: SessionLog & HostChoices & ModelContext & Work,
  profile: Profile,
  { role, call, startedAt, mostWaitMs }: Asked,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const provider = profile.provider ?? profile.id;
  const { request: live } = call.continuing ? describeRequest(core) : { request: undefined };
  const request: Request = {
    ...live,
    ...(call.tools === undefined ? {} : { tools: call.tools }),
    ...toolChoiceOf(call, profile),
    model: profile.model,
    provider,
    messages: live ? [...live.messages, ...call.messages] : call.messages,
    ...(call.maxTokens === undefined ? {} : { maxTokens: call.maxTokens }),
    ...(call.responseFormat === undefined ? {} : { responseFormat: call.responseFormat }),
    ...(call.reasoningEffort === undefined ? {} : { reasoningEffort: call.reasoningEffort }),
  };
  const key = call.reuse ? digestOf(request) : undefined;
  const known = key === undefined ? undefined : keptAnswer(core.journal, key);
  if (known) return known;
  const limits = retryLimits(core.config, call);
  for (let failures = 1; ; failures++) {
    const reservation = reserveSideRequest(core, profile, request, live !== undefined);
    const { intent, release } = await reserve(core, "maintenance", reservation);
    try {
      const response = await core.client.complete(reservation.request, { signal }).finally(release);
      const { usage } = response;
      const finish = response.finishReason.reason;
      const cost = priceOf(core, profile, usage);
      const model = `${provider}/${profile.model}`;
      core.append({
        type: "custom",
        id: intent.for,
        customType: OUTCOME_TYPE,
        data: {
          role,
          model,
          usage: plainUsage(comparableUsage(usage, provider)),
          ...costField(cost),
          ...(key === undefined ? {} : { key, text: response.text, finish }),
        },
      });
      core.account(usage, provider, cost ?? 0);
      return { text: response.text, calls: call.tools ? callsIn(response) : [], model, finish, usage, cost: cost ?? 0 };
    } catch (error) {
      if (!core.journal.has(intent.for)) settleCut(core, intent, { reservation, error, signal });
      signal.throwIfAborted();
      const elapsedMs = core.deps.now() - startedAt;
      const delay = retryDelay(error, { failures, midStream: 0, elapsedMs }, limits, core.deps.random);
      if (delay === undefined || delay > mostWaitMs) throw error;
      await sleep(core.deps, delay, signal);
    }
  }
}

/** The vendor may still bill a call that we gave up on. */
export function settleCut(
  core: SessionLog & Work,
  intent: IntentLine,
  cut: {
    readonly reservation: Reservation;
    readonly error: unknown;
    readonly signal: AbortSignal;
  },
): void {
  const { reservation, error, signal } = cut;
  const failure = signal.aborted ? undefined : error;
  const uncertain = uncertainBill(reservation.amounts, { hasBegun: false, tokens: 0, cost: 0, error: failure });
  core.journal.settle(intent.id, signal.aborted ? "cancelled" : "failed", {
    error: messageOf(error),
    ...(uncertain ? { uncertain } : {}),
  });
  if (uncertain) core.ledger.addUncertain(uncertain);
}

function toolChoiceOf({ toolChoice }: SideCall, { modelInfo }: Profile): Pick<Request, "toolChoice"> {
  const isForced = toolChoice?.mode === "named" || toolChoice?.mode === "required";
  return toolChoice === undefined || (isForced && modelInfo?.refusesForcedTools) ? {} : { toolChoice };
}

const callsIn = ({ message }: Response): ToolCallData[] =>
  message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));

export const digestOf = (request: Pick<Request, "provider" | "model" | "messages">): string =>
  createHash("sha256")
    .update(JSON.stringify([request.provider, request.model, request.messages]))
    .digest("hex");

function keptAnswer(journal: SessionLog["journal"], key: string): SideAnswer | undefined {
  const kept = keptOutcome(journal, key, KEPT) as { text: string; model: string; finish: string } | undefined;
  return kept && { text: kept.text, calls: [], model: kept.model, finish: kept.finish, usage: NO_USAGE, cost: 0 };
}
const KEPT = new Checker(openObject({ key: text(), text: text(), model: text(), finish: text() }));

/** Looks only at outcomes since the last compaction: older ones have served their purpose and are paid for. */
export function keptOutcome(journal: SessionLog["journal"], key: string, checker: Checker): JsonObject | undefined {
  for (let id = journal.leaf; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta || meta.type === "compaction") return undefined;
    if (meta.type === "custom") {
      const { customType, data } = journal.entry(id) as CustomEntry;
      if (customType === OUTCOME_TYPE && checker.fits(data) && (data as JsonObject)["key"] === key)
        return data as JsonObject;
    }
    id = meta.parentId;
  }
  return undefined;
}

/** One call outside the conversation. */
export interface SideCost {
  readonly role: string;
  /** `provider/id`. */
  readonly model: string;
  /** In comparable counts. */
  readonly usage: Usage;
  /** Absent when the price is not known. */
  readonly cost?: number;
}

/**
 * Records what others billed for a call, such as a vendor for a search. It counts like a model call outside the
 * conversation.
 */
export function recordBilled(core: SessionLog & Work, role: string, { model, usage = NO_USAGE, cost }: Billed): void {
  const data = { role, model, usage: plainUsage(usage), ...costField(cost) };
  core.append({ type: "custom", customType: OUTCOME_TYPE, data });
  core.account(usage, "", cost ?? 0);
}

/** What a side call cost, from its outcome entry. */
export function sideCost({ customType, data }: Pick<CustomEntry, "customType" | "data">): SideCost | undefined {
  return customType === OUTCOME_TYPE && PAID.fits(data) ? (data as unknown as SideCost) : undefined;
}
const PAID = new Checker(openObject({ role: text(), model: text(), usage: usageShape, cost: optional(number()) }));
