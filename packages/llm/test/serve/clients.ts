// The official clients behind one interface: the same question through each of them, streamed or not, and what each
// read, in the same form.

import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";

/** A server of the formats, as the official clients reach it. */
export interface Server {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  /** The requested model, if there are several. */
  readonly model?: string;
}

/** A tiny image. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const ADDRESS = "https://pictures.example/pixel.png";
const urlOf = (image: Asked["image"]): string => (image === "address" ? ADDRESS : `data:image/png;base64,${PIXEL}`);

export interface Asked {
  readonly system?: string;
  readonly text: string;
  /** As bytes, or by its address. */
  readonly image?: "bytes" | "address";
  readonly tools?: boolean;
  readonly schema?: boolean;
  readonly thinking?: boolean;
  readonly stop?: string;
  /** Aborted when the client leaves. */
  readonly signal?: AbortSignal;
}

export interface Read {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly stop: string;
  readonly usage: { readonly input: number; readonly output: number };
}

/** One official client with its format. */
export interface FrontDoor {
  readonly name: "chat" | "messages" | "responses";
  ask(gateway: Server, asked: Asked, mode: Mode): Promise<Read>;
  /** Asks, answers each call with its name, and asks again with the whole history as the client keeps it. */
  round(gateway: Server, asked: Asked, mode: Mode): Promise<{ readonly first: Read; readonly second: Read }>;
}

export type Mode = "streamed" | "whole";

const schema = { type: "object" as const, properties: { path: { type: "string" } }, required: ["path"] };
const answerSchema = {
  type: "object" as const,
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};
export const ANSWER = '{"name":"Ada"}';

// --- Chat Completions

type ChatMessages = OpenAI.Chat.ChatCompletionMessageParam[];

function chatBody(model: string, { tools, schema: wanted, thinking, stop }: Asked, messages: ChatMessages) {
  return {
    model,
    messages,
    ...(tools
      ? { tools: [{ type: "function" as const, function: { name: "read", description: "reads", parameters: schema } }] }
      : {}),
    ...(wanted
      ? {
          response_format: {
            type: "json_schema" as const,
            json_schema: { name: "person", schema: answerSchema, strict: true },
          },
        }
      : {}),
    ...(thinking ? { reasoning_effort: "low" as const } : {}),
    ...(stop ? { stop: [stop] } : {}),
  };
}

function chatMessages({ system, text, image }: Asked): ChatMessages {
  return [
    ...(system ? [{ role: "system" as const, content: system }] : []),
    {
      role: "user",
      content: image
        ? [
            { type: "text", text },
            { type: "image_url", image_url: { url: urlOf(image) } },
          ]
        : text,
    },
  ];
}

async function chatAnswer(gateway: Server, asked: Asked, messages: ChatMessages, mode: Mode) {
  const body = chatBody(gateway.model ?? "any", asked, messages);
  const options = { signal: asked.signal };
  if (mode === "whole") return gateway.openai.chat.completions.create(body, options);
  const stream = gateway.openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } }, options);
  return stream.finalChatCompletion();
}

function readChat(completion: OpenAI.Chat.ChatCompletion): Read {
  const [choice] = completion.choices;
  const message = choice!.message as OpenAI.Chat.ChatCompletionMessage & { reasoning_content?: string };
  return {
    text: message.content ?? "",
    thinking: message.reasoning_content ?? "",
    calls: (message.tool_calls ?? []).map((call) =>
      call.type === "function"
        ? { name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }
        : { name: call.custom.name, arguments: call.custom.input },
    ),
    stop: choice!.finish_reason,
    usage: { input: completion.usage?.prompt_tokens ?? -1, output: completion.usage?.completion_tokens ?? -1 },
  };
}

const chat: FrontDoor = {
  name: "chat",
  ask: async (gateway, asked, mode) => readChat(await chatAnswer(gateway, asked, chatMessages(asked), mode)),
  async round(gateway, asked, mode) {
    const messages = chatMessages(asked);
    const first = await chatAnswer(gateway, asked, messages, mode);
    const { message } = first.choices[0]!;
    messages.push(message);
    for (const { id } of message.tool_calls ?? []) messages.push({ role: "tool", tool_call_id: id, content: "done" });
    const second = await chatAnswer(gateway, asked, messages, mode);
    return { first: readChat(first), second: readChat(second) };
  },
};

// --- Messages

type Params = Anthropic.MessageCreateParamsNonStreaming;

function messagesBody(
  model: string,
  { system, tools, schema: wanted, thinking, stop }: Asked,
  messages: Params["messages"],
): Params {
  return {
    model,
    max_tokens: 8000,
    messages,
    ...(system ? { system } : {}),
    ...(tools ? { tools: [{ name: "read", description: "reads", input_schema: schema }] } : {}),
    ...(wanted ? { output_config: { format: { type: "json_schema", schema: answerSchema } } } : {}),
    ...(thinking ? { thinking: { type: "enabled", budget_tokens: 2000 } } : {}),
    ...(stop ? { stop_sequences: [stop] } : {}),
  };
}

function firstMessages({ text, image }: Asked): Params["messages"] {
  const picture = {
    type: "image" as const,
    source:
      image === "address"
        ? { type: "url" as const, url: ADDRESS }
        : { type: "base64" as const, media_type: "image/png" as const, data: PIXEL },
  };
  return [{ role: "user", content: image ? [{ type: "text", text }, picture] : text }];
}

async function messagesAnswer(gateway: Server, asked: Asked, messages: Params["messages"], mode: Mode) {
  const body = messagesBody(gateway.model ?? "any", asked, messages);
  const options = { signal: asked.signal };
  if (mode === "whole") return gateway.anthropic.messages.create(body, options);
  return gateway.anthropic.messages.stream(body, options).finalMessage();
}

function readMessages(message: Anthropic.Message): Read {
  const { content } = message;
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [],
    ),
    stop: message.stop_reason ?? "",
    usage: { input: message.usage.input_tokens, output: message.usage.output_tokens },
  };
}

const messages: FrontDoor = {
  name: "messages",
  ask: async (gateway, asked, mode) => readMessages(await messagesAnswer(gateway, asked, firstMessages(asked), mode)),
  async round(gateway, asked, mode) {
    const history = firstMessages(asked);
    const first = await messagesAnswer(gateway, asked, history, mode);
    history.push({ role: "assistant", content: first.content });
    history.push({
      role: "user",
      content: first.content.flatMap((block) =>
        block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "done" }] : [],
      ),
    });
    const second = await messagesAnswer(gateway, asked, history, mode);
    return { first: readMessages(first), second: readMessages(second) };
  },
};

// --- Responses

type Items = OpenAI.Responses.ResponseInputItem[];

function responsesBody(model: string, { system, tools, schema: wanted, thinking }: Asked, input: Items) {
  return {
    model,
    input,
    store: false,
    include: ["reasoning.encrypted_content" as const],
    ...(system ? { instructions: system } : {}),
    ...(tools
      ? {
          tools: [{ type: "function" as const, name: "read", description: "reads", parameters: schema, strict: false }],
        }
      : {}),
    ...(wanted
      ? { text: { format: { type: "json_schema" as const, name: "person", schema: answerSchema, strict: true } } }
      : {}),
    ...(thinking ? { reasoning: { effort: "low" as const, summary: "auto" as const } } : {}),
  };
}

function inputItems({ text, image }: Asked): Items {
  const picture = {
    type: "input_image" as const,
    image_url: urlOf(image),
    detail: "auto" as const,
  };
  return [{ role: "user", content: image ? [{ type: "input_text", text }, picture] : text }];
}

async function responsesAnswer(gateway: Server, asked: Asked, input: Items, mode: Mode) {
  const body = responsesBody(gateway.model ?? "any", asked, input);
  const options = { signal: asked.signal };
  if (mode === "whole") return gateway.openai.responses.create(body, options);
  return gateway.openai.responses.stream(body, options).finalResponse();
}

function readResponses(response: OpenAI.Responses.Response): Read {
  const { output } = response;
  return {
    text: response.output_text,
    thinking: output
      .map((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text).join("\n\n") : ""))
      .join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call" ? [{ name: item.name, arguments: JSON.parse(item.arguments) as unknown }] : [],
    ),
    stop: response.status ?? "",
    usage: { input: response.usage?.input_tokens ?? -1, output: response.usage?.output_tokens ?? -1 },
  };
}

const responses: FrontDoor = {
  name: "responses",
  ask: async (gateway, asked, mode) => readResponses(await responsesAnswer(gateway, asked, inputItems(asked), mode)),
  async round(gateway, asked, mode) {
    const input = inputItems(asked);
    const first = await responsesAnswer(gateway, asked, input, mode);
    input.push(...(first.output as Items));
    for (const item of first.output)
      if (item.type === "function_call")
        input.push({ type: "function_call_output", call_id: item.call_id, output: "done" });
    const second = await responsesAnswer(gateway, asked, input, mode);
    return { first: readResponses(first), second: readResponses(second) };
  },
};

export const FRONT_DOORS: readonly FrontDoor[] = [chat, messages, responses];
