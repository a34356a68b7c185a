// One tool call: LOOKUP, VALIDATE, APPROVE, EXECUTE, TRUNCATE, EMIT, RETURN. Never throws for what a tool does; every
// call ends with exactly one result entry and one tool_call_end.

import { type ImageData, type JsonObject, type JsonValue, Message, type ToolCallData } from "@lathe/llm";
import { INTERRUPTED_RESULT } from "../journal/context.ts";
import { JournalError } from "../journal/errors.ts";
import type { MessageEntry } from "../journal/types.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { validateArguments } from "../registry/validate.ts";
import { messageOf } from "../seams/run.ts";
import type { CallInfo } from "../seams/types.ts";
import { type ToolContext, ToolFailure, type ToolResult } from "../tools/types.ts";
import { outputLimit } from "../truncate/limits.ts";
import { truncateOutput } from "../truncate/truncate.ts";
import { keepOutput } from "./artifact-output.ts";
import type { InputRun, SessionCore } from "./core.ts";
import { DeadlineError, withDeadline } from "./deps.ts";
import { LiveOutput } from "./live-output.ts";

/** A tool that was told to stop gets this long: the shell needs 2 s to end a stubborn process group. */
const TOOL_GRACE_MS = 2500;
const SKIPPED = "skipped: user steered";
export const EFFECTS_UNKNOWN = "[interrupted, effects unknown: this call may or may not have taken effect]";
const CUT_CALL = "[not run: the answer was cut off at the output limit before this call was complete]";

interface Outcome {
  readonly result: ToolResult;
  /** Reserved by the intent. */
  readonly entryId?: string;
  readonly settled?: "interrupted" | "skipped";
}

/** Why a call is answered without being looked at. */
export type Bypass = "skipped" | "cut" | undefined;

export async function runCall(core: SessionCore, run: InputRun, call: ToolCallData, bypass: Bypass): Promise<void> {
  const startedAt = core.deps.now();
  core.emit("tool_call_start", { call_id: call.id, tool_name: call.name, arguments: argumentsOf(call) });
  let outcome: Outcome;
  try {
    if (bypass === "skipped") outcome = { ...failure(SKIPPED), settled: "skipped" };
    else if (bypass === "cut") outcome = failure(CUT_CALL);
    else outcome = await settleCall(core, run, call);
  } catch (error) {
    // Only a journal that cannot be written may end the loop from inside a call.
    if (error instanceof JournalError) throw error;
    outcome = run.signal.aborted
      ? { ...failure(INTERRUPTED_RESULT), settled: "interrupted" }
      : failure(`Tool error (${call.name}): ${messageOf(error)}`);
  }
  await finishCall(core, call, outcome, startedAt);
}

async function settleCall(core: SessionCore, run: InputRun, call: ToolCallData): Promise<Outcome> {
  const registered = core.tools.get(call.name);
  if (!registered) return failure(`Unknown tool: ${call.name}`);
  const checked = await checkArguments(registered, call);
  if ("error" in checked) return failure(checked.error);
  let info = describe(registered, call.id, checked.args);
  const before = await core.seams.beforeCall(info, run.signal);
  if ("block" in before) return failure(before.block);
  if (before.args !== info.args) {
    const again = await checkArguments(registered, { ...call, arguments: before.args });
    if ("error" in again) return failure(again.error);
    info = describe(registered, call.id, again.args);
  }
  const denied = await askApproval(core, run, info);
  if (denied !== undefined) return failure(denied);
  return execute(core, run, registered, info);
}

async function checkArguments(
  { tool }: RegisteredTool,
  call: ToolCallData,
): Promise<{ args: JsonObject } | { error: string }> {
  const checked = await validateArguments(call, tool.schema);
  if (checked.ok) return { args: checked.args };
  return { error: `Invalid arguments for tool: ${tool.name}\n${checked.path}: ${checked.message}` };
}

function describe({ tool }: RegisteredTool, callId: string, args: JsonObject): CallInfo {
  return { callId, tool, args, tier: typeof tool.tier === "function" ? tool.tier(args) : tool.tier };
}

/** Undefined: go ahead. Otherwise what the model is told. */
async function askApproval(core: SessionCore, run: InputRun, call: CallInfo): Promise<string | undefined> {
  const verdict = await core.seams.approve(call, run.signal);
  if (!verdict) return undefined;
  let answer: { decision: "allow" | "deny"; by: string; reason?: string };
  if (verdict.decision === "ask") {
    // Open before it is announced: the host may answer at once.
    const pending = awaitAnswer(core, run, call.callId);
    core.emit("approval_request", {
      call_id: call.callId,
      tool_name: call.tool.name,
      arguments: call.args,
      ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    });
    answer = await pending;
  } else {
    answer = { decision: verdict.decision, by: verdict.by ?? "middleware" };
    if (verdict.reason !== undefined) answer.reason = verdict.reason;
  }
  core.journal.write({ type: "decision", callId: call.callId, ...answer });
  if (verdict.decision === "ask") core.emit("approval_settled", { call_id: call.callId, ...answer });
  if (answer.decision === "allow") return undefined;
  return `Denied by ${answer.by}${answer.reason === undefined ? "" : `: ${answer.reason}`}. The call was not run.`;
}

async function awaitAnswer(
  core: SessionCore,
  run: InputRun,
  callId: string,
): Promise<{ decision: "allow" | "deny"; by: string; reason?: string }> {
  const ms = core.config.approvalTimeoutMs;
  try {
    return await withDeadline(core.deps, { what: "the approval", ms, graceMs: 0, signal: run.signal }, (signal) =>
      core.approvals.ask(callId, signal),
    );
  } catch (error) {
    if (!run.signal.aborted) return { decision: "deny", by: "deadline", reason: messageOf(error) };
    core.emit("approval_settled", { call_id: callId, decision: "deny", by: "interrupt" });
    throw error;
  }
}

async function execute(
  core: SessionCore,
  run: InputRun,
  { tool, executor }: RegisteredTool,
  call: CallInfo,
): Promise<Outcome> {
  run.signal.throwIfAborted();
  const intent = await core.journal.intent({
    effect: "tool",
    callId: call.callId,
    tool: tool.name,
    replay: tool.replay,
  });
  const entryId = intent.for;
  const ms = tool.timeoutMs ?? core.config.defaultToolTimeoutMs;
  const live = new LiveOutput(core, call.callId);
  try {
    const around = core.options.aroundExecute ?? ((_call, runIt) => runIt());
    const result = await withDeadline(
      core.deps,
      { what: `tool ${tool.name}`, ms, graceMs: TOOL_GRACE_MS, signal: run.signal },
      (signal) =>
        around(call, async () => {
          const running = executor(call.args, toolContext(core, call.callId, signal, live));
          // Here and not behind: what is told while a tool runs is no part of a recording.
          const returned = await Promise.resolve(running).finally(() => live.flush());
          if (typeof returned === "string") return { content: [{ kind: "text", text: returned }] };
          // Tools of hosts and extensions are not all type-checked.
          if (!Array.isArray(returned?.content)) throw new Error("it returned neither a text nor a result");
          return returned;
        }),
    );
    return { result: await afterCall(core, run, call, result), entryId };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    if (run.signal.aborted) {
      const text = tool.replay === "safe" ? INTERRUPTED_RESULT : EFFECTS_UNKNOWN;
      return { ...failure(text), entryId, settled: "interrupted" };
    }
    return { result: await afterCall(core, run, call, failedResult(call, error)), entryId };
  } finally {
    live.close();
  }
}

/** What the tool did is known: an interrupt ends the hooks and keeps its result. A failed call passes them as well. */
function afterCall(core: SessionCore, run: InputRun, call: CallInfo, result: ToolResult): Promise<ToolResult> {
  return core.seams.afterCall(call, result, run.signal).catch((error: unknown) => {
    if (run.signal.aborted) return result;
    throw error;
  });
}

function failedResult(call: CallInfo, error: unknown): ToolResult {
  const text = error instanceof ToolFailure ? error.message : `Tool error (${call.tool.name}): ${messageOf(error)}`;
  const details = error instanceof ToolFailure ? error.details : undefined;
  return {
    ...failure(text).result,
    ...(details === undefined ? {} : { details }),
    ...(error instanceof DeadlineError ? { effects: "unknown" as const } : {}),
  };
}

function toolContext(core: SessionCore, callId: string, signal: AbortSignal, live: LiveOutput): ToolContext {
  return {
    callId,
    env: core.options.env,
    signal,
    onOutput: (delta, stream) => live.push(delta, stream),
    openArtifact: (name) => core.artifacts.open(name),
    now: core.deps.now,
    services: core.services,
  };
}

/** What a tool of the host gives along may be anything; what is no JSON cannot be kept, and must not end the session. */
function checkedDetails(core: SessionCore, call: ToolCallData, { details }: ToolResult): JsonValue | undefined {
  if (details === undefined || isJson(details)) return details;
  core.warn(`The details that the tool ${call.name} returned are not JSON and were left out.`, "tool_details");
  return undefined;
}

const MOST_NESTING = 200;

/** Deeper than any real value is as good as endless. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth > MOST_NESTING) return false;
  return Object.values(value).every((inner) => isJson(inner, depth + 1));
}

async function finishCall(core: SessionCore, call: ToolCallData, outcome: Outcome, startedAt: number): Promise<void> {
  const { settled } = outcome;
  // Before anything is cut: half a secret would not be found.
  const result = core.redacted(outcome.result);
  const details = checkedDetails(core, call, result);
  const isError = result.isError ?? false;
  const full = textOf(result);
  const { toolOutputLimits, toolLineLimits, toolOutputModes } = core.config;
  const limit = outputLimit(call.name, {
    toolOutputLimits,
    toolLineLimits,
    toolOutputModes: { ...core.profile.toolOutputModes, ...toolOutputModes },
  });
  const output = await keepOutput(core, call.name, {
    full,
    forModel: truncateOutput(full, limit),
    artifact: result.artifact,
  });
  const durationMs = core.deps.now() - startedAt;
  const more = {
    ...(details === undefined ? {} : { details }),
    ...(output.artifact === undefined ? {} : { artifact: output.artifact }),
  };
  const entry = core.append({
    type: "message",
    message: Message.toolResult({
      toolCallId: call.id,
      content: output.forModel,
      isError,
      images: imagesOf(result),
    }),
    durationMs,
    ...more,
    ...(settled === undefined ? {} : { settled }),
    ...(outcome.entryId === undefined ? {} : { id: outcome.entryId }),
  }) as MessageEntry;
  core.emit("tool_call_end", {
    call_id: call.id,
    tool_name: call.name,
    is_error: isError,
    duration_ms: durationMs,
    entry_id: entry.id,
    message: entry.message,
    ...(isError ? { error: output.forHost } : { output: output.forHost }),
    ...more,
  });
}

function failure(text: string): Outcome {
  return { result: { content: [{ kind: "text", text }], isError: true } };
}

function textOf(result: ToolResult): string {
  const texts = result.content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return texts.length === 1 ? texts[0]! : texts.join("\n");
}

function imagesOf(result: ToolResult): ImageData[] {
  return result.content.flatMap((part) => (part.kind === "image" ? [part.image] : []));
}

export function argumentsOf(call: ToolCallData): JsonObject {
  if (typeof call.arguments === "string") return { input: call.arguments };
  return call.rawArguments === undefined ? call.arguments : { ...call.arguments };
}
