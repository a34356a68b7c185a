// Builds the next request: the prefix from the journal, the current history, the tools as last sent. It only copies
// pointers.

import type { Message, Request, ToolDefinition } from "@lathe/llm";
import { withDeadline } from "../base/time/deadline.ts";
import { headOf, type PrefixTexts } from "../context/prefix/prefix.ts";
import { promptParts } from "../context/prompt-parts.ts";
import type { RequestInfo } from "../contract/seams/types.ts";
import { OWN_LEVEL } from "../record/journal/context-state.ts";
import type { Profile } from "../tools/profiles/types.ts";
import { applyCompaction, applyPrune } from "./compaction.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox } from "./facades.ts";
import { checkProfile } from "./host-arguments.ts";
import { answerLimit, docsForWindow } from "./known-window.ts";
import { leafMoved } from "./navigation.ts";

/** A hook that compacts at every turn without making room would loop forever. */
const MAX_REBUILDS = 3;

export interface PreparedRequest {
  readonly info: RequestInfo;
  /** The profile the request was made for. The session's own may change while the answer streams in. */
  readonly profile: Profile;
}

export async function prepareRequest(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  await ensurePrefix(core, signal);
  noteEffort(core);
  refreshTools(core);
  core.meter.check();
  let { profile } = core;
  let info = describeRequest(core);
  for (let rebuilds = 0; rebuilds < MAX_REBUILDS; rebuilds++) {
    const verdict = await core.seams.beforeRequest(info, signal);
    if (!verdict) break;
    if ("request" in verdict) {
      info = { ...info, request: verdict.request };
      break;
    }
    if ("compact" in verdict) await applyCompaction(core, verdict.compact, signal);
    else if ("branch" in verdict) goBack(core, verdict.branch);
    else if ("retry" in verdict) await ensurePrefix(core, signal);
    else applyPrune(core, verdict.prune);
    // Tools that a compaction adds are offered in the same request, so that the prefix changes only once.
    refreshTools(core);
    profile = core.profile;
    info = describeRequest(core);
  }
  core.nextToolChoice = undefined;
  checkPrefix(core, info.request);
  return { info, profile };
}

function goBack(
  core: SessionLog & ModelContext & Toolbox,
  { to, summary }: { readonly to: string; readonly summary: string },
): void {
  const { id, type } = core.journal.branchWithSummary(to, core.redact(summary));
  core.emit("entry", { id, type });
  leafMoved(core);
}

function refreshTools({ tools, prefix, guard }: ModelContext & Toolbox): void {
  const change = tools.refresh();
  if (change && prefix.changeTools(change)) guard.expect("tools");
}

export function describeRequest(core: SessionLog & HostChoices & ModelContext): RequestInfo {
  return describeWith(core, core.messages(), core.prefix.tools);
}

/** Like `describeRequest`, with a prefix that is not in use yet. */
export function describeWithPrefix(core: SessionLog & HostChoices & ModelContext, texts: PrefixTexts): RequestInfo {
  return describeWith(core, headOf(texts).concat(core.journal.context.messages), texts.tools);
}

function describeWith(
  core: SessionLog & HostChoices & ModelContext,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): RequestInfo {
  const { profile, config } = core;
  const options = profile.providerOptions();
  const maxTokens = answerLimit(core);
  const request: Request = {
    model: profile.model,
    provider: profile.provider ?? profile.id,
    messages,
    ...(tools.length > 0 ? { tools, toolChoice: core.nextToolChoice ?? { mode: "auto" } } : {}),
    ...(config.reasoningEffort === undefined ? {} : { reasoningEffort: config.reasoningEffort }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
  return {
    request,
    entryIds: core.journal.context.entryIds,
    contextTokens: core.meter.tokens(),
    leastTokens: core.meter.leastTokens(),
    contextWindow: profile.contextWindowSize,
    ...(profile.modelInfo === undefined ? {} : { modelInfo: profile.modelInfo }),
  };
}

/** Renders the prefix for the first request of a session. A reopened session already has one. */
async function ensurePrefix(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  signal: AbortSignal,
): Promise<void> {
  const stale = core.stalePrefix;
  const reason = core.prefix.ready ? stale : "first";
  core.stalePrefix = undefined;
  if (reason === undefined) return;
  const limits = { what: "the prompt", ms: core.config.hookTimeoutMs, graceMs: 0, signal };
  try {
    core.prefix.set(await withDeadline(core.deps, limits, () => renderPrefix(core)), reason);
  } catch (error) {
    core.stalePrefix ??= stale;
    throw error;
  }
  if (reason !== "first") core.guard.expect(reason);
}

export const selectorOf = ({ provider, id, model }: Profile): string => `${provider ?? id}/${model}`;

export function noteModel(core: SessionLog & ModelContext, role?: string, reason?: string): void {
  core.append({
    type: "model_change",
    model: selectorOf(core.profile),
    ...(role === undefined ? {} : { role }),
    ...(reason === undefined ? {} : { reason }),
  });
}

/** Checked before anything changes: a session without a usable profile would fail with every input. */
export function switchProfile(
  core: SessionLog & ModelContext & Toolbox,
  profile: Profile,
  role?: string,
  reason?: string,
): void {
  checkProfile(profile);
  core.profile = profile;
  core.tools.setProfile(profile);
  core.stalePrefix = "model";
  noteModel(core, role, reason);
}

export function noteModelAndEffort(core: Parameters<typeof noteModel>[0] & Parameters<typeof noteEffort>[0]): void {
  noteModel(core);
  noteEffort(core);
}

/** Journals the level in force, so that a reopened session can continue with it. */
export function noteEffort(core: SessionLog & HostChoices & ModelContext): void {
  const level = core.config.reasoningEffort;
  if (core.journal.context.state.chosenLevel === level) return;
  core.append({ type: "thinking_level_change", thinkingLevel: level ?? OWN_LEVEL });
  core.guard.expect("effort");
}

/** The part before the history: as it was sent, or as it would be sent. */
export async function prefixOf(core: SessionLog & HostChoices & ModelContext & Toolbox): Promise<PrefixTexts> {
  return core.prefix.texts ?? renderPrefix(core);
}

export async function renderPrefix(core: SessionLog & HostChoices & ModelContext & Toolbox): Promise<PrefixTexts> {
  const { profile, options } = core;
  const surroundings = core.redact(await options.surroundings?.(profile, options.env));
  const { projectDocs = "", ...more } = surroundings ?? {};
  // Some tools were not known when the session was made.
  core.tools.refresh();
  const tools = core.tools.definitions();
  const offered = new Set(tools.map(({ name }) => name));
  const base = await profile.buildSystemPrompt(options.env, docsForWindow(profile, projectDocs), {
    ...more,
    offered,
    arrange: options.arrangePrompt,
  });
  const systemPrompt = [base, options.userInstructions ?? ""].filter((text) => text !== "").join("\n\n");
  const parts = promptParts(systemPrompt, {
    sections: surroundings?.sections,
    instructionFiles: surroundings?.instructionFiles,
    userInstructions: [
      profile.userInstructions ?? surroundings?.userInstructions ?? "",
      options.userInstructions ?? "",
    ],
  });
  return {
    systemPrompt,
    environment: [surroundings?.environment ?? "", surroundings?.notes ?? ""]
      .filter((text) => text !== "")
      .join("\n\n"),
    tools,
    promptParts: parts,
  };
}

function checkPrefix(core: SessionLog & HostChoices & ModelContext, request: Request): void {
  const segments = core.client.segments?.(request);
  if (!segments) return;
  const verdict = core.guard.check(segments);
  if (verdict.kind === "changed") {
    core.emit("prefix_changed", { reason: verdict.reason, tokensLost: verdict.tokensLost });
  }
  if (verdict.kind !== "bug") return;
  if (core.config.prefixBug === "throw") throw new PrefixBug(verdict.message);
  core.emit("error", {
    message: verdict.message,
    kind: "bug",
    error_type: "PrefixBug",
    fatal: false,
    code: "prefix_bug",
  });
}

class PrefixBug extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PrefixBug";
  }
}
