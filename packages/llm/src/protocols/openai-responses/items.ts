// One message of the conversation as items of a Responses `input` list. Calls, results and reasoning are separate
// items, never inside a message.

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../types/json.ts";
import type { ContentPart, ImageData, Message, TextPart } from "../../types/message.ts";
import type { Warning } from "../../types/response.ts";
import { encodeJson, wholeCharacters } from "../common/encode-json.ts";
import { boundedCallId, itemIdOf } from "../common/ids.ts";
import { mediaUrl, unsupportedContent } from "../common/media.ts";
import { droppedWarning, encodeParts, isOwn, resultText } from "../common/parts.ts";

/** The vendor refuses longer call ids. */
const maxCallId = 64;

export interface ItemContext {
  readonly provider: string;
  readonly model: string;
  readonly foreignThinking: "drop" | "text";
  /** True if the call that this tool message answers was free-form. */
  readonly customResult: boolean;
  /** Ids of items in earlier messages. */
  readonly takenIds?: ReadonlySet<string>;
}

export interface EncodedItems {
  readonly items: readonly JsonObject[];
  /** Images of a tool result, which follow in a user message when all results of the turn are in place. */
  readonly trailing?: JsonObject;
  readonly customCalls: readonly string[];
  readonly warnings: readonly Warning[];
}

/** The ids of items; the vendor refuses a request that contains one twice. */
export const itemIds = (items: readonly JsonObject[]): readonly string[] =>
  items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));

export function encodeItems(message: Message, context: ItemContext): EncodedItems {
  switch (message.role) {
    case "assistant":
      return encodeAssistant(message, context);
    case "tool":
      return encodeResults(message, context);
    default:
      return encodeInput(message, context);
  }
}

function encodeInput(message: Message, context: ItemContext): EncodedItems {
  const items = message.content.flatMap((part) => compactedItem(part, context));
  const rest = { ...message, content: message.content.filter(({ kind }) => kind !== "unknown") };
  const { parts: content, warnings } = encodeParts(rest, (part) => inputPart(part, context));
  if (content.length > 0) items.push({ type: "message", role: message.role, content });
  return { items, customCalls: [], warnings };
}

/** Older history in the vendor's own form, which any of its models can read. */
function compactedItem(part: ContentPart, { provider }: ItemContext): JsonObject[] {
  return part.kind === "unknown" && part.origin?.provider === provider && isJsonObject(part.raw) ? [part.raw] : [];
}

function inputPart(part: ContentPart, context: ItemContext): JsonObject | undefined {
  switch (part.kind) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image":
      return inputImage(part.image);
    case "document": {
      const { url, data, mediaType, fileName } = part.document;
      if (data === undefined) return { type: "input_file", file_url: url ?? "" };
      const name = fileName ?? "document.pdf";
      return {
        type: "input_file",
        filename: name,
        file_data: mediaUrl({ data, mediaType: mediaType ?? "application/pdf" }, ""),
      };
    }
    case "audio":
      throw unsupportedContent(context.provider, "OpenAI Responses does not accept audio input");
    default:
      return undefined;
  }
}

function inputImage(image: ImageData): JsonObject {
  const item: JsonObject = { type: "input_image", image_url: mediaUrl(image, "image/png") };
  if (image.detail !== undefined) item["detail"] = image.detail;
  return item;
}

function encodeAssistant(message: Message, context: ItemContext): EncodedItems {
  const warnings: Warning[] = [];
  const customCalls: string[] = [];
  const items: JsonObject[] = [];
  // The vendor ties calls and messages to the preceding reasoning item by id: we send ids only if every reasoning item
  // of the turn is sent too.
  const withIds = message.content.every(
    (part) => !isThinking(part) || (isOwn(part.thinking.origin, context) && encryptedContent(part) !== undefined),
  );
  for (const part of message.content) {
    switch (part.kind) {
      case "text":
        addText(items, part, withIds && isOwn(part.origin, context));
        break;
      case "thinking":
      case "redacted_thinking": {
        const { text, origin } = part.thinking;
        if (isOwn(origin, context)) {
          const encrypted = encryptedContent(part);
          if (encrypted !== undefined) items.push(reasoningItem(text, encrypted, origin?.itemId));
        } else if (context.foreignThinking === "text" && part.kind === "thinking" && text !== "") {
          items.push(outputMessage([outputText(text)]));
        }
        break;
      }
      case "tool_call": {
        const { id, name, type, arguments: args, origin } = part.toolCall;
        const itemId = withIds && isOwn(origin, context) ? (origin?.itemId ?? itemIdOf(id)) : undefined;
        const head = { ...(itemId === undefined ? {} : { id: itemId }), call_id: boundedCallId(id, maxCallId), name };
        if (type === "custom") {
          customCalls.push(id);
          items.push({
            type: "custom_tool_call",
            ...head,
            input: typeof args === "string" ? args : encodeJson(args),
          });
        } else {
          const json = typeof args === "string" ? wholeCharacters(args) : encodeJson(args);
          items.push({ type: "function_call", ...head, arguments: json });
        }
        break;
      }
      case "unknown":
        if (isOwn(part.origin, context) && isJsonObject(part.raw)) items.push(part.raw);
        break;
      default:
        warnings.push(droppedWarning(part));
    }
  }
  // Reasoning at the end, where the answer was cut off, is refused without the item that it belongs to.
  while (items.at(-1)?.["type"] === "reasoning") items.pop();
  const taken = context.takenIds ?? new Set();
  return { items: withIdsOnce(items.map(withLegalId), new Set(taken)), customCalls, warnings };
}

/**
 * The vendor's own id formats. An id that a server made up would be refused with every later request, but the item
 * works without it.
 */
const ID_FORMS: ReadonlyMap<JsonValue | undefined, RegExp> = new Map([
  ["message", /^msg[\w-]*$/],
  ["function_call", /^fc[\w-]*$/],
  ["custom_tool_call", /^ctc[\w-]*$/],
  ["reasoning", /^rs[\w-]*$/],
]);

function withLegalId(item: JsonObject): JsonObject {
  const form = ID_FORMS.get(item["type"]);
  return item["id"] === undefined || !form || form.test(String(item["id"])) ? item : withoutId(item);
}

/** Items that mean the same without an id; others, such as reasoning, are useless without it. */
const ID_IS_OPTIONAL: ReadonlySet<JsonValue | undefined> = new Set(["message", "function_call", "custom_tool_call"]);

/** Some servers give the same id to several items. */
function withIdsOnce(items: readonly JsonObject[], taken: Set<string>): readonly JsonObject[] {
  return items.flatMap((item) => {
    const { id, type } = item;
    if (typeof id !== "string" || !taken.has(id)) {
      if (typeof id === "string") taken.add(id);
      return [item];
    }
    return ID_IS_OPTIONAL.has(type) ? [withoutId(item)] : [];
  });
}

function withoutId({ id: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

type ThinkingPart = Extract<ContentPart, { kind: "thinking" | "redacted_thinking" }>;

function isThinking(part: ContentPart): part is ThinkingPart {
  return part.kind === "thinking" || part.kind === "redacted_thinking";
}

/**
 * Sessions written by another program store the vendor's whole item instead of its encrypted content. Undefined if
 * there is nothing that the vendor could read; it refuses an item without it.
 */
function encryptedContent({ thinking: { signature = "" } }: ThinkingPart): string | undefined {
  if (!signature.startsWith("{")) return signature === "" ? undefined : signature;
  const item = parseJson(signature);
  const encrypted = isJsonObject(item) ? item["encrypted_content"] : undefined;
  return typeof encrypted === "string" && encrypted !== "" ? encrypted : undefined;
}

function reasoningItem(text: string, encrypted: string, itemId: string | undefined): JsonObject {
  return {
    type: "reasoning",
    ...(itemId === undefined ? {} : { id: itemId }),
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: encrypted,
  };
}

/** Consecutive texts of one vendor message become one message again. */
function addText(items: JsonObject[], part: TextPart, own: boolean): void {
  if (part.text === "") return;
  const mark = own && part.signature !== undefined ? readTextMark(part.signature) : {};
  const last = items.at(-1);
  if (mark["id"] !== undefined && last?.["id"] === mark["id"] && Array.isArray(last["content"])) {
    last["content"].push(outputText(part.text));
    return;
  }
  items.push(outputMessage([outputText(part.text)], mark));
}

function outputMessage(content: JsonValue[], mark: JsonObject = {}): JsonObject {
  return { type: "message", ...mark, role: "assistant", content };
}

function outputText(text: string): JsonObject {
  return { type: "output_text", text, annotations: [] };
}

/** The vendor message that a text came from; kept as the text part's signature. */
export function textMark(id: string | undefined, phase: string | undefined): string | undefined {
  if (id === undefined && phase === undefined) return undefined;
  return JSON.stringify({ id, phase });
}

function readTextMark(mark: string): JsonObject {
  if (!mark.startsWith("{")) return {};
  const { id, phase } = JSON.parse(mark) as { id?: string; phase?: string };
  return { ...(id === undefined ? {} : { id, status: "completed" }), ...(phase === undefined ? {} : { phase }) };
}

function encodeResults(message: Message, context: ItemContext): EncodedItems {
  const items: JsonObject[] = [];
  const images: JsonObject[] = [];
  const warnings: Warning[] = [];
  for (const part of message.content) {
    if (part.kind !== "tool_result") {
      warnings.push(droppedWarning(part));
      continue;
    }
    const { toolCallId, images: pictures = [] } = part.toolResult;
    items.push({
      type: context.customResult ? "custom_tool_call_output" : "function_call_output",
      call_id: boundedCallId(toolCallId, maxCallId),
      output: resultText(part.toolResult),
    });
    if (pictures.length > 0) {
      images.push({ type: "input_text", text: `Image returned by tool call ${boundedCallId(toolCallId, maxCallId)}:` });
      images.push(...pictures.map(inputImage));
    }
  }
  const trailing = images.length > 0 ? { trailing: { type: "message", role: "user", content: images } } : {};
  return { items, ...trailing, customCalls: [], warnings };
}
