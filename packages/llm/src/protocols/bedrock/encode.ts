// Request to Bedrock Converse body: tools, system, messages (the cached prefix) first, parameters after them.

import { clampLevel } from "../../catalog/thinking.ts";
import { makeSegment } from "../../segments.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { CacheControl } from "../../types/message.ts";
import type { EncodedRequest, EncodeInput } from "../../types/protocol.ts";
import type { ToolDefinition } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";
import type { Block } from "../anthropic/blocks.ts";
import { automaticMarker, planMarkers } from "../anthropic/cache.ts";
import type { ThinkingPlan } from "../anthropic/effort.ts";
import { isThinkingOn, planThinking } from "../anthropic/effort.ts";
import type { WireGroup } from "../anthropic/groups.ts";
import type { History, Marked, RenderBlocks } from "../anthropic/history.ts";
import { encodeHistory, thinkingRefusal } from "../anthropic/history.ts";
import { claudeSampling } from "../anthropic/sampling.ts";
import { structuredAnswer } from "../anthropic/structured.ts";
import { assertNamedTool, formerTools, freeFormSchema, withoutForce } from "../anthropic/tools.ts";
import type { Params } from "../common/body.ts";
import { joinParts, mergeExtras, protectedFromExtraBody, protectedFromOptions } from "../common/body.ts";
import { encodeJson } from "../common/encode-json.ts";
import { warnAboutMetadata } from "../common/metadata.ts";
import { samplingOf } from "../common/sampling.ts";
import { bedrockDialect } from "./blocks.ts";

const ownOptions = ["auto_cache", "cache_retention", "foreign_thinking", "thinking", "toolConfig", "system"];
/** Thinking needs an upper limit; without thinking, Converse would use the model's maximum. */
const defaultMaxTokens = 4096;

export function encodeBedrock(original: EncodeInput): EncodedRequest {
  assertNamedTool(original.request, original.provider);
  const softened: Warning[] = [];
  const input = withoutForce(original, softened);
  const { request, provider, model } = input;
  const options = request.providerOptions?.[provider] ?? {};
  const caches = model.supportsCachePoint === true;
  const render: RenderBlocks = (blocks, marked) => withPoints(blocks, caches, marked);
  const history = encodeHistory(input, `bedrock ${caches}`, bedrockDialect(provider), render);
  const { groups } = history;
  const warnings = [...softened, ...history.warnings];
  const thinking = chooseThinking(input, options, groups, warnings);
  const forcible = thinking.thinking === undefined && !model.refusesForcedTools;
  const answer = structuredAnswer(request.responseFormat, !forcible);
  const tools = chooseTools(input, history, answer.tool, warnings);
  const system = [
    ...history.system,
    ...(answer.instruction === undefined ? [] : [block({ text: answer.instruction })]),
  ];
  const explicit = [...[...tools.blocks, ...system].flatMap((candidate) => candidate.marker ?? []), ...history.markers];
  const plan = planMarkers({
    tools: tools.blocks,
    system,
    groups,
    explicit,
    automatic: caches && options["auto_cache"] !== false ? automaticMarker(input, true) : undefined,
  });
  const toolTexts = render(tools.blocks, plan.tools && { block: tools.blocks.length - 1, control: plan.tools }).join(
    ",",
  );
  const systemTexts = render(system, plan.system && { block: system.length - 1, control: plan.system }).join(",");
  const choice = answer.tool ? { tool: { name: answer.tool.name } } : tools.choice;
  const messages = history.wire(plan.groups);
  if (groups[0]?.role === "assistant") messages.unshift('{"role":"user","content":[{"text":"(continued)"}]}');
  const members = [
    ...(toolTexts === ""
      ? []
      : [`"toolConfig":{"tools":[${toolTexts}]${choice === undefined ? "" : `,"toolChoice":${encodeJson(choice)}`}}`]),
    ...(systemTexts === "" ? [] : [`"system":[${systemTexts}]`]),
  ];
  const counted = input.operation === "count_tokens";
  const params = counted ? {} : parameters(input, options, thinking, warnings);
  const tail = encodeJson(params);
  return {
    body: [
      `${counted ? '{"input":{"converse":' : ""}{${members.map((member) => `${member},`).join("")}"messages":[`,
      ...joinParts(messages),
      `]${tail === "{}" ? "}" : `,${tail.slice(1)}`}${counted ? "}}" : ""}`,
    ],
    segments: history.segments(
      tools.blocks.length > 0 ? makeSegment("tools", tools.blocks.map(({ text }) => text).join(",")) : undefined,
    ),
    headers: {},
    warnings,
    wireModel: model.wireModelId ?? request.model,
  };
}

function block(json: JsonObject, marker?: CacheControl): Block {
  return { text: encodeJson(json), markable: true, ...(marker ? { marker } : {}) };
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
  // Other makers' models on Bedrock take a plain effort word.
  if (model.thinking?.mode === "effort" && !isClaude(request.model)) {
    const { reasoningEffort } = request;
    const level = reasoningEffort === undefined ? undefined : clampLevel(model.thinking, reasoningEffort);
    return { maxTokens, ...(level === undefined || level === "off" ? {} : { effort: level }) };
  }
  const refusal = thinkingRefusal(request, groups);
  return planThinking({ model, effort: request.reasoningEffort, maxTokens, refusal }, warnings);
}

/** The id contains the maker. */
const isClaude = (id: string): boolean => /\banthropic\./.test(id);

function chooseTools(input: EncodeInput, history: History, answer: ToolDefinition | undefined, warnings: Warning[]) {
  const { request, segments } = input;
  const mode = request.toolChoice?.mode;
  const definitions = mode === "none" && !history.hasToolBlocks ? [] : (request.tools ?? []);
  if (definitions.length === 0 && answer === undefined) {
    return { blocks: formerTools(history).map(encodeTool), choice: undefined };
  }
  if (mode === "none" && history.hasToolBlocks && definitions.length > 0) {
    warnings.push({
      message: "tool choice none was not sent: the history contains tool blocks, which need the definitions",
      code: "unsupported_parameter",
    });
  }
  const own =
    definitions.length === 0 ? [] : segments.get(definitions, "bedrock tools", () => definitions.map(encodeTool));
  return { blocks: answer ? [...own, encodeTool(answer)] : own, choice: toolChoice(request.toolChoice) };
}

function encodeTool(tool: ToolDefinition): Block {
  const json = tool.type === "custom" ? freeFormSchema : tool.parameters;
  const spec = { name: tool.name, description: tool.description, inputSchema: { json } };
  return block({ toolSpec: spec }, tool.cacheControl);
}

function toolChoice(choice: EncodeInput["request"]["toolChoice"]): JsonValue | undefined {
  switch (choice?.mode) {
    case "auto":
      return { auto: {} };
    case "required":
      return { any: {} };
    case "named":
      return { tool: { name: choice.toolName } };
    default:
      return undefined;
  }
}

function parameters(input: EncodeInput, options: JsonObject, plan: ThinkingPlan, warnings: Warning[]): Params {
  const { request, model } = input;
  const thinkingOn = plan.thinking !== undefined;
  const choose = thinkingOn || isClaude(request.model) ? claudeSampling : samplingOf;
  const { temperature, topP } = choose(input, thinkingOn, warnings);
  warnAboutMetadata(request, "Bedrock does not support it", warnings);
  const inference: Params = {
    maxTokens: thinkingOn ? plan.maxTokens : (request.maxTokens ?? model.maxOutput),
    temperature,
    topP,
    stopSequences: request.stopSequences && [...request.stopSequences],
  };
  const effort =
    plan.effort === undefined
      ? {}
      : thinkingOn
        ? { output_config: { effort: plan.effort } }
        : { reasoning_effort: plan.effort };
  const params: Params = {
    inferenceConfig: nonEmpty(inference),
    additionalModelRequestFields: nonEmpty({ thinking: options["thinking"] ?? plan.thinking, ...effort }),
  };
  const nested = ["inferenceConfig", "additionalModelRequestFields"];
  mergeExtras(params, model.requestTransform?.extraBody, protectedFromExtraBody, nested);
  mergeExtras(params, options, (key) => protectedFromOptions(key) || ownOptions.includes(key), nested);
  return params;
}

function nonEmpty(params: Params): JsonObject | undefined {
  const known = Object.entries(params).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : (Object.fromEntries(known) as JsonObject);
}

/** A breakpoint is a separate block after the one that it closes. */
function withPoints(blocks: readonly Block[], caches: boolean, marked?: Marked): string[] {
  return blocks.flatMap((candidate, index) => {
    const marker = candidate.marker ?? (marked?.block === index ? marked.control : undefined);
    if (!caches || marker === undefined) return [candidate.text];
    const ttl = marker.ttl === undefined ? {} : { ttl: marker.ttl };
    return [candidate.text, encodeJson({ cachePoint: { type: "default", ...ttl } })];
  });
}
