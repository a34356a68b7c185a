// Request to Anthropic Messages body: tools, system, messages (the cached prefix) first, parameters after them.

import { makeSegment } from "../../segments.ts";
import type { JsonObject } from "../../types/json.ts";
import type { EncodedRequest, EncodeInput } from "../../types/protocol.ts";
import type { Warning } from "../../types/response.ts";
import type { Params } from "../common/body.ts";
import { assembleBody, mergeExtras, protectedFromExtraBody, protectedFromOptions } from "../common/body.ts";
import { encodeJson } from "../common/encode-json.ts";
import { warnAboutMetadata } from "../common/metadata.ts";
import type { Block } from "./blocks.ts";
import { anthropicDialect } from "./blocks.ts";
import { automaticMarker, planMarkers } from "./cache.ts";
import type { ThinkingPlan } from "./effort.ts";
import { isThinkingOn, planThinking } from "./effort.ts";
import type { WireGroup } from "./groups.ts";
import type { History, Marked } from "./history.ts";
import { encodeHistory, thinkingRefusal } from "./history.ts";
import { claudeSampling } from "./sampling.ts";
import { structuredAnswer } from "./structured.ts";
import { assertNamedTool, encodeToolChoice, encodeTools, formerTools, withoutForce } from "./tools.ts";

const defaultMaxTokens = 4096;
/** No longer needed by the API itself, but harmless, and gateways still ask for it. */
const cachingBeta = "prompt-caching-2024-07-31";
const apiVersion = "2023-06-01";
const ownOptions = ["beta_headers", "auto_cache", "cache_retention", "thinking", "foreign_thinking", "tools"];

export function encodeAnthropic(original: EncodeInput): EncodedRequest {
  assertNamedTool(original.request, original.provider);
  const softened: Warning[] = [];
  const input = withoutForce(original, softened);
  const { request, provider, model } = input;
  const options = request.providerOptions?.[provider] ?? {};
  const history = encodeHistory(input, "anthropic", anthropicDialect(provider), withMarkers);
  const { groups } = history;
  const warnings = [...softened, ...history.warnings];
  const thinking = chooseThinking(input, options, groups, warnings);
  const forcible = thinking.thinking === undefined && !model.refusesForcedTools;
  const answer = structuredAnswer(request.responseFormat, !forcible);
  const tools = chooseTools(input, options, history, answer.tool ? encodeTools([answer.tool], input) : []);
  const system = [...history.system, ...(answer.instruction === undefined ? [] : [textBlock(answer.instruction)])];
  const explicit = [...[...tools.blocks, ...system].flatMap((block) => block.marker ?? []), ...history.markers];
  const plan = planMarkers({
    tools: tools.blocks,
    system,
    groups,
    explicit,
    automatic: options["auto_cache"] === false ? undefined : automaticMarker(input, isAnthropicHost(input.baseUrl)),
  });
  const wireModel = input.model.wireModelId ?? request.model;
  const params = parameters(input, options, thinking, warnings);
  params["tool_choice"] = answer.tool ? { type: "tool", name: answer.tool.name } : tools.choice;
  mergeExtras(params, input.model.requestTransform?.extraBody, protectedFromExtraBody);
  mergeExtras(params, options, (key) => protectedFromOptions(key) || key === "system" || ownOptions.includes(key));
  const toolTexts = withMarkers(tools.blocks, plan.tools && { block: tools.blocks.length - 1, control: plan.tools });
  const systemTexts = withMarkers(system, plan.system && { block: system.length - 1, control: plan.system });
  const body = assembleBody(
    wireModel,
    [
      ...(toolTexts.length > 0 ? [{ key: "tools", open: "[", parts: toolTexts, close: "]" }] : []),
      ...(systemTexts.length > 0 ? [{ key: "system", open: "[", parts: systemTexts, close: "]" }] : []),
      { key: "messages", open: "[", parts: [...leadIn(groups), ...history.wire(plan.groups)], close: "]" },
    ],
    params,
  );
  const marked = explicit.length > 0 || plan.groups.size > 0 || plan.tools || plan.system;
  return {
    body,
    segments: history.segments(tools.blocks.length > 0 ? tools.segment : undefined),
    headers: headers(options, Boolean(marked)),
    warnings,
    wireModel,
  };
}

function textBlock(text: string): Block {
  return { text: encodeJson({ type: "text", text }), markable: true };
}

function chooseThinking(
  input: EncodeInput,
  options: JsonObject,
  groups: readonly WireGroup[],
  warnings: Warning[],
): ThinkingPlan {
  const { request, model } = input;
  const maxTokens = request.maxTokens ?? model.maxOutput ?? defaultMaxTokens;
  const explicit = options["thinking"];
  if (explicit !== undefined) {
    return { maxTokens, ...(isThinkingOn(explicit) ? { thinking: explicit } : {}) };
  }
  const refusal = thinkingRefusal(request, groups);
  return planThinking({ model, effort: request.reasoningEffort, maxTokens, refusal }, warnings);
}

function chooseTools(input: EncodeInput, options: JsonObject, history: History, extra: readonly Block[]) {
  const { request, segments, model } = input;
  const none = request.toolChoice?.mode === "none";
  // The API refuses tool blocks without definitions, so if the history has some, the tools stay and the choice forbids
  // them.
  const leaveOut = none && !history.hasToolBlocks;
  const definitions = leaveOut ? [] : (request.tools ?? []);
  const variant = `anthropic tools ${model.supportsEagerToolInputStreaming} ${input.options.disableStrictTools}`;
  const own = definitions.length === 0 ? [] : segments.get(definitions, variant, () => encodeTools(definitions, input));
  const native = Array.isArray(options["tools"]) ? options["tools"] : [];
  const blocks: Block[] = [...own, ...native.map((tool) => ({ text: encodeJson(tool), markable: true })), ...extra];
  if (blocks.length === 0 && history.hasToolBlocks) {
    const former = encodeTools(formerTools(history), input);
    return { blocks: former, segment: joinedSegment(former), choice: encodeToolChoice({ mode: "none" }) };
  }
  const segment =
    native.length + extra.length > 0 || definitions.length === 0
      ? joinedSegment(blocks)
      : segments.get(definitions, `${variant} segment`, () => joinedSegment(blocks));
  return { blocks, segment, choice: blocks.length === 0 ? undefined : encodeToolChoice(request.toolChoice) };
}

function joinedSegment(blocks: readonly Block[]) {
  return makeSegment("tools", blocks.map((block) => block.text).join(","));
}

function parameters(input: EncodeInput, options: JsonObject, plan: ThinkingPlan, warnings: Warning[]): Params {
  const { request, operation } = input;
  const thinking = options["thinking"] ?? plan.thinking;
  const shared: Params = {
    thinking,
    output_config: plan.effort === undefined ? undefined : { effort: plan.effort },
  };
  if (operation === "count_tokens") return shared;
  const thinkingOn = plan.thinking !== undefined;
  const { temperature, topP } = claudeSampling(input, thinkingOn, warnings);
  warnAboutMetadata(request, "Anthropic takes only user_id", warnings, "user_id");
  const userId = request.metadata?.["user_id"];
  return {
    max_tokens: plan.maxTokens,
    ...shared,
    temperature,
    top_p: topP,
    stop_sequences: request.stopSequences && [...request.stopSequences],
    metadata: userId === undefined ? undefined : { user_id: userId },
    stream: operation === "stream" ? true : undefined,
  };
}

/** The API requires a user message first. */
function leadIn(groups: readonly WireGroup[]): string[] {
  if (groups[0]?.role !== "assistant") return [];
  return ['{"role":"user","content":[{"type":"text","text":"(continued)"}]}'];
}

function withMarkers(blocks: readonly Block[], marked?: Marked): string[] {
  return blocks.map((block, index) => {
    const marker = block.marker ?? (marked?.block === index ? marked.control : undefined);
    if (marker === undefined) return block.text;
    return `${block.text.slice(0, -1)},"cache_control":${encodeJson(marker)}}`;
  });
}

function headers(options: JsonObject, marked: boolean): Record<string, string> {
  const requestedBetas = Array.isArray(options["beta_headers"]) ? options["beta_headers"].map(String) : [];
  const betas = [...new Set([...requestedBetas, ...(marked ? [cachingBeta] : [])])];
  return {
    "anthropic-version": apiVersion,
    ...(betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {}),
  };
}

/** Compares text: every request asks this, and parsing an address takes longer than encoding a message. */
function isAnthropicHost(baseUrl: string): boolean {
  return /^https?:\/\/(?:[^/?#]*@)?api\.anthropic\.com(?::\d*)?(?:[/?#]|$)/i.test(baseUrl);
}
