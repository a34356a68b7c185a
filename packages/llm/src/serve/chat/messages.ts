// Reads messages of Chat Completions.

import { anyObject, choice, exactly, listOf, oneOf, optional, text } from "../../schema/define.ts";
import { isJsonObject, type JsonValue } from "../../types/json.ts";
import type { ContentPart, Message, Role } from "../../types/message.ts";
import { type Carried, carriedIn } from "../common/carrier.ts";
import { mediaOfBase64, mediaOfUrl } from "../common/media.ts";
import { fieldAt, refuse, Shape, shapeFor } from "../common/read.ts";
import { callPart, withCarried } from "../common/turns.ts";

const content = oneOf(text(), listOf(anyObject()));
const system = new Shape({ role: choice(["system", "developer"]), content, name: optional(text()) });
const user = new Shape({ role: exactly("user"), content, name: optional(text({ maxLength: 64 })) });
const tool = new Shape({
  role: exactly("tool"),
  tool_call_id: text({ minLength: 1 }),
  content,
  name: optional(text()),
});
const assistant = new Shape(
  {
    role: exactly("assistant"),
    content: optional(content),
    refusal: optional(text()),
    tool_calls: optional(listOf(anyObject())),
    reasoning_content: optional(text()),
    reasoning_details: optional(listOf(anyObject())),
  },
  {
    // Fields that official clients leave on messages that they send back.
    ignored: ["annotations", "parsed", "name"],
    unsupported: { audio: "send what was said as text", function_call: "use tool_calls" },
  },
);
const call = new Shape(
  {
    id: text({ minLength: 1, maxLength: 512 }),
    type: optional(exactly("function")),
    function: anyObject(),
  },
  { ignored: ["index"] },
);
const called = new Shape({ name: text(), arguments: text() }, { ignored: ["parsed_arguments"] });

const parts = {
  text: new Shape({ type: exactly("text"), text: text() }, { ignored: ["cache_control", "prompt_cache_breakpoint"] }),
  image_url: new Shape({ type: exactly("image_url"), image_url: anyObject() }),
  input_audio: new Shape({ type: exactly("input_audio"), input_audio: anyObject() }),
  file: new Shape({ type: exactly("file"), file: anyObject() }),
};
const imageUrl = new Shape({
  url: text({ minLength: 1 }),
  detail: optional(choice(["auto", "low", "high", "original"])),
});
const audio = new Shape({ data: text({ minLength: 1 }), format: text({ pattern: "^[a-z0-9]{2,8}$" }) });
const file = new Shape(
  { file_data: text({ minLength: 1 }), filename: optional(text({ maxLength: 255 })) },
  { unsupported: { file_id: "no files are stored here; send file_data" } },
);
const saidText = { text: parts.text, refusal: new Shape({ type: exactly("refusal"), refusal: text() }) };

const ROLES: Readonly<Record<string, (value: JsonValue, place: string) => Message>> = {
  system: readSystem,
  developer: readSystem,
  user: readUser,
  assistant: readAssistant,
  tool: readTool,
};

/** One message of a request. */
export function readMessage(value: JsonValue, place: string): Message {
  const role = isJsonObject(value) ? value["role"] : undefined;
  const read = typeof role === "string" && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (read === undefined)
    refuse(fieldAt(place, "role"), `${fieldAt(place, "role")} must be one of ${Object.keys(ROLES).join(", ")}.`);
  return read(value, place);
}

function readSystem(value: JsonValue, place: string): Message {
  const fields = system.read(value, place);
  return { role: fields.role as Role, content: readTexts(fields.content, place) };
}

function readUser(value: JsonValue, place: string): Message {
  const fields = user.read(value, place);
  const name = fields.name === undefined ? {} : { name: fields.name };
  if (typeof fields.content === "string") return { role: "user", ...name, content: [textPart(fields.content)] };
  if (fields.content.length === 0) refuse(fieldAt(place, "content"), `${fieldAt(place, "content")} is empty.`);
  return {
    role: "user",
    ...name,
    content: fields.content.map((part, at) => readPart(part, `${place}.content[${at}]`)),
  };
}

function readTool(value: JsonValue, place: string): Message {
  const fields = tool.read(value, place);
  const said = readTexts(fields.content, place).map(({ text }) => text);
  const toolCallId = fields.tool_call_id;
  const toolResult = { toolCallId, content: said.join(""), isError: false };
  return { role: "tool", toolCallId, content: [{ kind: "tool_result", toolResult }] };
}

function readAssistant(value: JsonValue, place: string): Message {
  const fields = assistant.read(value, place);
  const thought = fields.reasoning_content ?? "";
  const thinking: ContentPart[] =
    thought === "" ? [] : [{ kind: "thinking", thinking: { text: thought, redacted: false } }];
  const said = fields.content === undefined ? [] : readTexts(fields.content, place, true);
  const refused = fields.refusal === undefined || fields.refusal === "" ? [] : [textPart(fields.refusal)];
  const calls = (fields.tool_calls ?? []).map((one, at) => readCall(one, `${place}.tool_calls[${at}]`));
  const all = [...thinking, ...said.filter(({ text }) => text !== ""), ...refused, ...calls];
  if (all.length === 0 && fields.content === undefined)
    refuse(fieldAt(place, "content"), `${fieldAt(place, "content")} is missing, and there are no tool_calls.`);
  return { role: "assistant", content: withCarried(all, carriedDetails(fields.reasoning_details)) };
}

/** Details that other servers wrote mean nothing to our vendors. */
function carriedDetails(details: readonly Readonly<Record<string, unknown>>[] = []): Carried | undefined {
  for (const detail of details) {
    const carried = typeof detail["data"] === "string" ? carriedIn(detail["data"]) : undefined;
    if (carried !== undefined) return carried;
  }
  return undefined;
}

function readCall(value: unknown, place: string): ContentPart {
  const { id, function: target } = call.read(value, place);
  const { name, arguments: args } = called.read(target, `${place}.function`);
  return callPart(id, name, args, place);
}

const textPart = (said: string) => ({ kind: "text", text: said }) as const;

function readTexts(value: string | readonly unknown[], place: string, mayRefuse = false) {
  if (typeof value === "string") return [textPart(value)];
  return value.map((part, at) => {
    const where = `${place}.content[${at}]`;
    const { type } = shapeFor<unknown>(mayRefuse ? saidText : { text: parts.text }, part, where);
    return textPart(type === "text" ? parts.text.read(part, where).text : saidText.refusal.read(part, where).refusal);
  });
}

function readPart(value: unknown, place: string): ContentPart {
  const { type } = shapeFor<unknown>(parts, value, place);
  switch (type) {
    case "image_url": {
      const where = `${place}.image_url`;
      const { url, detail } = imageUrl.read(parts.image_url.read(value, place).image_url, where);
      const image = { ...mediaOfUrl(url, `${where}.url`), ...(detail === undefined ? {} : { detail }) };
      return { kind: "image", image };
    }
    case "input_audio": {
      const where = `${place}.input_audio`;
      const { data, format } = audio.read(parts.input_audio.read(value, place).input_audio, where);
      const mediaType = `audio/${format === "mp3" ? "mpeg" : format}`;
      return { kind: "audio", audio: mediaOfBase64(data, mediaType, `${where}.data`) };
    }
    case "file": {
      const where = `${place}.file`;
      const { file_data: data, filename } = file.read(parts.file.read(value, place).file, where);
      const name = filename === undefined ? {} : { fileName: filename };
      return { kind: "document", document: { ...mediaOfUrl(data, `${where}.file_data`), ...name } };
    }
    default:
      return textPart(parts.text.read(value, place).text);
  }
}
