// Decides whether a call may run: asks the middleware, which may ask the user.

import { messageOf } from "@lathe/llm";
import { visibleLine } from "../../base/text/visible.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import type { ApprovalAnswer } from "../../contract/approval.ts";
import type { DecidedPart } from "../../contract/journal.ts";
import type { ApprovalVerdict, CallInfo } from "../../contract/seams/types.ts";
import type { PreviewLine } from "../../contract/tool.ts";
import type { HostChoices, SessionLog, Toolbox } from "../facades.ts";

/** Returns undefined if the call may run, otherwise the text that is sent to the model. */
export async function askApproval(
  core: SessionLog & HostChoices & Toolbox,
  signal: AbortSignal,
  call: CallInfo,
): Promise<string | undefined> {
  const verdict = await core.seams.approve(call, signal);
  if (!verdict) return undefined;
  const { decision, reason, parts = [] } = verdict;
  const {
    reason: said,
    remembered = [],
    ...rest
  }: ApprovalAnswer = decision === "ask"
    ? await askHost(core, signal, call, verdict)
    : { decision, by: verdict.by ?? "middleware", reason, remembered: verdict.remembered };
  const asked = decision === "ask" ? (reason ?? askingPart(parts)?.reason ?? "") : verdict.asked;
  const answer = { ...rest, ...(said === undefined ? {} : { reason: said }) };
  core.journal.write(
    core.redact({
      type: "decision",
      callId: call.callId,
      ...(call.within === undefined ? {} : { within: call.within.callId }),
      ...answer,
      ...(asked === undefined ? {} : { asked }),
      ...(parts.length === 0 ? {} : { parts }),
      ...(remembered.length === 0 ? {} : { remembered }),
    }),
  );
  if (decision === "ask") core.emit("approval_settled", { call_id: call.callId, ...answer });
  if (answer.decision === "allow") return undefined;
  const why = answer.reason === undefined ? "" : `: ${answer.reason.replace(/\.$/, "")}`;
  return `Denied by ${answer.by}${why}. The call was not run.`;
}

const askingPart = (parts: readonly DecidedPart[]): DecidedPart | undefined =>
  parts.find((part) => part.decision === "ask");

async function askHost(
  core: SessionLog & HostChoices & Toolbox,
  signal: AbortSignal,
  call: CallInfo,
  { reason, askedBy = [] }: NonNullable<ApprovalVerdict>,
): Promise<ApprovalAnswer> {
  const preview = await call.preview();
  // We register the question before we announce it, because the host may answer at once.
  const pending = awaitAnswer(core, signal, call.callId);
  core.emit("approval_request", {
    call_id: call.callId,
    ...(call.within === undefined ? {} : { nested_in: call.within.callId }),
    tool_name: call.tool.name,
    label: call.tool.label,
    summary: call.summary,
    arguments: call.args,
    tier: call.tier,
    ...(call.access === undefined ? {} : { access: call.access }),
    preview: [...whoAsks(core), ...whereAsked(call), ...preview.lines],
    // The reason contains paths that the model chose.
    ...(reason === undefined ? {} : { reason: visibleLine(reason) }),
    asked_by: askedBy,
  });
  return pending;
}

/** The user decides about an agent and its assignment, not only about a single call. */
function whoAsks({ options: { agentId, assignment } }: SessionLog & HostChoices & Toolbox): PreviewLine[] {
  if (agentId === undefined) return [];
  const task = assignment === undefined ? "" : `: ${visibleLine(assignment)}`;
  return [{ text: `Agent ${agentId}${task}`, kind: "note" }];
}

/** A nested call is shown with the call that makes it. */
function whereAsked({ within }: CallInfo): PreviewLine[] {
  return within ? [{ text: visibleLine(`Called by ${within.label}: ${within.summary}`), kind: "note" }] : [];
}

async function awaitAnswer(
  core: SessionLog & HostChoices & Toolbox,
  signal: AbortSignal,
  callId: string,
): Promise<ApprovalAnswer> {
  const ms = core.config.approvalTimeoutMs;
  try {
    return await withDeadline(core.deps, { what: "the approval", ms, graceMs: 0, signal }, (inner) =>
      core.approvals.ask(callId, inner),
    );
  } catch (error) {
    if (!signal.aborted) return { decision: "deny", by: "deadline", reason: messageOf(error) };
    core.emit("approval_settled", { call_id: callId, decision: "deny", by: "interrupt" });
    throw error;
  }
}
