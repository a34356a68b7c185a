// A request in a vendor-neutral form: what a test of the loop looks at, whatever dialect it runs in.

import type { DialectName } from "./routes.ts";

export interface ViewedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ViewedResult {
  /** The call's id; where the vendor has none, the function's name. */
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ViewedMessage {
  readonly role: "user" | "assistant" | "developer" | "tool";
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly ViewedCall[];
  readonly results: readonly ViewedResult[];
  readonly images: number;
}

export interface RequestView {
  readonly system: string;
  readonly messages: readonly ViewedMessage[];
  /** Names of the offered tools, in order. */
  readonly tools: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: reads six vendors' bodies, each checked by its own validate.ts
type Json = any;

export function viewOf(dialect: DialectName | undefined, body: Json): RequestView {
  const empty: RequestView = { system: "", messages: [], tools: [] };
  const readable = typeof body === "object" && body !== null;
  return dialect === undefined || !readable ? empty : READERS[dialect](body);
}

const READERS: Readonly<Record<DialectName, (body: Json) => RequestView>> = {
  anthropic: (body) => ({
    system: wireText(body.system),
    messages: list(body.messages).map((message) => blocksMessage(message, anthropicBlock)),
    tools: list(body.tools).map((tool) => tool.name),
  }),
  bedrock: (body) => ({
    system: wireText(body.system),
    messages: list(body.messages).map((message) => blocksMessage(message, bedrockBlock)),
    tools: list(body.toolConfig?.tools).flatMap((tool) => tool.toolSpec?.name ?? []),
  }),
  gemini: (body) => ({
    system: wireText((body.systemInstruction ?? body.system_instruction)?.parts),
    messages: list(body.contents).map((content) =>
      blocksMessage({ role: content.role === "model" ? "assistant" : "user", content: content.parts }, geminiPart),
    ),
    tools: list(body.tools).flatMap((tool) => list(tool.functionDeclarations).map((item) => item.name)),
  }),
  chat: (body) => ({
    system: list(body.messages)
      .filter((message) => message.role === "system")
      .map((message) => wireText(message.content))
      .join("\n\n"),
    messages: list(body.messages)
      .filter((message) => message.role !== "system")
      .map(chatMessage),
    tools: list(body.tools).map((tool) => tool.function?.name),
  }),
  ollama: (body) => READERS.chat(body),
  responses: (body) => ({
    system: string(body.instructions),
    messages:
      typeof body.input === "string" ? [piece("user", { text: body.input })] : list(body.input).map(responsesItem),
    tools: list(body.tools).map((tool) => tool.name ?? tool.type),
  }),
};

const list = (value: Json): Json[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];

const string = (value: Json): string => (typeof value === "string" ? value : "");

/** Text of a string or of a list of text blocks. */
function wireText(content: Json): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => (typeof part?.text === "string" && part.thought !== true ? part.text : ""))
    .join("");
}

function piece(role: ViewedMessage["role"], parts: Partial<Omit<ViewedMessage, "role">>): ViewedMessage {
  return { role, text: "", thinking: "", calls: [], results: [], images: 0, ...parts };
}

type Pieces = Partial<Omit<ViewedMessage, "role">>;

function blocksMessage(message: Json, read: (block: Json) => Pieces): ViewedMessage {
  const pieces = list(message.content).map(read);
  return piece(message.role, {
    text: typeof message.content === "string" ? message.content : pieces.map((item) => string(item.text)).join(""),
    thinking: pieces.map((item) => string(item.thinking)).join(""),
    calls: pieces.flatMap((item) => item.calls ?? []),
    results: pieces.flatMap((item) => item.results ?? []),
    images: pieces.reduce((sum, item) => sum + (item.images ?? 0), 0),
  });
}

function anthropicBlock(block: Json): Pieces {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "thinking":
      return { thinking: block.thinking };
    case "tool_use":
      return { calls: [{ id: block.id, name: block.name, args: block.input }] };
    case "tool_result":
      return {
        results: [{ id: block.tool_use_id, text: wireText(block.content), isError: block.is_error === true }],
        images: list(block.content).filter((item) => item.type === "image").length,
      };
    default:
      return { images: block.type === "image" ? 1 : 0 };
  }
}

function bedrockBlock(block: Json): Pieces {
  const { toolUse, toolResult } = block;
  if (toolUse) return { calls: [{ id: toolUse.toolUseId, name: toolUse.name, args: toolUse.input }] };
  if (toolResult) {
    const text = list(toolResult.content)
      .map((item) => (item.json === undefined ? string(item.text) : JSON.stringify(item.json)))
      .join("");
    return { results: [{ id: toolResult.toolUseId, text, isError: toolResult.status === "error" }] };
  }
  const thinking = block.reasoningContent?.reasoningText?.text;
  return { text: block.text ?? "", thinking: thinking ?? "", images: block.image ? 1 : 0 };
}

function geminiPart(part: Json): Pieces {
  const call = part.functionCall;
  if (call) return { calls: [{ id: call.id ?? call.name, name: call.name, args: call.args ?? {} }] };
  const answer = part.functionResponse;
  if (answer) {
    const response = answer.response ?? {};
    const value = response.result ?? response.output ?? response.error ?? response;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const results = [{ id: answer.id ?? answer.name, text, isError: response.error !== undefined }];
    return { results, images: list(answer.parts).length };
  }
  if (part.thought === true) return { thinking: part.text ?? "" };
  return { text: part.text ?? "", images: part.inlineData || part.fileData ? 1 : 0 };
}

function chatMessage(message: Json): ViewedMessage {
  const text = wireText(message.content);
  if (message.role === "tool") {
    const id = message.tool_call_id ?? message.tool_name;
    return piece("tool", { results: [{ id, text, isError: false }] });
  }
  const images =
    list(message.content).filter((part) => part.type === "image_url").length + (message.images?.length ?? 0);
  const calls = list(message.tool_calls).map((call) => ({
    id: call.id ?? call.function?.name,
    name: call.function?.name,
    args: parseJson(call.function?.arguments),
  }));
  return piece(message.role, { text, thinking: string(message.reasoning_content ?? message.thinking), calls, images });
}

function responsesItem(item: Json): ViewedMessage {
  switch (item.type) {
    case "function_call":
      return piece("assistant", { calls: [{ id: item.call_id, name: item.name, args: parseJson(item.arguments) }] });
    case "custom_tool_call":
      return piece("assistant", { calls: [{ id: item.call_id, name: item.name, args: item.input }] });
    case "function_call_output":
    case "custom_tool_call_output":
      return piece("tool", { results: [{ id: item.call_id, text: wireText(item.output), isError: false }] });
    case "reasoning":
      return piece("assistant", { thinking: wireText(item.summary) });
    default: {
      const images = list(item.content).filter((part) => part.type === "input_image").length;
      return piece(item.role, { text: wireText(item.content), images });
    }
  }
}

function parseJson(value: Json): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
