// Request to Gemini body: tools, system instruction and contents (the cached prefix) first, parameters after them.

import { clampLevel, takesEffort } from "../../catalog/thinking.ts";
import { foldMessages } from "../../conversation.ts";
import { toGeminiSchema } from "../../schema/gemini.ts";
import { makeSegment } from "../../segments.ts";
import type { BodyPiece, Segment } from "../../types/adapter.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { Message } from "../../types/message.ts";
import { textOf } from "../../types/message.ts";
import type { ModelInfo } from "../../types/model.ts";
import { own } from "../../types/own.ts";
import type { EncodedRequest, EncodeInput } from "../../types/protocol.ts";
import type { Request, ToolDefinition } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";
import { assertNamedTool, freeFormSchema } from "../anthropic/tools.ts";
import type { Params } from "../common/body.ts";
import { joinParts, mergeExtras, protectedFromExtraBody, protectedFromOptions } from "../common/body.ts";
import { encodeJson } from "../common/encode-json.ts";
import { isPresent, JoinedTexts, joinTexts } from "../common/joined.ts";
import { warnAboutMetadata } from "../common/metadata.ts";
import { modelPath } from "./endpoint.ts";
import type { CallNote, EncodedContent } from "./parts.ts";
import { encodeContent } from "./parts.ts";

export interface GeminiFlavour {
  /** For counting, the public API wants a wrapped request, Vertex the request itself. */
  readonly wrapsCountedRequest: boolean;
}

const ownOptions = ["foreign_thinking", "cache_retention", "tools"];

export function encodeGemini(input: EncodeInput, flavour: GeminiFlavour): EncodedRequest {
  const { request, provider, operation } = input;
  assertNamedTool(request, provider);
  const options = request.providerOptions?.[provider] ?? {};
  const history = encodeHistory(input, options["foreign_thinking"] === "text");
  const warnings = [...history.warnings];
  const tools = encodeTools(input, options);
  const params = parameters(input, warnings);
  mergeExtras(params, input.model.requestTransform?.extraBody, protectedFromExtraBody, ["generationConfig"]);
  mergeExtras(params, options, (key) => protectedFromOptions(key) || ownOptions.includes(key), ["generationConfig"]);
  const wireModel = input.model.wireModelId ?? request.model;
  const counted = operation === "count_tokens";
  if (counted) for (const key of Object.keys(params)) if (key !== "toolConfig") delete params[key];
  const prefix = [
    ...(tools.text === "" ? [] : [`"tools":[${tools.text}]`]),
    ...(history.system.length === 0
      ? []
      : [`"systemInstruction":{"parts":[{"text":"${history.system.join("\\n\\n")}"}]}`]),
  ];
  const wrapped = counted && flavour.wrapsCountedRequest;
  const open = wrapped ? `{"generateContentRequest":{"model":${encodeJson(modelPath(wireModel))},` : "{";
  const body = [`${open}${prefix.map((member) => `${member},`).join("")}"contents":[`, ...history.contents(), "]"];
  const tail = encodeJson(params);
  body.push(`${tail === "{}" ? "}" : `,${tail.slice(1)}`}${wrapped ? "}" : ""}`);
  return {
    body,
    segments: (tools.segment ? [tools.segment] : []).concat(history.systemSegments, history.segments),
    headers: {},
    warnings,
    wireModel,
  };
}

/** The encoded conversation so far; everything before the current user content is final text. */
class History {
  /** System texts without their quotes, so that several can be joined with an empty line between them. */
  readonly system: string[] = [];
  readonly systemSegments: Segment[] = [];
  readonly segments: Segment[] = [];
  readonly warnings: Warning[] = [];
  readonly calls = new Map<string, CallNote>();
  readonly #settled = new JoinedTexts();
  #userContents: EncodedContent[] = [];

  add(content: EncodedContent): void {
    this.warnings.push(...content.warnings);
    this.segments.push(content.segment);
    for (const note of content.calls) this.calls.set(note.id, note);
    if (content.role === "user") {
      this.#userContents.push(content);
      return;
    }
    this.#settled.push(userContent(this.#userContents));
    this.#settled.push(wire("model", content.rest));
    this.#userContents = [];
  }

  contents(): BodyPiece[] {
    return joinParts([...this.#settled.parts, userContent(this.#userContents)].filter(isPresent));
  }
}

/** Results of a round go into one content right after their calls; the user's other parts follow. */
function userContent(contents: readonly EncodedContent[]): string {
  const results = contents.map((content) => content.results).reduce(joinTexts, "");
  return contents.map((content) => wire("user", content.rest)).reduce(joinTexts, wire("user", results));
}

function wire(role: string, parts: string): string {
  return parts === "" ? "" : `{"role":"${role}","parts":[${parts}]}`;
}

function encodeHistory(input: EncodeInput, foreignThinkingAsText: boolean): History {
  const { request, provider, segments } = input;
  const signedCalls = takesLevel(input.model);
  const variant = `gemini ${provider} ${request.model} ${signedCalls} ${foreignThinkingAsText}`;
  const context = { provider, model: request.model, foreignThinkingAsText, signedCalls };
  const start = () => new History();
  return foldMessages(input, `${variant} history`, start, (history, message) => {
    if (message.role === "system" || message.role === "developer") {
      const { inner, segment } = segments.get(message, "gemini system", () => systemText(message));
      if (inner === "") return;
      history.system.push(inner);
      history.systemSegments.push(segment);
      return;
    }
    // A result's text depends on the call that it answers, which is in another message.
    const answered = message.role === "tool" ? answeredCalls(message, history.calls) : "";
    const callOf = (id: string) => history.calls.get(id);
    history.add(segments.get(message, `${variant}${answered}`, () => encodeContent(message, { ...context, callOf })));
  });
}

function systemText(message: Message): { inner: string; segment: Segment } {
  const inner = encodeJson(textOf(message)).slice(1, -1);
  return { inner, segment: makeSegment("system", inner) };
}

function answeredCalls(message: Message, calls: ReadonlyMap<string, CallNote>): string {
  let notes = "";
  for (const part of message.content) {
    if (part.kind !== "tool_result") continue;
    const call = calls.get(part.toolResult.toolCallId);
    notes += ` ${call?.name} ${call?.vendorId ?? ""}`;
  }
  return notes;
}

function encodeTools(input: EncodeInput, options: JsonObject): { text: string; segment?: Segment } {
  const { request, segments } = input;
  const native = (Array.isArray(options["tools"]) ? options["tools"] : []).map((tool) => encodeJson(tool));
  const definitions = request.tools ?? [];
  if (definitions.length === 0 && native.length === 0) return { text: "" };
  const declared =
    definitions.length === 0
      ? []
      : [segments.get(definitions, "gemini tools", () => encodeJson(functionDeclarations(definitions)))];
  const text = [...declared, ...native].join(",");
  return {
    text,
    segment:
      native.length > 0
        ? makeSegment("tools", text)
        : segments.get(definitions, "gemini tools segment", () => makeSegment("tools", text)),
  };
}

function functionDeclarations(tools: readonly ToolDefinition[]): JsonObject {
  return {
    functionDeclarations: tools.map((tool) => {
      const parameters = toGeminiSchema(tool.type === "custom" ? freeFormSchema : tool.parameters);
      // An object without properties is refused; omitting the parameters means the same.
      const empty = Object.keys((parameters["properties"] as JsonObject | undefined) ?? {}).length === 0;
      return { name: tool.name, description: tool.description, ...(empty ? {} : { parameters }) };
    }),
  };
}

function parameters(input: EncodeInput, warnings: Warning[]): Params {
  const { request } = input;
  warnAboutMetadata(request, "Gemini does not support it", warnings);
  const choice = request.tools?.length ? functionCallingConfig(request.toolChoice) : undefined;
  const format = request.responseFormat;
  const json = format !== undefined && format.type !== "text";
  const generationConfig: Params = {
    temperature: request.temperature,
    topP: request.topP,
    maxOutputTokens: request.maxTokens,
    stopSequences: request.stopSequences && [...request.stopSequences],
    responseMimeType: json ? "application/json" : undefined,
    responseSchema: format?.type === "json_schema" ? toGeminiSchema(format.jsonSchema) : undefined,
    thinkingConfig: thinkingConfig(input, warnings),
  };
  const known = Object.entries(generationConfig).filter(([, value]) => value !== undefined);
  return {
    toolConfig: choice && { functionCallingConfig: choice },
    generationConfig: known.length === 0 ? undefined : (Object.fromEntries(known) as JsonObject),
  };
}

function functionCallingConfig(choice: Request["toolChoice"]): JsonObject | undefined {
  switch (choice?.mode) {
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "named":
      return { mode: "ANY", allowedFunctionNames: [choice.toolName] };
    default:
      return undefined;
  }
}

const budgets: Readonly<Record<string, number>> = {
  off: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
const levels: Readonly<Record<string, string>> = {
  off: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** True for Gemini 3 and, presumably, later models; 2.5 takes a budget. */
function takesLevel({ thinking }: ModelInfo): boolean {
  return thinking?.mode === "level" || thinking?.mode === "effort";
}

function thinkingConfig({ request, model }: EncodeInput, warnings: Warning[]): JsonValue | undefined {
  const effort = request.reasoningEffort === "none" ? "off" : request.reasoningEffort;
  if (effort === undefined) return undefined;
  if (!takesEffort(model)) {
    if (effort === "off") return undefined;
    warnings.push({
      message: `reasoning effort was not sent: ${model.id} does not reason`,
      code: "unsupported_parameter",
    });
    return undefined;
  }
  const level = clampLevel(model.thinking, effort);
  const includeThoughts = effort !== "off";
  if (takesLevel(model)) return { thinkingLevel: own(levels, level) ?? level.toUpperCase(), includeThoughts };
  return { thinkingBudget: own(budgets, level) ?? budgets["medium"]!, includeThoughts };
}
