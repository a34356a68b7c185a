// Request body of POST /responses. Stateless: nothing is stored at the vendor, reasoning comes back encrypted and is
// sent again with the history.

import { clampLevel, takesEffort } from "../../catalog/thinking.ts";
import { foldMessages } from "../../conversation.ts";
import { toOpenAIStrict } from "../../schema/openai.ts";
import { makeSegment } from "../../segments.ts";
import type { Segment } from "../../types/adapter.ts";
import { InvalidRequestError } from "../../types/errors.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import { type Message, textOf } from "../../types/message.ts";
import type { EncodedRequest, EncodeInput } from "../../types/protocol.ts";
import type { Request, ToolDefinition } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";
import {
  assembleBody,
  mergeExtras,
  type Params,
  protectedFromExtraBody,
  protectedFromOptions,
} from "../common/body.ts";
import { encodeJson } from "../common/encode-json.ts";
import { isPresent, JoinedSegments } from "../common/joined.ts";
import { messageSegments } from "../common/parts.ts";
import { samplingOf } from "../common/sampling.ts";
import { encodeItems, type ItemContext, itemIds } from "./items.ts";

/** Provider options that are read here; everything else is merged into the body. */
const knownOptions = ["tools", "foreign_thinking", "instructions", "cache_retention"];

export function encodeResponses(input: EncodeInput): EncodedRequest {
  const { request, model, provider } = input;
  const options = request.providerOptions?.[provider] ?? {};
  const warnings: Warning[] = [];
  const wireModel = model.wireModelId ?? request.model;

  const history = encodeHistory(input, options);
  const system = systemSegment(input, history.system);
  const tools = toolsSegment(input);
  warnings.push(...history.warnings);

  const params: Params =
    input.operation === "compact"
      ? cacheParams(input)
      : {
          ...generationParams(input, warnings),
          ...toolParams(input),
          ...cacheParams(input),
          stream: input.operation === "stream",
          store: false,
        };
  const extraBody = { ...model.compat?.extraBody, ...model.requestTransform?.extraBody };
  if (input.operation !== "compact")
    mergeExtras(params, extraBody, (key) => protectedFromExtraBody(key) || key === "instructions");
  const isOwn = (key: string) => protectedFromOptions(key) || knownOptions.includes(key);
  if (input.operation !== "compact") mergeExtras(params, options, isOwn, ["text", "reasoning", "metadata"]);

  const builtIn = Array.isArray(options["tools"]) ? options["tools"].map((tool) => encodeJson(tool)) : [];
  const toolTexts = input.operation === "compact" ? [] : [...(tools ? [tools.text] : []), ...builtIn];
  const instructions = typeof options["instructions"] === "string" ? encodeJson(options["instructions"]) : system?.text;
  const body = assembleBody(
    wireModel,
    [
      ...(instructions === undefined ? [] : [{ key: "instructions", open: "", parts: [instructions], close: "" }]),
      ...(toolTexts.length === 0 ? [] : [{ key: "tools", open: "[", parts: toolTexts, close: "]" }]),
      {
        key: "input",
        open: "[",
        parts: [...history.joined.parts, ...history.images.map(({ text }) => text)].filter(isPresent),
        close: "]",
      },
    ],
    params,
  );
  const segments = [tools, system].filter(isPresent).concat(history.joined.segments, history.images);
  return { body, segments, headers: {}, warnings, wireModel };
}

function systemSegment({ segments }: EncodeInput, system: readonly Message[]): Segment | undefined {
  const [first] = system;
  if (!first) return undefined;
  const make = () => makeSegment("system", encodeJson(system.map(textOf).join("\n\n")));
  return system.length === 1 ? segments.get(first, "responses:system", make) : make();
}

function toolsSegment({ request, segments, options }: EncodeInput): Segment | undefined {
  const tools = request.tools;
  if (!tools || tools.length === 0) return undefined;
  const variant = `responses:tools:${options.disableStrictTools === true}`;
  return segments.get(tools, variant, () =>
    // All tools are stringified together and without the brackets, which makes one text instead of one per tool plus
    // the whole.
    makeSegment("tools", encodeJson(tools.map((tool) => wireTool(tool, options.disableStrictTools))).slice(1, -1)),
  );
}

function wireTool(tool: ToolDefinition, disableStrict: boolean | undefined): JsonObject {
  const { name, description } = tool;
  if (tool.type === "custom") {
    return { type: "custom", name, description, ...(tool.format === undefined ? {} : { format: tool.format }) };
  }
  const strict = disableStrict === true ? undefined : toOpenAIStrict(tool.parameters);
  return { type: "function", name, description, parameters: strict ?? tool.parameters, strict: strict !== undefined };
}

interface EncodedMessage {
  readonly segment?: Segment;
  readonly trailing?: Segment;
  readonly customCalls: readonly string[];
  readonly ids: readonly string[];
  readonly warnings: readonly Warning[];
}

interface History {
  readonly system: Message[];
  readonly joined: JoinedSegments;
  /** Images of the latest tool results; they come after the last result of the turn. */
  readonly images: Segment[];
  readonly customCalls: Set<string>;
  readonly ids: Set<string>;
  readonly warnings: Warning[];
}

function encodeHistory(input: EncodeInput, options: JsonObject): History {
  const { request, segments: cache, provider } = input;
  const foreignThinking = options["foreign_thinking"] === "text" ? "text" : "drop";
  const variant = `responses:${provider}:${request.model}:${foreignThinking}`;
  const start = (): History => ({
    system: [],
    joined: new JoinedSegments(),
    images: [],
    customCalls: new Set(),
    ids: new Set(),
    warnings: [],
  });
  return foldMessages(input, `${variant}:history`, start, (history, message) => {
    if (message.role === "system") {
      history.system.push(message);
      return;
    }
    const customResult = message.toolCallId !== undefined && history.customCalls.has(message.toolCallId);
    const context = { provider, model: request.model, foreignThinking, customResult } as const;
    const own = cache.get(message, customResult ? `${variant}:custom` : variant, () => encodeMessage(message, context));
    const encoded = own.ids.some((id) => history.ids.has(id))
      ? encodeMessage(message, { ...context, takenIds: history.ids })
      : own;
    for (const id of encoded.ids) history.ids.add(id);
    if (message.role !== "tool") for (const image of history.images.splice(0)) history.joined.push(image);
    if (encoded.segment) history.joined.push(encoded.segment);
    if (encoded.trailing) history.images.push(encoded.trailing);
    for (const id of encoded.customCalls) history.customCalls.add(id);
    history.warnings.push(...encoded.warnings);
  });
}

function encodeMessage(message: Message, context: ItemContext): EncodedMessage {
  const { items, trailing, customCalls, warnings } = encodeItems(message, context);
  return { ...messageSegments(message, items, trailing), customCalls, ids: itemIds(items), warnings };
}

function generationParams(input: EncodeInput, warnings: Warning[]): Params {
  const { request, model } = input;
  if (request.stopSequences && request.stopSequences.length > 0) {
    warnings.push({ code: "unsupported_parameter", message: "stopSequences: OpenAI Responses has no stop sequences" });
  }
  const effort = request.reasoningEffort;
  const reasons = effort !== undefined && takesEffort(model);
  if (effort !== undefined && !reasons) {
    warnings.push({ code: "unsupported_parameter", message: `reasoningEffort: ${model.id} does not reason` });
  }
  const metadata = Object.fromEntries(Object.entries(request.metadata ?? {}).filter(([key]) => key !== "session_id"));
  const level = reasons ? wireEffort(clampLevel(model.thinking, effort)) : "none";
  const { temperature, topP } = samplingOf(input, level !== "none", warnings);
  return {
    temperature,
    top_p: topP,
    max_output_tokens: request.maxTokens,
    reasoning: reasons ? { effort: level, summary: "auto" } : undefined,
    include: reasons || model.supportsReasoning ? ["reasoning.encrypted_content"] : undefined,
    text: textFormat(request),
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
  };
}

function wireEffort(level: string): string {
  return level === "off" ? "none" : level;
}

function textFormat({ responseFormat: format }: Request): JsonValue | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type !== "json_schema") return { format: { type: "json_object" } };
  const schema = format.strict === true ? toOpenAIStrict(format.jsonSchema) : undefined;
  return {
    format: {
      type: "json_schema",
      name: format.name ?? "output",
      schema: schema ?? format.jsonSchema,
      strict: schema !== undefined,
    },
  };
}

function toolParams({ request, provider }: EncodeInput): Params {
  const { toolChoice: choice, tools = [] } = request;
  if (!choice) return {};
  if (choice.mode !== "named") return tools.length === 0 ? {} : { tool_choice: choice.mode };
  const tool = tools.find(({ name }) => name === choice.toolName);
  if (!tool) {
    throw new InvalidRequestError(`toolChoice names "${choice.toolName}", which is not among the tools`, { provider });
  }
  return { tool_choice: { type: tool.type ?? "function", name: tool.name } };
}

function cacheParams({ request, model, cacheRetention }: EncodeInput): Params {
  return {
    prompt_cache_key: request.metadata?.["session_id"],
    prompt_cache_retention: cacheRetention === "long" && model.supportsLongCacheRetention === true ? "24h" : undefined,
  };
}
