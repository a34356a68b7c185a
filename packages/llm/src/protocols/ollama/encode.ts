// Request body of POST /api/chat.

import { clampLevel, takesEffort } from "../../catalog/thinking.ts";
import { foldMessages } from "../../conversation.ts";
import { toBase64 } from "../../media/base64.ts";
import { makeSegment } from "../../segments.ts";
import type { Segment } from "../../types/adapter.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import { type ImageData, type Message, textOf } from "../../types/message.ts";
import type { EncodedRequest, EncodeInput } from "../../types/protocol.ts";
import type { ToolDefinition } from "../../types/request.ts";
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
import { unsupportedContent } from "../common/media.ts";
import { warnAboutMetadata } from "../common/metadata.ts";
import { droppedWarning, isOwn, resultText } from "../common/parts.ts";

const knownOptions = ["foreign_thinking", "cache_retention", "tools"];

export function encodeOllama(input: EncodeInput): EncodedRequest {
  const { request, model, provider } = input;
  const options = request.providerOptions?.[provider] ?? {};
  const warnings: Warning[] = [];
  const wireModel = model.wireModelId ?? request.model;
  const history = encodeHistory(input, options);
  const system = systemSegment(input, history.system);
  const tools = request.toolChoice?.mode === "none" ? undefined : toolsSegment(input);
  warnings.push(...history.warnings);

  const params: Params = {
    ...generationParams(input, warnings),
    stream: input.operation === "stream",
  };
  const extraBody = { ...model.compat?.extraBody, ...model.requestTransform?.extraBody };
  mergeExtras(params, extraBody, protectedFromExtraBody, ["options"]);
  mergeExtras(params, options, (key) => protectedFromOptions(key) || knownOptions.includes(key), ["options"]);

  const body = assembleBody(
    wireModel,
    [
      ...(tools ? [{ key: "tools", open: "[", parts: [tools.text], close: "]" }] : []),
      {
        key: "messages",
        open: "[",
        parts: [system?.text, ...history.joined.parts].filter(isPresent),
        close: "]",
      },
    ],
    params,
  );
  const segments = [tools, system].filter(isPresent).concat(history.joined.segments);
  return { body, segments, headers: {}, warnings, wireModel };
}

function systemSegment({ segments }: EncodeInput, system: readonly Message[]): Segment | undefined {
  const [first] = system;
  if (!first) return undefined;
  const make = () => makeSegment("system", encodeJson({ role: "system", content: system.map(textOf).join("\n\n") }));
  return system.length === 1 ? segments.get(first, "ollama:system", make) : make();
}

function toolsSegment({ request, segments }: EncodeInput): Segment | undefined {
  const tools = request.tools;
  if (!tools || tools.length === 0) return undefined;
  return segments.get(tools, "ollama:tools", () =>
    makeSegment("tools", tools.map((tool) => encodeJson(wireTool(tool))).join(",")),
  );
}

function wireTool({ name, description, parameters, type }: ToolDefinition): JsonObject {
  const input: JsonObject = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
  return { type: "function", function: { name, description, parameters: type === "custom" ? input : parameters } };
}

interface EncodedMessage {
  readonly segment?: Segment;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly warnings: readonly Warning[];
}

interface History {
  readonly system: Message[];
  readonly joined: JoinedSegments;
  readonly toolNames: Map<string, string>;
  readonly warnings: Warning[];
}

function encodeHistory(input: EncodeInput, options: JsonObject): History {
  const { request, segments: cache, provider } = input;
  const foreignAsText = options["foreign_thinking"] === "text";
  const variant = `ollama:${provider}:${request.model}:${foreignAsText}`;
  const start = (): History => ({ system: [], joined: new JoinedSegments(), toolNames: new Map(), warnings: [] });
  return foldMessages(input, `${variant}:history`, start, (history, message) => {
    if (message.role === "system") {
      history.system.push(message);
      return;
    }
    const name = message.toolCallId === undefined ? undefined : history.toolNames.get(message.toolCallId);
    const encoded = cache.get(message, name === undefined ? variant : `${variant}:${name}`, (): EncodedMessage => {
      const warnings: Warning[] = [];
      const calls: { id: string; name: string }[] = [];
      const wire = wireMessage(message, { input, foreignAsText, name, calls, warnings });
      return { ...(wire ? { segment: makeSegment("message", encodeJson(wire), message) } : {}), calls, warnings };
    });
    for (const call of encoded.calls) history.toolNames.set(call.id, call.name);
    if (encoded.segment) history.joined.push(encoded.segment);
    history.warnings.push(...encoded.warnings);
  });
}

interface MessageScope {
  readonly input: EncodeInput;
  readonly foreignAsText: boolean;
  /** Results have no ids here; only the tool's name connects them to the call. */
  readonly name: string | undefined;
  readonly calls: { id: string; name: string }[];
  readonly warnings: Warning[];
}

function wireMessage(message: Message, scope: MessageScope): JsonObject | undefined {
  const { provider, request } = scope.input;
  const role = message.role === "developer" ? "system" : message.role;
  const images: string[] = [];
  const toolCalls: JsonValue[] = [];
  let content = "";
  let thinking = "";
  for (const part of message.content) {
    switch (part.kind) {
      case "text":
        content += part.text;
        break;
      case "image":
        images.push(inlineImage(part.image, provider));
        break;
      case "thinking": {
        if (isOwn(part.thinking.origin, { provider, model: request.model })) thinking += part.thinking.text;
        else if (scope.foreignAsText) content += `${part.thinking.text}\n\n`;
        break;
      }
      case "tool_call": {
        const { id, name, arguments: args } = part.toolCall;
        scope.calls.push({ id, name });
        toolCalls.push({ function: { name, arguments: typeof args === "string" ? { input: args } : args } });
        break;
      }
      case "tool_result": {
        const { images: pictures = [] } = part.toolResult;
        content += resultText(part.toolResult);
        images.push(...pictures.map((picture) => inlineImage(picture, provider)));
        break;
      }
      case "audio":
      case "document":
        throw unsupportedContent(provider, `Ollama does not accept ${part.kind} input`);
      case "redacted_thinking":
      case "unknown":
        break;
      default:
        scope.warnings.push(droppedWarning(part));
    }
  }
  if (content === "" && images.length === 0 && toolCalls.length === 0 && role !== "tool") return undefined;
  return {
    role,
    content,
    ...(thinking === "" ? {} : { thinking }),
    ...(images.length === 0 ? {} : { images }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(role === "tool" && scope.name !== undefined ? { tool_name: scope.name } : {}),
  };
}

function inlineImage(image: ImageData, provider: string): string {
  if (image.data === undefined) throw unsupportedContent(provider, "Ollama accepts images only as bytes, not by URL");
  return toBase64(image.data);
}

function generationParams({ request, model }: EncodeInput, warnings: Warning[]): Params {
  const { responseFormat: format, stopSequences = [], reasoningEffort: wish } = request;
  warnAboutMetadata(request, "Ollama does not support it", warnings);
  if (wish !== undefined && !takesEffort(model)) {
    warnings.push({ code: "unsupported_parameter", message: `reasoningEffort: ${model.id} does not reason` });
  }
  const options: JsonObject = {
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined ? {} : { top_p: request.topP }),
    ...(request.maxTokens === undefined ? {} : { num_predict: request.maxTokens }),
    ...(stopSequences.length === 0 ? {} : { stop: [...stopSequences] }),
  };
  return {
    options: Object.keys(options).length > 0 ? options : undefined,
    think:
      wish !== undefined && takesEffort(model)
        ? think(clampLevel(model.thinking, wish), model.thinking?.mode)
        : undefined,
    format: !format || format.type === "text" ? undefined : format.type === "json_schema" ? format.jsonSchema : "json",
  };
}

/** Most models can only switch thinking on or off; those with levels take the word. */
function think(level: string, mode: string | undefined): JsonValue {
  if (level === "off" || level === "none") return false;
  return mode === "effort" && ["low", "medium", "high"].includes(level) ? level : true;
}
