// Request body of POST /chat/completions in the dialect that the resolved switches describe.

import { clampLevel, isThinkingLevel, takesEffort } from "../../catalog/thinking.ts";
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
import { structuredAnswer } from "../anthropic/structured.ts";
import {
  assembleBody,
  mergeExtras,
  type Params,
  protectedFromExtraBody,
  protectedFromOptions,
} from "../common/body.ts";
import { encodeJson } from "../common/encode-json.ts";
import { isPresent, JoinedSegments } from "../common/joined.ts";
import { warnAboutMetadata } from "../common/metadata.ts";
import { messageSegments } from "../common/parts.ts";
import { samplingOf } from "../common/sampling.ts";
import { type Compat, resolveCompat } from "./compat.ts";
import { encodeMessage, type MessageContext } from "./messages.ts";

/** Put between tool results and the next user message if a server insists on alternating roles. */
const interlude = makeSegment("message", encodeJson({ role: "assistant", content: "The tool results are in." }));

/** Provider options that are read elsewhere; everything else is merged into the body. */
const knownOptions = ["tools", "foreign_thinking", "cache_retention"];

export function encodeChat(input: EncodeInput): EncodedRequest {
  const { request, model, provider, baseUrl, segments: cache } = input;
  const { compat, variant } = cache.get(model, `chat:compat:${baseUrl}`, () => {
    const compat = resolveCompat(model, baseUrl);
    return { compat, variant: messageVariant(compat) };
  });
  const options = request.providerOptions?.[provider] ?? {};
  const warnings: Warning[] = [];
  const wireModel = model.wireModelId ?? request.model;

  const history = encodeHistory(input, compat, variant, options);
  const system = systemSegment(input, compat, history.system);
  const tools = toolsSegment(input, compat);
  const trailing = waitingSegments(history, compat);
  warnings.push(...history.warnings);

  const params: Params = {
    ...generationParams(input, compat, warnings),
    ...toolParams(input, compat, warnings),
    ...reasoningParams(input, compat, warnings),
    ...routingParams(compat),
    ...(compat.supportsStore ? { store: false } : {}),
    stream: input.operation === "stream",
    ...(input.operation === "stream" && compat.supportsUsageInStreaming
      ? { stream_options: { include_usage: true } }
      : {}),
  };
  mergeExtras(params, { ...compat.extraBody, ...model.requestTransform?.extraBody }, protectedFromExtraBody);
  const isOwn = (key: string) => protectedFromOptions(key) || knownOptions.includes(key);
  mergeExtras(params, options, isOwn);

  const builtIn = Array.isArray(options["tools"]) ? options["tools"].map((tool) => encodeJson(tool)) : [];
  const toolTexts = [...(tools ? [tools.text] : []), ...builtIn];
  const body = assembleBody(
    wireModel,
    [
      ...(toolTexts.length === 0 ? [] : [{ key: "tools", open: "[", parts: toolTexts, close: "]" }]),
      {
        key: "messages",
        open: "[",
        parts: [system?.text, ...history.joined.parts, ...trailing.map(({ text }) => text)].filter(isPresent),
        close: "]",
      },
    ],
    params,
  );
  return {
    body,
    segments: [tools, system].filter(isPresent).concat(history.joined.segments, trailing),
    headers: sessionHeaders(request, compat),
    warnings,
    wireModel,
  };
}

/** The switches that change how a message is written. */
function messageVariant(compat: Compat): string {
  return encodeJson([
    compat.supportsDeveloperRole,
    compat.supportsMultipleSystemMessages,
    compat.reasoningContentField,
    compat.requiresReasoningContentForToolCalls,
    compat.requiresAssistantContentForToolCalls,
    compat.requiresToolResultName,
    compat.requiresThinkingAsText,
    compat.requiresMistralToolIds,
    compat.maxToolIdLength,
  ]);
}

function systemSegment(
  { request, model, segments }: EncodeInput,
  compat: Compat,
  system: readonly Message[],
): Segment | undefined {
  const { instruction } = compat.supportsJsonSchema ? {} : structuredAnswer(request.responseFormat, true);
  const texts = [...system.map(textOf), instruction].filter(isPresent);
  const role = compat.supportsDeveloperRole && model.supportsReasoning ? "developer" : "system";
  const make = () => makeSegment("system", encodeJson({ role, content: texts.join("\n\n") }));
  const [first] = system;
  if (first && system.length === 1 && instruction === undefined) return segments.get(first, `chat:${role}`, make);
  return texts.length === 0 ? undefined : make();
}

function toolsSegment({ request, segments, options }: EncodeInput, compat: Compat): Segment | undefined {
  const tools = request.tools;
  if (!tools || tools.length === 0) return undefined;
  const strictness = options.disableStrictTools
    ? "none"
    : (compat.toolStrictMode ?? (compat.supportsStrictMode ? "mixed" : "none"));
  const variant = `chat:tools:${strictness}`;
  return segments.get(tools, variant, () =>
    makeSegment("tools", encodeJson(tools.map((tool) => wireTool(tool, strictness))).slice(1, -1)),
  );
}

function wireTool(tool: ToolDefinition, strictness: "mixed" | "all_strict" | "none"): JsonObject {
  const parameters = tool.type === "custom" ? freeFormParameters : tool.parameters;
  const strict = strictness === "none" ? undefined : toOpenAIStrict(parameters);
  return {
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      parameters: strict ?? parameters,
      ...(strict !== undefined || strictness === "all_strict" ? { strict: true } : {}),
    },
  };
}

const freeFormParameters: JsonObject = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input, as plain text" } },
  required: ["input"],
  additionalProperties: false,
};

interface EncodedMessage {
  readonly segment?: Segment;
  readonly trailing?: Segment;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly warnings: readonly Warning[];
}

interface History {
  readonly system: Message[];
  readonly joined: JoinedSegments;
  /** Images of the latest tool results; they come after the last result of the turn. */
  readonly images: Segment[];
  readonly toolNames: Map<string, string>;
  readonly warnings: Warning[];
  afterResult: boolean;
}

function encodeHistory(input: EncodeInput, compat: Compat, dialect: string, options: JsonObject): History {
  const { request, segments: cache, provider, model } = input;
  const foreignThinking = options["foreign_thinking"] === "text" ? "text" : "drop";
  const context: Omit<MessageContext, "toolName"> = {
    provider,
    model: request.model,
    compat,
    foreignThinking,
    developerRole: developerRole(compat, model.supportsReasoning),
  };
  const variant = `chat:${provider}:${request.model}:${foreignThinking}:${dialect}`;
  const start = (): History => ({
    system: [],
    joined: new JoinedSegments(),
    images: [],
    toolNames: new Map(),
    warnings: [],
    afterResult: false,
  });
  return foldMessages(input, `${variant}:history`, start, (history, message) => {
    if (message.role === "system") {
      history.system.push(message);
      return;
    }
    const toolName = message.toolCallId === undefined ? undefined : history.toolNames.get(message.toolCallId);
    const named = compat.requiresToolResultName && message.role === "tool" ? `:${toolName}` : "";
    const encoded = cache.get(message, variant + named, () => encodeOne(message, { ...context, toolName }));
    if (message.role !== "tool" && history.images.length > 0) {
      for (const segment of waitingSegments(history, compat)) history.joined.push(segment);
      history.images.length = 0;
      history.afterResult = false;
    }
    for (const call of encoded.calls) history.toolNames.set(call.id, call.name);
    if (encoded.segment) {
      if (history.afterResult && message.role === "user" && compat.requiresAssistantAfterToolResult) {
        history.joined.push(interlude);
      }
      history.joined.push(encoded.segment);
      history.afterResult = message.role === "tool";
    }
    if (encoded.trailing) history.images.push(encoded.trailing);
    history.warnings.push(...encoded.warnings);
  });
}

/** The images that wait for the end of a turn's results, and the message that must precede them. */
function waitingSegments({ images, afterResult }: History, compat: Compat): readonly Segment[] {
  return images.length > 0 && afterResult && compat.requiresAssistantAfterToolResult ? [interlude, ...images] : images;
}

function encodeOne(message: Message, context: MessageContext): EncodedMessage {
  const { messages, trailing, calls, warnings } = encodeMessage(message, context);
  return { ...messageSegments(message, messages, trailing), calls, warnings };
}

/** Some servers refuse a second system text in the middle; there it becomes a user message. */
function developerRole(compat: Compat, reasons: boolean): MessageContext["developerRole"] {
  if (compat.supportsDeveloperRole && reasons) return "developer";
  return compat.supportsMultipleSystemMessages ? "system" : "user";
}

function generationParams(input: EncodeInput, compat: Compat, warnings: Warning[]): Params {
  const { request, model } = input;
  warnAboutMetadata(request, "Chat Completions keeps it only with stored answers", warnings);
  const wish = request.reasoningEffort;
  const reasons = wish !== undefined && takesEffort(model) && isOn(clampLevel(model.thinking, wish));
  const { temperature, topP } = samplingOf(input, reasons, warnings);
  return {
    temperature,
    top_p: topP,
    [compat.maxTokensField]: request.maxTokens,
    stop: request.stopSequences && request.stopSequences.length > 0 ? [...request.stopSequences] : undefined,
    response_format: responseFormat(request, compat),
  };
}

function responseFormat({ responseFormat: format }: Request, compat: Compat): JsonValue | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type !== "json_schema" || !compat.supportsJsonSchema) return { type: "json_object" };
  const schema = format.strict === true && compat.supportsStrictMode ? toOpenAIStrict(format.jsonSchema) : undefined;
  return {
    type: "json_schema",
    json_schema: {
      name: format.name ?? "output",
      schema: schema ?? format.jsonSchema,
      ...(schema === undefined ? {} : { strict: true }),
    },
  };
}

function toolParams({ request, provider }: EncodeInput, compat: Compat, warnings: Warning[]): Params {
  const { toolChoice: choice, tools = [] } = request;
  if (!choice) return {};
  if (choice.mode === "named" && !tools.some(({ name }) => name === choice.toolName)) {
    throw new InvalidRequestError(`toolChoice names "${choice.toolName}", which is not among the tools`, { provider });
  }
  if (tools.length === 0) return {};
  if (!compat.supportsToolChoice) return choice.mode === "auto" ? {} : drop(`toolChoice: ${notHere}`, warnings);
  return {
    tool_choice: choice.mode === "named" ? { type: "function", function: { name: choice.toolName } } : choice.mode,
  };
}

function reasoningParams({ request, model }: EncodeInput, compat: Compat, warnings: Warning[]): Params {
  const wish = request.reasoningEffort;
  if (wish === undefined) return {};
  if (!takesEffort(model)) return drop(`reasoningEffort: ${model.id} does not reason`, warnings);
  const isForced = request.toolChoice?.mode === "required" || request.toolChoice?.mode === "named";
  if (isForced && compat.disableReasoningOnForcedToolChoice)
    return drop("reasoningEffort: not supported together with a forced tool call", warnings);
  const level = clampLevel(model.thinking, wish);
  const on = isOn(level);
  const effort = (isThinkingLevel(level) ? compat.reasoningEffortMap?.[level] : undefined) ?? (on ? level : "none");
  switch (compat.thinkingFormat) {
    case "openrouter":
      return { reasoning: { effort } };
    case "deepseek":
      return { thinking: { type: on ? "enabled" : "disabled" }, ...(on ? { reasoning_effort: effort } : {}) };
    case "zai":
      return { thinking: { type: on ? "enabled" : "disabled" } };
    case "qwen":
      return { enable_thinking: on };
    case "qwen-chat-template":
      return { chat_template_kwargs: { enable_thinking: on } };
    default:
      return compat.supportsReasoningEffort
        ? { reasoning_effort: effort }
        : drop(`reasoningEffort: ${notHere}`, warnings);
  }
}

const notHere = "this server has no such parameter";

function drop(message: string, warnings: Warning[]): Params {
  warnings.push({ code: "unsupported_parameter", message });
  return {};
}

function isOn(level: string): boolean {
  return level !== "off" && level !== "none";
}

function routingParams(compat: Compat): Params {
  const { openRouterRouting, vercelGatewayRouting } = compat;
  return {
    provider: openRouterRouting ? routingOptions(openRouterRouting) : undefined,
    providerOptions: vercelGatewayRouting ? { gateway: routingOptions(vercelGatewayRouting) } : undefined,
  };
}

function routingOptions({ only, order }: { only?: readonly string[]; order?: readonly string[] }): JsonObject {
  return { ...(only ? { only: [...only] } : {}), ...(order ? { order: [...order] } : {}) };
}

function sessionHeaders(request: Request, compat: Compat): Record<string, string> {
  const session = request.metadata?.["session_id"];
  return compat.sendSessionHeaders && session !== undefined ? { session_id: session, "x-session-id": session } : {};
}
