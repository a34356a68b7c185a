// One tool call: LOOKUP, VALIDATE, DECLARE, APPROVE, EXECUTE, TRUNCATE, EMIT, RETURN. A tool's failure never throws
// here; every call ends with exactly one result entry and one tool_call_end.

import { type JsonObject, type Message, messageOf, type ToolCallData } from "@lathe/llm";
import { DeadlineError, DeadlineHold, endInTime, withDeadline } from "../../base/time/deadline.ts";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import type { RegisteredTool } from "../../contract/registry/registry.ts";
import { validateArguments } from "../../contract/registry/validate.ts";
import type { CallInfo, OuterCall, ProposedCall } from "../../contract/seams/types.ts";
import {
  type Access,
  type CallScope,
  type DeclaredAccess,
  type FromWeb,
  PlanChanged,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from "../../contract/tool.ts";
import { linksIn } from "../../files/web/links.ts";
import { INTERRUPTED_RESULT } from "../../record/journal/context.ts";
import { JournalError } from "../../record/journal/errors.ts";
import { GuardedEnvironment } from "../../world/env/guarded.ts";
import { EnvError } from "../../world/env/types.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox, WholeSession } from "../facades.ts";
import { askApproval } from "./approval.ts";
import { argumentsOf, cardOf } from "./card.ts";
import { fillIn, keptNote } from "./fill-in.ts";
import { type CallOutcome, failure, finishCall, type StartedCall } from "./finish-call.ts";
import { LiveOutput } from "./live-output.ts";
import { type CallPlace, Nest, nestedReport } from "./nest.ts";
import { previewOf, summaryOf } from "./preview.ts";

/** How long a tool may take to stop: the shell needs 2 s to end a stubborn process group. */
const TOOL_GRACE_MS = 2500;
/** How often we plan and ask about a call again because its files keep changing. */
const MOST_PLANS = 5;
const SKIPPED = "skipped: user steered";
export const EFFECTS_UNKNOWN = "[interrupted, effects unknown: this call may or may not have taken effect]";
const INCOMPLETE_CALL = "[not run: the answer reached the output limit before this call was complete]";

/** Why a call is answered without being examined. */
export type Bypass = "skipped" | "incomplete" | undefined;
const OVER_LIMIT = "[not run: the limit of tool calls is used up]";

export async function runCall(
  core: WholeSession,
  signal: AbortSignal,
  call: ToolCallData,
  place: CallPlace,
  bypass?: Bypass,
): Promise<ToolResult> {
  const found = core.tools.get(call.name);
  const registered = found?.tool.hidden && !place.within ? undefined : found;
  const args = argumentsOf(call);
  const started: StartedCall = {
    call,
    tool: registered?.tool,
    args,
    summary: summaryOf(registered?.tool, args),
    startedAt: core.deps.now(),
    within: place.within,
  };
  core.emit("tool_call_start", {
    call_id: call.id,
    ...(place.within === undefined ? {} : { nested_in: place.within.callId }),
    tool_name: call.name,
    label: registered?.tool.label ?? call.name,
    // These are for people; the arguments below are the model's own text and stay as they are.
    ...core.redact({ summary: started.summary, card: cardOf(started) }),
    arguments: args,
  });
  let outcome: CallOutcome;
  try {
    if (bypass === "skipped") outcome = { ...failure(SKIPPED), settled: "skipped" };
    else if (!admitCall(core)) outcome = { ...failure(OVER_LIMIT), settled: "skipped" };
    else if (bypass === "incomplete") outcome = failure(INCOMPLETE_CALL);
    else if (!registered) outcome = failure(core.tools.explainMissing(call.name));
    else if (registered.tool.exclusive)
      outcome = await place.lane.run(core.deps, signal, () => settleCall(core, signal, registered, call, place));
    else outcome = await settleCall(core, signal, registered, call, place);
  } catch (error) {
    // Only an unwritable journal may end the loop from inside a call.
    if (error instanceof JournalError) throw error;
    if (signal.aborted) outcome = { ...failure(INTERRUPTED_RESULT), settled: "interrupted" };
    else outcome = failure(error instanceof ToolFailure ? error.message : toolError(call.name, error));
  }
  return finishCall(core, started, outcome);
}

/** Counts the call. Returns false if the limit does not allow another one. */
function admitCall({ ledger, config, input }: WholeSession): boolean {
  if (ledger.amountsLeft(config.budget, 0).calls <= 0) {
    if (input) input.refusedCalls = true;
    return false;
  }
  ledger.call();
  return true;
}

async function settleCall(
  core: WholeSession,
  signal: AbortSignal,
  registered: RegisteredTool,
  call: ToolCallData,
  place: CallPlace,
): Promise<CallOutcome> {
  const checked = await checkArguments(registered, call);
  if ("error" in checked) return failure(checked.error);
  let proposed = propose(registered, call.id, checked.args, place.within);
  const before = await core.seams.beforeCall(proposed, signal);
  if ("block" in before) return failure(before.block);
  if (before.args !== proposed.args) {
    const again = await checkArguments(registered, { ...call, arguments: before.args });
    if ("error" in again) return failure(again.error);
    proposed = propose(registered, call.id, again.args, place.within);
  }
  const key = `${call.name} ${JSON.stringify(proposed.args)}`;
  for (let plans = 0; plans < MOST_PLANS; plans++) {
    const declared = await declare(core, signal, registered, proposed);
    const denied = place.tree.denied.get(key) ?? (await askApproval(core, signal, declared.info));
    if (denied !== undefined) {
      place.tree.denied.set(key, denied);
      return failure(denied);
    }
    const outcome = await execute(core, signal, registered, declared, place);
    if (outcome !== "plan_changed") return outcome;
  }
  return failure(
    "The files of this call kept changing while it was being approved. Nothing was written. Try again later.",
  );
}

async function checkArguments(
  { tool }: RegisteredTool,
  call: ToolCallData,
): Promise<{ args: JsonObject } | { error: string }> {
  const checked = await validateArguments(call, tool.schema);
  if (checked.ok) return { args: checked.args };
  return { error: `Invalid arguments for tool: ${tool.name}\n${checked.message}` };
}

function propose(
  { tool }: RegisteredTool,
  callId: string,
  args: JsonObject,
  within: OuterCall | undefined,
): ProposedCall {
  const tier = typeof tool.tier === "function" ? tool.tier(args) : tool.tier;
  return { callId, tool, args, tier, summary: summaryOf(tool, args), ...(within === undefined ? {} : { within }) };
}

interface DeclaredCall {
  readonly info: CallInfo;
  readonly scope: CallScope;
  /** The plan in the preview that the user approved. */
  approvedPlan?: string;
  /** Placeholders of secrets that the call does not get. */
  readonly kept: readonly string[];
}

/** From here on the arguments do not change: we look up once what the call will access. */
async function declare(
  core: HostChoices & Toolbox,
  signal: AbortSignal,
  registered: RegisteredTool,
  proposed: ProposedCall,
): Promise<DeclaredCall> {
  const { env } = core.options;
  const scope: CallScope = {
    env,
    signal,
    paths: new CallPaths(env, signal),
    services: core.services,
  };
  const { tool } = proposed;
  signal.throwIfAborted();
  const within = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    endInTime(
      core.deps,
      { what: `${what} of ${tool.name}`, ms: core.config.hookTimeoutMs, graceMs: 0, signal },
      work(),
    );
  const around = core.options.aroundAccess ?? ((_call, look) => look());
  let kept: readonly string[] = [];
  let call = proposed;
  const look = (): Promise<DeclaredAccess> =>
    withReadableErrors(async () => {
      const filled = await fillIn(core, proposed, async (args) => tool.access?.(args, scope));
      if (filled.args !== proposed.args) call = propose(registered, proposed.callId, filled.args, proposed.within);
      kept = filled.kept;
      return filled.access;
    });
  const access = tool.access && (await within("the access", () => around(proposed, look)));
  let preview: ReturnType<CallInfo["preview"]> | undefined;
  const declared: DeclaredCall = {
    scope,
    kept,
    info: {
      ...call,
      access,
      preview: () => {
        preview ??= within("the preview", async () => {
          const planned = await withReadableErrors(() => previewOf(tool, call.args, scope));
          if (planned.plan !== undefined) declared.approvedPlan = planned.plan;
          return planned;
        });
        return preview;
      },
    },
  };
  return declared;
}

/** Runs a lookup and turns an environment's error about a path into text for the model. */
async function withReadableErrors<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EnvError ? new ToolFailure(error.message) : error;
  }
}

async function execute(
  core: WholeSession,
  signal: AbortSignal,
  { tool, executor }: RegisteredTool,
  declared: DeclaredCall,
  place: CallPlace,
): Promise<CallOutcome | "plan_changed"> {
  signal.throwIfAborted();
  const call = declared.info;
  const intent = await core.journal.intent({
    effect: "tool",
    callId: call.callId,
    tool: tool.name,
    replay: tool.replay,
    ...(call.within && { within: call.within.callId, summary: core.redact(call.summary) }),
  });
  const entryId = intent.for;
  const ms = tool.timeoutMs ?? core.config.defaultToolTimeoutMs;
  const live = new LiveOutput(core, call.callId);
  const hold = new DeadlineHold();
  let nest: Nest | undefined;
  try {
    const around = core.options.aroundExecute ?? ((_call, runIt) => runIt());
    const result = await withDeadline(
      core.deps,
      { what: `tool ${tool.name}`, ms, graceMs: TOOL_GRACE_MS, signal, hold },
      (inner) => {
        const run = (within: AbortSignal, nested: ToolCallData, where: CallPlace) =>
          runCall(core, within, nested, where);
        const calls = new Nest({ outer: call, place, signal: inner, hold, around: core.options.aroundNested, run });
        nest = calls;
        const work = async (): Promise<ToolResult> => {
          inner.throwIfAborted();
          const running = executor(call.args, toolContext(core, declared, inner, live, calls));
          // We flush here and not later: events emitted while a tool runs are not part of a recording.
          const returned = await Promise.resolve(running).finally(() => live.flush());
          return wholeResult(returned, declared);
        };
        return around(call, work, calls.call);
      },
    );
    await nest?.end();
    // An interrupted tool's own result does not include the work of its nested calls.
    const whole = withWebSources(signal.aborted ? withNestedCalls(core, call, result) : result, nest);
    return { result: await afterCall(core, signal, call, whole), entryId };
  } catch (error) {
    await nest?.end();
    if (error instanceof JournalError) throw error;
    if (signal.aborted) {
      const nested = nestedReport(core.journal, call.callId);
      const text = tool.replay === "safe" && nested === "" ? INTERRUPTED_RESULT : EFFECTS_UNKNOWN;
      return { ...failure(`${text}${nested}`), entryId, settled: "interrupted" };
    }
    if (error instanceof PlanChanged) {
      core.journal.settle(intent.id, "cancelled");
      return "plan_changed";
    }
    return { result: await afterCall(core, signal, call, failedResult(call, error)), entryId };
  } finally {
    live.close();
  }
}

function withNestedCalls(core: WholeSession, { callId }: CallInfo, result: ToolResult): ToolResult {
  const text = nestedReport(core.journal, callId).trimStart();
  return text === "" ? result : { ...result, content: [...result.content, { kind: "text", text }] };
}

function withWebSources(result: ToolResult, nest: Nest | undefined): ToolResult {
  if (!nest || nest.webSources.size === 0 || result.fromWeb) return result;
  return { ...result, fromWeb: { source: [...nest.webSources].join(", "), links: [] } };
}

/** Runs inside the recorded part, because a replay knows neither files nor secrets. */
function wholeResult(returned: ToolResult | string, { kept, scope }: DeclaredCall): ToolResult {
  const plain: ToolResult = typeof returned === "string" ? { content: [{ kind: "text", text: returned }] } : returned;
  // Tools of hosts and extensions may not be type-checked.
  if (!Array.isArray(plain?.content)) throw new Error("it returned neither text nor a result");
  const result = withNote(plain, kept);
  const { shown, pages } = scope.paths;
  return {
    ...result,
    ...(shown.size === 0 ? {} : { reads: [...shown] }),
    ...(pages.size === 0 || result.fromWeb ? {} : { fromWeb: webFacts(result, pages) }),
  };
}

function webFacts({ content }: ToolResult, pages: ReadonlyMap<string, string | undefined>): FromWeb {
  const text = content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  // We cannot tell which page a part of the text comes from, so a single page whose links are hidden hides all of them.
  const bases = [...pages.values()].flatMap((base) => base ?? []);
  const links = bases.length < pages.size ? [] : bases.flatMap((base) => linksIn(text, base));
  return { source: [...pages.keys()].join(", "), links };
}

function withNote(result: ToolResult, kept: readonly string[]): ToolResult {
  if (kept.length === 0) return result;
  return { ...result, content: [...result.content, { kind: "text", text: keptNote(kept) }] };
}

/**
 * The tool's effects are known, so an interrupt ends only the hooks and keeps the result. Results of failed calls pass
 * the hooks too.
 */
function afterCall(core: Toolbox, signal: AbortSignal, call: CallInfo, result: ToolResult): Promise<ToolResult> {
  return core.seams.afterCall(call, result, signal).catch((error: unknown) => {
    if (signal.aborted) return result;
    throw error;
  });
}

function failedResult(call: CallInfo, error: unknown): ToolResult {
  const text = error instanceof ToolFailure ? error.message : toolError(call.tool.name, error);
  const details = error instanceof ToolFailure ? error.details : undefined;
  return {
    ...failure(text).result,
    ...(details === undefined ? {} : { details }),
    ...(error instanceof DeadlineError ? { effects: "unknown" as const } : {}),
  };
}

const toolError = (name: string, error: unknown): string => `Tool error (${name}): ${messageOf(error)}`;

function toolContext(
  core: SessionLog & ModelContext,
  { scope, info, approvedPlan }: DeclaredCall,
  signal: AbortSignal,
  live: LiveOutput,
  nest: Nest,
): ToolContext {
  const { callId } = info;
  return {
    ...scope,
    env: permittedEnv(scope, info.access),
    signal,
    callId,
    onOutput: (delta, stream) => live.push(delta, stream),
    openArtifact: (name) => core.artifacts.open(name),
    blobs: core.journal.blobs,
    messages: () => upToAnswer(core.messages()),
    call: nest.call,
    ...(approvedPlan === undefined ? {} : { approvedPlan }),
  };
}

/** In the context, unanswered calls have results as if they had been interrupted. A tool must not read those. */
function upToAnswer(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** A call that declares what it writes can write nothing else. */
function permittedEnv({ env }: CallScope, access: readonly Access[] | undefined): CallScope["env"] {
  if (access === undefined) return env;
  const paths = new Set(access.flatMap((item) => (item.kind === "write" ? [item.path] : [])));
  return new GuardedEnvironment(env, {
    mayWrite: (path) => paths.has(path) || "The call did not declare that it would write this file.",
  });
}
