// A conversation as text, for the summarizer and for history images. Long results and arguments are shortened: what
// matters is what happened, and the journal keeps all of it.

import { type ContentPart, type Message, textOf } from "@lathe/llm";

const RESULT_CHARS = 2_000;
const RESULT_HEAD = 0.6;
const ARGUMENT_CHARS = 500;
const CALL_CHARS = 2_000;
/** Each step shortens results further, until the text fits. */
const RESULT_STEPS = [RESULT_CHARS, 600, 150];

/**
 * Makes a text of at most `limit` characters. If shortening is not enough, it drops the oldest messages and says so.
 */
export function serialize(messages: readonly Message[], limit: number): string {
  let blocks: string[] = [];
  for (const resultChars of RESULT_STEPS) {
    blocks = messages.map((message) => block(message, resultChars)).filter((text) => text !== "");
    if (sizeOf(blocks) <= limit) return blocks.join("\n\n");
  }
  let from = 0;
  let size = sizeOf(blocks);
  while (from < blocks.length - 1 && size > limit) size -= blocks[from++]!.length + 2;
  const rest = blocks.slice(from).join("\n\n");
  return `[${from} older messages left out]\n\n${shorten(rest, limit)}`;
}

const sizeOf = (blocks: readonly string[]): number => blocks.reduce((sum, { length }) => sum + length + 2, 0);

const block = (message: Message, resultChars: number): string =>
  pieces(message, resultChars)
    .map(({ text }) => text)
    .join("\n");

/** The text of one part of a message. */
export interface Piece {
  readonly text: string;
  /** True if a tool printed it; otherwise the user or the model wrote it. */
  readonly isOutput: boolean;
}

export function pieces(message: Message, resultChars = RESULT_CHARS): Piece[] {
  switch (message.role) {
    case "assistant":
      return message.content.flatMap((part) => assistantPart(part)).map((text) => ({ text, isOutput: false }));
    case "tool":
      return message.content.flatMap((part) => resultPart(part, resultChars)).map((text) => ({ text, isOutput: true }));
    default: {
      const text = textOf(message);
      const other = message.content.filter((part) => part.kind !== "text").length;
      return [{ text: `[User]: ${text}${other > 0 ? ` [and ${other} attached]` : ""}`, isOutput: false }];
    }
  }
}

function assistantPart(part: ContentPart): string[] {
  if (part.kind === "text" && part.text.trim() !== "") return [`[Assistant]: ${part.text}`];
  if (part.kind !== "tool_call") return [];
  const { name, arguments: args } = part.toolCall;
  const shown =
    typeof args === "string"
      ? shorten(args, CALL_CHARS)
      : Object.entries(args)
          .map(([key, value]) => `${key}=${shorten(JSON.stringify(value) ?? "", ARGUMENT_CHARS)}`)
          .join(", ");
  return [`[Assistant calls]: ${name}(${shorten(shown, CALL_CHARS)})`];
}

function resultPart(part: ContentPart, most: number): string[] {
  if (part.kind !== "tool_result") return [];
  const { content, isError } = part.toolResult;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return [`[${isError ? "Failed result" : "Result"}]: ${shorten(text, most)}`];
}

/** Keeps the head and the tail, with the number of omitted characters between them. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor(most * RESULT_HEAD);
  const tail = most - head;
  const left = text.length - most;
  return `${text.slice(0, head)}[… ${left} characters left out …]${text.slice(text.length - tail)}`.toWellFormed();
}
