// Reads input items of the Responses API. Items of one answer become one message again.

import { anyObject, choice, exactly, listOf, oneOf, optional, text } from "../../schema/define.ts";
import { isJsonObject, type JsonValue } from "../../types/json.ts";
import type { ContentPart, ImageData, Message, Role } from "../../types/message.ts";
import { type Carried, carriedIn } from "../common/carrier.ts";
import { mediaOfBase64, mediaOfUrl } from "../common/media.ts";
import { fieldAt, refuse, Shape, shapeFor } from "../common/read.ts";
import { callPart, checkName, thinkingPart, withCarried } from "../common/turns.ts";

/** The prefix of ids that we made up, which mean nothing to a vendor. */
export const OUR_ITEM = "lathe";

const id = optional(text({ maxLength: 512 }));
const callId = text({ minLength: 1, maxLength: 512 });
const ignored = ["status", "phase", "parsed_arguments", "namespace", "caller", "created_by", "parsed"];

const shapes = {
  message: new Shape(
    {
      type: optional(exactly("message")),
      role: choice(["user", "assistant", "system", "developer"]),
      content: oneOf(text(), listOf(anyObject())),
      id,
    },
    { ignored },
  ),
  function_call: new Shape(
    { type: exactly("function_call"), call_id: callId, name: text(), arguments: text(), id },
    { ignored },
  ),
  function_call_output: new Shape(
    { type: exactly("function_call_output"), call_id: callId, output: oneOf(text(), listOf(anyObject())), id },
    { ignored },
  ),
  custom_tool_call: new Shape(
    { type: exactly("custom_tool_call"), call_id: callId, name: text(), input: text(), id },
    { ignored },
  ),
  custom_tool_call_output: new Shape(
    { type: exactly("custom_tool_call_output"), call_id: callId, output: oneOf(text(), listOf(anyObject())), id },
    { ignored },
  ),
  reasoning: new Shape(
    {
      type: exactly("reasoning"),
      summary: optional(listOf(anyObject())),
      content: optional(listOf(anyObject())),
      encrypted_content: optional(text()),
      id,
    },
    { ignored },
  ),
};

const shownText = { ignored: ["annotations", "logprobs", "parsed", "prompt_cache_breakpoint"] };
const inputText = new Shape({ type: exactly("input_text"), text: text() }, shownText);
const outputText = new Shape({ type: exactly("output_text"), text: text() }, shownText);
const refusal = new Shape({ type: exactly("refusal"), refusal: text() });
const inputImage = new Shape(
  {
    type: exactly("input_image"),
    image_url: text({ minLength: 1 }),
    detail: optional(choice(["auto", "low", "high", "original"])),
  },
  { unsupported: { file_id: "no files are stored here; send image_url" } },
);
const inputFile = new Shape(
  {
    type: exactly("input_file"),
    file_data: optional(text({ minLength: 1 })),
    file_url: optional(text({ minLength: 1 })),
    filename: optional(text({ maxLength: 255 })),
  },
  { ignored: ["detail"], unsupported: { file_id: "no files are stored here; send file_data" } },
);
const shownReasoning = new Shape({ type: text(), text: text() });
const ofUser = { input_text: inputText, input_image: inputImage, input_file: inputFile };
const ofAssistant = { output_text: outputText, refusal };

/** Collects items until an answer or a turn is complete. */
class Turns {
  readonly messages: Message[] = [];
  #answer: ContentPart[] = [];
  #carried: Carried | undefined;
  /** Ids of calls as they are in our messages. */
  readonly #ids = new Map<string, string>();

  answer(part: ContentPart): void {
    this.#answer.push(part);
  }

  call(callId: string, itemId: string | undefined, part: (id: string) => ContentPart): void {
    const known = itemId !== undefined && !itemId.includes(OUR_ITEM) && /^[\w-]{1,128}$/.test(itemId);
    const id = known ? `${callId}|${itemId}` : callId;
    if (!this.#ids.has(callId)) this.#ids.set(callId, id);
    this.#answer.push(part(id));
  }

  result(callId: string, content: string, images: readonly ImageData[]): void {
    const toolCallId = this.#ids.get(callId) ?? callId;
    const toolResult = { toolCallId, content, isError: false, ...(images.length === 0 ? {} : { images }) };
    this.say({ role: "tool", toolCallId, content: [{ kind: "tool_result", toolResult }] });
  }

  say(message: Message): void {
    this.end();
    this.messages.push(message);
  }

  /** Data that belongs to the calls of the answer. */
  addCarried(carried: Carried): void {
    this.#carried = carried;
  }

  end(): void {
    if (this.#answer.length > 0)
      this.messages.push({ role: "assistant", content: withCarried(this.#answer, this.#carried) });
    this.#answer = [];
    this.#carried = undefined;
  }
}

export function readItems(items: readonly unknown[]): readonly Message[] {
  const turns = new Turns();
  for (const [at, item] of items.entries()) readItem(item, `input[${at}]`, turns);
  turns.end();
  return turns.messages;
}

function readItem(item: unknown, place: string, turns: Turns): void {
  const { type } = shapeFor<unknown>(shapes, item, place, isJsonObject(item) && "role" in item ? "message" : undefined);
  switch (type) {
    case "message":
      readMessage(item, place, turns);
      break;
    case "function_call": {
      const call = shapes.function_call.read(item, place);
      turns.call(call.call_id, call.id, (own) => callPart(own, call.name, call.arguments, place));
      break;
    }
    case "custom_tool_call": {
      const call = shapes.custom_tool_call.read(item, place);
      checkName(call.name, place);
      turns.call(call.call_id, call.id, (own) => ({
        kind: "tool_call",
        toolCall: { id: own, name: call.name, type: "custom", arguments: call.input },
      }));
      break;
    }
    case "reasoning": {
      const { encrypted_content: encrypted = "" } = shapes.reasoning.read(item, place);
      const carried = carriedIn(encrypted);
      if (carried?.calls?.length) turns.addCarried(carried);
      else turns.answer(readReasoning(item, place));
      break;
    }
    default: {
      const shape = type === "function_call_output" ? shapes.function_call_output : shapes.custom_tool_call_output;
      const { call_id: answered, output } = shape.read(item, place) as {
        call_id: string;
        output: string | JsonValue[];
      };
      const { text: said, images } = readOutput(output, fieldAt(place, "output"));
      turns.result(answered, said, images);
    }
  }
}

function readMessage(item: unknown, place: string, turns: Turns): void {
  const { role, content } = shapes.message.read(item, place);
  const where = fieldAt(place, "content");
  if (role === "assistant") {
    if (typeof content === "string") turns.answer({ kind: "text", text: content });
    else for (const [at, part] of content.entries()) turns.answer(readSaid(part, `${where}[${at}]`));
    return;
  }
  if (typeof content !== "string" && content.length === 0) refuse(where, `${where} is empty.`);
  const parts: ContentPart[] =
    typeof content === "string"
      ? [{ kind: "text", text: content }]
      : content.map((part, at) => readInput(part, `${where}[${at}]`));
  if (role !== "user" && parts.some(({ kind }) => kind !== "text"))
    refuse(where, `${where} may hold only text in a message of the role ${role}.`);
  turns.say({ role: role as Role, content: parts });
}

function readSaid(value: unknown, place: string): ContentPart {
  const { type } = shapeFor<unknown>(ofAssistant, value, place);
  const said = type === "refusal" ? refusal.read(value, place).refusal : outputText.read(value, place).text;
  return { kind: "text", text: said };
}

function readInput(value: unknown, place: string): ContentPart {
  const { type } = shapeFor<unknown>(ofUser, value, place);
  if (type === "input_text") return { kind: "text", text: inputText.read(value, place).text };
  if (type === "input_image") return { kind: "image", image: readImage(value, place) };
  const { file_data: data, file_url: url, filename } = inputFile.read(value, place);
  if ((data === undefined) === (url === undefined)) refuse(place, `${place} must have either file_data or file_url.`);
  const name = filename === undefined ? {} : { fileName: filename };
  const media = url === undefined ? readFileData(data ?? "", place) : mediaOfUrl(url, fieldAt(place, "file_url"));
  return { kind: "document", document: { ...media, ...name } };
}

function readFileData(data: string, place: string) {
  const where = fieldAt(place, "file_data");
  return /^data:/i.test(data) ? mediaOfUrl(data, where) : mediaOfBase64(data, undefined, where);
}

function readImage(value: unknown, place: string): ImageData {
  const { image_url: url, detail } = inputImage.read(value, place);
  return { ...mediaOfUrl(url, fieldAt(place, "image_url")), ...(detail === undefined ? {} : { detail }) };
}

function readOutput(output: string | readonly unknown[], place: string): { text: string; images: ImageData[] } {
  if (typeof output === "string") return { text: output, images: [] };
  const texts: string[] = [];
  const images: ImageData[] = [];
  for (const [at, part] of output.entries()) {
    const where = `${place}[${at}]`;
    const { type } = shapeFor<unknown>({ input_text: inputText, input_image: inputImage }, part, where);
    if (type === "input_text") texts.push(inputText.read(part, where).text);
    else images.push(readImage(part, where));
  }
  return { text: texts.join("\n"), images };
}

function readReasoning(item: unknown, place: string): ContentPart {
  const { summary = [], content = [], encrypted_content: encrypted } = shapes.reasoning.read(item, place);
  const read = (parts: readonly unknown[], name: string): string =>
    parts.map((part, at) => shownReasoning.read(part, `${place}.${name}[${at}]`).text).join("\n\n");
  return thinkingPart(read(summary, "summary") || read(content, "content"), encrypted);
}
