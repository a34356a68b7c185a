// Reads the body of POST /v1/lathe/stream: our request as JSON, bytes in base64. Options for one vendor and a vendor's
// own parts are not accepted, because they would be passed on unread.

import {
  anyObject,
  choice,
  exactly,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  oneOf,
  optional,
  text,
} from "../../schema/define.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { CacheControl, ContentPart, ImageData, MediaData, Message, Origin, Role } from "../../types/message.ts";
import type { Request, ResponseFormat, ToolChoice, ToolDefinition } from "../../types/request.ts";
import { isReadableSignature } from "../common/carrier.ts";
import { mediaOfBase64, mediaOfUrl } from "../common/media.ts";
import { fieldAt, isTooDeep, refuse, Shape, shapeFor } from "../common/read.ts";
import { checkName, checkPairs, checkTools } from "../common/turns.ts";
import type { ServedRequest } from "../types.ts";

const body = new Shape({ request: anyObject(), stream: optional(flag()) });
/** docs/gateway-formats.md lists its fields. */
export const streamRequest = new Shape(
  {
    model: text({ minLength: 1, maxLength: 256 }),
    messages: listOf(anyObject(), { minItems: 1 }),
    tools: optional(listOf(anyObject())),
    toolChoice: optional(anyObject()),
    responseFormat: optional(anyObject()),
    temperature: optional(number({ minimum: 0, maximum: 2 })),
    topP: optional(number({ minimum: 0, maximum: 1 })),
    maxTokens: optional(integer({ minimum: 1 })),
    stopSequences: optional(listOf(text({ minLength: 1 }), { maxItems: 16 })),
    reasoningEffort: optional(text({ pattern: "^[a-z]{2,16}$" })),
    metadata: optional(mapOf(text())),
  },
  {
    unsupported: {
      provider: "the server chooses the provider of a model",
      providerOptions: "nothing goes to a provider unread",
    },
  },
);
const messageShape = new Shape({
  role: choice(["system", "developer", "user", "assistant", "tool"]),
  content: listOf(anyObject()),
  name: optional(text({ maxLength: 64 })),
  toolCallId: optional(text({ minLength: 1, maxLength: 512 })),
});
const toolShape = new Shape({
  name: text(),
  description: text(),
  parameters: anyObject(),
  type: optional(choice(["function", "custom"])),
  format: optional(anyObject()),
  cacheControl: optional(anyObject()),
});
const choiceShapes = {
  auto: new Shape({ mode: exactly("auto") }),
  none: new Shape({ mode: exactly("none") }),
  required: new Shape({ mode: exactly("required") }),
  named: new Shape({ mode: exactly("named"), toolName: text() }),
};
const formatShape = new Shape({
  type: choice(["text", "json", "json_schema"]),
  jsonSchema: optional(anyObject()),
  name: optional(text({ pattern: "^[a-zA-Z0-9_-]{1,64}$" })),
  strict: optional(flag()),
});
const marker = new Shape({ type: exactly("ephemeral"), ttl: optional(choice(["5m", "1h"])) });
const originShape = new Shape({ provider: text(), model: text(), itemId: optional(text({ maxLength: 512 })) });

const control = { cacheControl: optional(anyObject()) };
const from = { signature: optional(text()), origin: optional(anyObject()) };
const thinkingFields = { text: text(), redacted: flag(), ...from };
const mediaFields = { url: optional(text()), data: optional(text()), mediaType: optional(text()) };
const parts = {
  text: new Shape({ kind: exactly("text"), text: text(), ...from, ...control }),
  image: new Shape({ kind: exactly("image"), image: anyObject(), ...control }),
  audio: new Shape({ kind: exactly("audio"), audio: anyObject() }),
  document: new Shape({ kind: exactly("document"), document: anyObject(), ...control }),
  tool_call: new Shape({ kind: exactly("tool_call"), toolCall: anyObject() }),
  tool_result: new Shape({ kind: exactly("tool_result"), toolResult: anyObject(), ...control }),
  thinking: new Shape({ kind: exactly("thinking"), thinking: anyObject() }),
  redacted_thinking: new Shape({ kind: exactly("redacted_thinking"), thinking: anyObject() }),
};
const thinkingShape = new Shape(thinkingFields);
const imageShape = new Shape({ ...mediaFields, detail: optional(choice(["auto", "low", "high", "original"])) });
const documentShape = new Shape({ ...mediaFields, fileName: optional(text({ maxLength: 255 })) });
const audioShape = new Shape(mediaFields);
const callShape = new Shape({
  id: text({ minLength: 1, maxLength: 512 }),
  name: text(),
  arguments: oneOf(text(), anyObject()),
  type: choice(["function", "custom"]),
  rawArguments: optional(text()),
  ...from,
});
const resultShape = new Shape({
  toolCallId: text({ minLength: 1, maxLength: 512 }),
  content: oneOf(text(), anyObject(), listOf(oneOf(text(), number(), flag(), anyObject()))),
  isError: flag(),
  images: optional(listOf(anyObject())),
});

export function readStream(value: JsonObject): ServedRequest {
  const { request: inner, stream } = body.read(value, "");
  const fields = streamRequest.read(inner, "request");
  const messages = fields.messages.map((one, at) => readMessage(one, `request.messages[${at}]`));
  checkPairs(messages, "request.messages");
  const tools = fields.tools?.map((one, at) => readTool(one, `request.tools[${at}]`));
  const toolChoice = fields.toolChoice === undefined ? undefined : readChoice(fields.toolChoice);
  checkTools(tools, toolChoice);
  const { model, temperature, topP, maxTokens, stopSequences, reasoningEffort, metadata, responseFormat } = fields;
  const request: Request = {
    model,
    messages,
    ...(tools === undefined ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(responseFormat === undefined ? {} : { responseFormat: readFormat(responseFormat) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(stopSequences === undefined ? {} : { stopSequences }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { request, stream: stream !== false, wishes: {}, dropped: [] };
}

function readMessage(value: unknown, place: string): Message {
  const { role, content, name, toolCallId } = messageShape.read(value, place);
  const read = content.map((part, at) => readPart(part, `${place}.content[${at}]`));
  const result = read.find((part) => part.kind === "tool_result");
  if (role === "tool" ? read.length !== 1 || result?.toolResult.toolCallId !== toolCallId : result !== undefined)
    refuse(place, `${place} must hold one tool_result, of the call in toolCallId, exactly when its role is tool.`);
  if (role !== "assistant" && read.some(({ kind }) => ASSISTANT_PARTS.has(kind)))
    refuse(place, `${place} holds parts that only a message of the role assistant may hold.`);
  return {
    role: role as Role,
    content: read,
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

const ASSISTANT_PARTS: ReadonlySet<string> = new Set(["tool_call", "thinking", "redacted_thinking"]);

function readPart(value: unknown, place: string): ContentPart {
  const kind = isJsonObject(value) ? value["kind"] : undefined;
  const { type } = shapeFor<unknown>(parts, { type: kind ?? "" }, place);
  switch (type) {
    case "text": {
      const { text: said, signature, origin, cacheControl } = parts.text.read(value, place);
      return {
        kind: "text",
        text: said,
        ...readOrigin(signature, origin, place),
        ...readCacheControl(cacheControl, place),
      };
    }
    case "image": {
      const { image, cacheControl } = parts.image.read(value, place);
      return {
        kind: "image",
        image: readImage(image, fieldAt(place, "image")),
        ...readCacheControl(cacheControl, place),
      };
    }
    case "audio": {
      const where = fieldAt(place, "audio");
      return { kind: "audio", audio: readMedia(audioShape.read(parts.audio.read(value, place).audio, where), where) };
    }
    case "document": {
      const where = fieldAt(place, "document");
      const { document, cacheControl } = parts.document.read(value, place);
      const { fileName, ...media } = documentShape.read(document, where);
      const name = fileName === undefined ? {} : { fileName };
      return {
        kind: "document",
        document: { ...readMedia(media, where), ...name },
        ...readCacheControl(cacheControl, place),
      };
    }
    case "tool_call":
      return readCall(parts.tool_call.read(value, place).toolCall, fieldAt(place, "toolCall"));
    case "tool_result": {
      const { toolResult, cacheControl } = parts.tool_result.read(value, place);
      return readResult(toolResult, fieldAt(place, "toolResult"), readCacheControl(cacheControl, place));
    }
    default: {
      const where = fieldAt(place, "thinking");
      const shape = type === "thinking" ? parts.thinking : parts.redacted_thinking;
      const {
        text: said,
        redacted,
        signature,
        origin,
      } = thinkingShape.read(shape.read(value, place)["thinking"], where);
      const thinking = { text: said, redacted, ...readOrigin(signature, origin, where) };
      return { kind: redacted ? "redacted_thinking" : "thinking", thinking };
    }
  }
}

function readCall(value: unknown, place: string): ContentPart {
  const { id, name, arguments: args, type, rawArguments, signature, origin } = callShape.read(value, place);
  checkName(name, place);
  if ((type === "custom") !== (typeof args === "string"))
    refuse(place, `${place}.arguments must be text for a custom tool and an object for a function.`);
  if (typeof args !== "string" && isTooDeep(args as JsonObject)) refuse(place, `${place} is nested too deep.`);
  const toolCall = {
    id,
    name,
    type: type as "function" | "custom",
    arguments: args as JsonObject | string,
    ...(rawArguments === undefined ? {} : { rawArguments }),
    ...readOrigin(signature, origin, place),
  };
  return { kind: "tool_call", toolCall };
}

function readResult(value: unknown, place: string, control: { readonly cacheControl?: CacheControl }): ContentPart {
  const { toolCallId, content, isError, images } = resultShape.read(value, place);
  const pictures = images?.map((image, at) => readImage(image, `${place}.images[${at}]`));
  const toolResult = {
    toolCallId,
    content: content as string | JsonObject | readonly JsonValue[],
    isError,
    ...(pictures === undefined || pictures.length === 0 ? {} : { images: pictures }),
  };
  return { kind: "tool_result", toolResult, ...control };
}

function readImage(value: unknown, place: string): ImageData {
  const { detail, ...media } = imageShape.read(value, place);
  return { ...readMedia(media, place), ...(detail === undefined ? {} : { detail: detail as "auto" }) };
}

function readMedia(
  { url, data, mediaType }: { url?: string; data?: string; mediaType?: string },
  place: string,
): MediaData {
  if ((url === undefined) === (data === undefined)) refuse(place, `${place} must have either url or data.`);
  if (url !== undefined) return mediaOfUrl(url, fieldAt(place, "url"));
  return mediaOfBase64(data ?? "", mediaType, fieldAt(place, "data"));
}

function readOrigin(
  signature: string | undefined,
  origin: unknown,
  place: string,
): { readonly signature?: string; readonly origin?: Origin } {
  if (signature !== undefined && !isReadableSignature(signature))
    refuse(fieldAt(place, "signature"), `${fieldAt(place, "signature")} cannot be read.`);
  return {
    ...(signature === undefined ? {} : { signature }),
    ...(origin === undefined ? {} : { origin: originShape.read(origin, fieldAt(place, "origin")) }),
  };
}

function readCacheControl(value: unknown, place: string): { readonly cacheControl?: CacheControl } {
  if (value === undefined) return {};
  return { cacheControl: marker.read(value, fieldAt(place, "cacheControl")) as CacheControl };
}

function readTool(value: unknown, place: string): ToolDefinition {
  const { name, description, parameters, type, format, cacheControl } = toolShape.read(value, place);
  checkName(name, place);
  if (parameters["type"] !== "object") refuse(place, `${place} must have parameters of type "object".`);
  return {
    name,
    description,
    parameters: parameters as JsonObject,
    ...(type === undefined ? {} : { type: type as "function" | "custom" }),
    ...(format === undefined ? {} : { format: format as JsonObject }),
    ...readCacheControl(cacheControl, place),
  };
}

function readChoice(value: unknown): ToolChoice {
  const place = "request.toolChoice";
  const mode = isJsonObject(value) ? value["mode"] : undefined;
  const { type } = shapeFor<unknown>(choiceShapes, { type: mode ?? "" }, place);
  if (type === "named") return { mode: "named", toolName: choiceShapes.named.read(value, place).toolName };
  const plain = type as "auto" | "none" | "required";
  choiceShapes[plain].read(value, place);
  return { mode: plain };
}

function readFormat(value: unknown): ResponseFormat {
  const place = "request.responseFormat";
  const { type, jsonSchema, name, strict } = formatShape.read(value, place);
  if (type !== "json_schema") return { type: type as "text" | "json" };
  if (jsonSchema === undefined) refuse(fieldAt(place, "jsonSchema"), `${place}.jsonSchema is missing.`);
  return {
    type: "json_schema",
    jsonSchema: jsonSchema as JsonObject,
    ...(name === undefined ? {} : { name }),
    ...(strict === undefined ? {} : { strict }),
  };
}
