// Reads messages of Anthropic's API. One of theirs may become several of ours, because results of calls are separate
// messages.

import { anyObject, choice, exactly, flag, listOf, oneOf, optional, text } from "../../schema/define.ts";
import type { JsonValue } from "../../types/json.ts";
import type { CacheControl, ContentPart, ImageData, Message } from "../../types/message.ts";
import { type Carried, carriedIn } from "../common/carrier.ts";
import { mediaOfBase64, mediaOfUrl } from "../common/media.ts";
import { fieldAt, refuse, Shape, shapeFor } from "../common/read.ts";
import { callPart, thinkingPart, withCarried } from "../common/turns.ts";

/** Fields on blocks that clients send back; `citations` adds nothing to the text. */
const ignored = ["citations", "caller", "toolset_name", "parsed_output", "parsed", "transformations"];
const marker = optional(anyObject());
const cacheControl = new Shape(
  { type: exactly("ephemeral"), ttl: optional(choice(["5m", "1h"])) },
  { ignored: ["scope"] },
);

const message = new Shape({ role: choice(["user", "assistant"]), content: oneOf(text(), listOf(anyObject())) });

const textBlock = new Shape({ type: exactly("text"), text: text(), cache_control: marker }, { ignored });
const imageBlock = new Shape({ type: exactly("image"), source: anyObject(), cache_control: marker }, { ignored });
const documentBlock = new Shape(
  { type: exactly("document"), source: anyObject(), title: optional(text({ maxLength: 255 })), cache_control: marker },
  { ignored: [...ignored, "context"] },
);
const resultBlock = new Shape(
  {
    type: exactly("tool_result"),
    tool_use_id: text({ minLength: 1, maxLength: 512 }),
    content: optional(oneOf(text(), listOf(anyObject()))),
    is_error: optional(flag()),
    cache_control: marker,
  },
  { ignored },
);
const callBlock = new Shape(
  {
    type: exactly("tool_use"),
    id: text({ minLength: 1, maxLength: 512 }),
    name: text(),
    input: anyObject(),
    cache_control: marker,
  },
  { ignored },
);
const thinkingBlock = new Shape({ type: exactly("thinking"), thinking: text(), signature: text() });
const redactedBlock = new Shape({ type: exactly("redacted_thinking"), data: text({ minLength: 1 }) });

const ofUser = { text: textBlock, image: imageBlock, document: documentBlock, tool_result: resultBlock };
const ofAssistant = {
  text: textBlock,
  tool_use: callBlock,
  thinking: thinkingBlock,
  redacted_thinking: redactedBlock,
};
const ofResult = { text: textBlock, image: imageBlock };

const sources = {
  base64: new Shape({ type: exactly("base64"), media_type: text(), data: text({ minLength: 1 }) }),
  url: new Shape({ type: exactly("url"), url: text({ minLength: 1 }) }),
  text: new Shape({ type: exactly("text"), media_type: optional(text()), data: text() }),
};

export function readMessages(value: JsonValue, place: string): readonly Message[] {
  const { role, content } = message.read(value, place);
  const where = fieldAt(place, "content");
  if (typeof content === "string") {
    return [{ role: role as "user" | "assistant", content: [{ kind: "text", text: content }] }];
  }
  if (content.length === 0) refuse(where, `${where} is empty.`);
  return role === "assistant" ? [readAssistant(content, where)] : readUser(content, where);
}

/** A text block of the system prompt or a message. */
export function readText(value: unknown, place: string): ContentPart {
  shapeFor<unknown>({ text: textBlock }, value, place);
  const block = textBlock.read(value, place);
  return { kind: "text", text: block.text, ...readCacheControl(block.cache_control, place) };
}

function readUser(blocks: readonly unknown[], place: string): readonly Message[] {
  const results: Message[] = [];
  const rest: ContentPart[] = [];
  for (const [at, block] of blocks.entries()) {
    const where = `${place}[${at}]`;
    const { type } = shapeFor<unknown>(ofUser, block, where);
    if (type === "tool_result") results.push(readResult(block, where));
    else if (type === "text") rest.push(readText(block, where));
    else rest.push(type === "image" ? readImagePart(block, where) : readDocument(block, where));
  }
  return rest.length === 0 ? results : [...results, { role: "user", content: rest }];
}

function readAssistant(blocks: readonly unknown[], place: string): Message {
  let carried: Carried | undefined;
  const parts = blocks.flatMap((block, at): ContentPart[] => {
    const where = `${place}[${at}]`;
    const { type } = shapeFor<unknown>(ofAssistant, block, where);
    if (type === "text") return [readText(block, where)];
    if (type === "tool_use") {
      const { id, name, input } = callBlock.read(block, where);
      return [callPart(id, name, JSON.stringify(input), where)];
    }
    if (type === "thinking") {
      const { thinking, signature } = thinkingBlock.read(block, where);
      return [thinkingPart(thinking, signature)];
    }
    const { data } = redactedBlock.read(block, where);
    const inside = carriedIn(data);
    if (inside?.calls === undefined || inside.calls.length === 0) return [thinkingPart("", data, true)];
    carried = inside;
    return [];
  });
  return { role: "assistant", content: withCarried(parts, carried) };
}

function readResult(value: unknown, place: string): Message {
  const block = resultBlock.read(value, place);
  const toolCallId = block.tool_use_id;
  const texts: string[] = [];
  const images: ImageData[] = [];
  if (typeof block.content === "string") texts.push(block.content);
  else
    for (const [at, inner] of (block.content ?? []).entries()) {
      const where = `${place}.content[${at}]`;
      const { type } = shapeFor<unknown>(ofResult, inner, where);
      if (type === "text") texts.push(textBlock.read(inner, where).text);
      else images.push(readImage(inner, where));
    }
  const toolResult = {
    toolCallId,
    content: texts.join("\n"),
    isError: block.is_error === true,
    ...(images.length === 0 ? {} : { images }),
  };
  const content = [{ kind: "tool_result" as const, toolResult, ...readCacheControl(block.cache_control, place) }];
  return { role: "tool", toolCallId, content };
}

function readImagePart(value: unknown, place: string): ContentPart {
  return {
    kind: "image",
    image: readImage(value, place),
    ...readCacheControl(imageBlock.read(value, place).cache_control, place),
  };
}

function readImage(value: unknown, place: string): ImageData {
  const { source } = imageBlock.read(value, place);
  const where = fieldAt(place, "source");
  const { type } = shapeFor<unknown>({ base64: sources.base64, url: sources.url }, source, where);
  if (type === "url") return mediaOfUrl(sources.url.read(source, where).url, `${where}.url`);
  const { data, media_type: mediaType } = sources.base64.read(source, where);
  return mediaOfBase64(data, mediaType, `${where}.data`);
}

function readDocument(value: unknown, place: string): ContentPart {
  const block = documentBlock.read(value, place);
  const where = fieldAt(place, "source");
  const { type } = shapeFor<unknown>(sources, block.source, where);
  const title = block.title === undefined ? {} : { fileName: block.title };
  return {
    kind: "document",
    document: { ...readSource(type, block.source, where), ...title },
    ...readCacheControl(block.cache_control, place),
  };
}

function readSource(type: string, source: unknown, place: string) {
  if (type === "url") return mediaOfUrl(sources.url.read(source, place).url, `${place}.url`);
  if (type === "text")
    return { data: new TextEncoder().encode(sources.text.read(source, place).data), mediaType: "text/plain" };
  const { data, media_type: mediaType } = sources.base64.read(source, place);
  return mediaOfBase64(data, mediaType, `${place}.data`);
}

/** A cache breakpoint. */
export function readCacheControl(value: unknown, place: string): { readonly cacheControl?: CacheControl } {
  if (value === undefined) return {};
  const { ttl } = cacheControl.read(value, fieldAt(place, "cache_control"));
  return { cacheControl: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } };
}
