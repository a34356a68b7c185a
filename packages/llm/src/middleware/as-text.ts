// Rewrites a request with tools as one without them: the tools are described in the system text, calls and results are
// text. What a message becomes depends only on that message and is remembered with it, so the beginning of a
// conversation stays the same.

import { resultText } from "../protocols/common/parts.ts";
import { isJsonObject, type JsonValue } from "../types/json.ts";
import type { ContentPart, Message, ToolCallData } from "../types/message.ts";
import type { Request, ToolDefinition } from "../types/request.ts";

/** `guide` says how to write calls; the list of tools replaces `{{tools}}`. */
export class TextForm {
  readonly #guide: string;
  readonly #guides = new WeakMap<readonly ToolDefinition[], string>();
  readonly #systems = new WeakMap<Message, { readonly guide: string; readonly message: Message }>();
  readonly #answers = new WeakMap<Message, Message>();
  /** Keyed by the first message of a group. */
  readonly #groups = new WeakMap<Message, { readonly from: readonly Message[]; readonly message: Message }>();
  /** For conversations without a system text. */
  readonly #none: Message = { role: "system", content: [] };

  constructor(guide: string) {
    this.#guide = guide.trim();
  }

  convert(request: Request): Request {
    const { tools = [], toolChoice, messages, ...rest } = request;
    return { ...rest, messages: withWish(this.#messages(messages, this.#guideFor(tools)), toolChoice) };
  }

  #guideFor(tools: readonly ToolDefinition[]): string {
    const known = this.#guides.get(tools) ?? this.#guide.replace("{{tools}}", () => tools.map(describe).join("\n"));
    this.#guides.set(tools, known);
    return known;
  }

  #messages(messages: readonly Message[], guide: string): Message[] {
    const names = new Map<string, string>();
    const first = messages[0]?.role === "system" ? messages[0] : undefined;
    const out: Message[] = [this.#system(first ?? this.#none, guide)];
    let group: Message[] = [];
    const close = (): void => {
      if (group.length > 0) out.push(this.#group(group, names));
      group = [];
    };
    for (const message of first ? messages.slice(1) : messages) {
      if (message.role === "user" || message.role === "tool" || message.role === "developer") {
        group.push(message);
        continue;
      }
      close();
      for (const part of message.content)
        if (part.kind === "tool_call") names.set(part.toolCall.id, part.toolCall.name);
      out.push(message.role === "assistant" ? this.#answer(message) : message);
    }
    close();
    return out;
  }

  #system(message: Message, guide: string): Message {
    const known = this.#systems.get(message);
    if (known?.guide === guide) return known.message;
    const made: Message = { ...message, content: [...message.content, { kind: "text", text: `\n\n${guide}` }] };
    this.#systems.set(message, { guide, message: made });
    return made;
  }

  #answer(message: Message): Message {
    if (!message.content.some(({ kind }) => kind === "tool_call")) return message;
    const known = this.#answers.get(message);
    if (known) return known;
    const content = message.content.map(
      (part): ContentPart => (part.kind === "tool_call" ? text(writeCall(part.toolCall)) : part),
    );
    const made: Message = { ...message, content };
    this.#answers.set(message, made);
    return made;
  }

  /** Joins a group into one user message, because many templates refuse two in a row. */
  #group(group: readonly Message[], names: ReadonlyMap<string, string>): Message {
    const first = group[0]!;
    if (group.length === 1 && first.role === "user") return first;
    const known = this.#groups.get(first);
    if (known && known.from.length === group.length && known.from.every((one, at) => one === group[at]))
      return known.message;
    const content = group.flatMap((message, at) => [...(at > 0 ? [text("\n\n")] : []), ...partsOf(message, names)]);
    const made: Message = { role: "user", content };
    this.#groups.set(first, { from: group, message: made });
    return made;
  }
}

const text = (words: string): ContentPart => ({ kind: "text", text: words });

function partsOf(message: Message, names: ReadonlyMap<string, string>): ContentPart[] {
  return message.content.flatMap((part): ContentPart[] => {
    if (part.kind !== "tool_result") return [part];
    const { toolResult } = part;
    const name = names.get(toolResult.toolCallId);
    const attributes = `${name === undefined ? "" : ` name="${name}"`}${toolResult.isError ? ' error="true"' : ""}`;
    // A tool's output must not end the block that contains it.
    const inside = resultText(toolResult).replaceAll("</tool_response", "<\\/tool_response");
    const images = (toolResult.images ?? []).map((image): ContentPart => ({ kind: "image", image }));
    return [text(`<tool_response${attributes}>\n${inside}\n</tool_response>`), ...images];
  });
}

/** Writes a call in the form that the guide asks for. */
function writeCall({ name, arguments: args, rawArguments }: ToolCallData): string {
  if (rawArguments !== undefined) return `\n<tool_call>\n${rawArguments}\n</tool_call>`;
  const value = typeof args === "string" ? { input: args } : args;
  return `\n<tool_call>\n${JSON.stringify({ name, arguments: value })}\n</tool_call>`;
}

/** We can only ask for what a vendor would enforce. */
function withWish(messages: Message[], choice: Request["toolChoice"]): Message[] {
  if (choice?.mode !== "named" && choice?.mode !== "required") return messages;
  const which = choice.mode === "named" ? `\`${choice.toolName}\`` : "one of the tools";
  const wish = text(`\n\nAnswer with a call of ${which} and nothing else.`);
  const last = messages.at(-1)!;
  if (last.role !== "user") return [...messages, { role: "user", content: [wish] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, wish] }];
}

function describe({ name, description, parameters, type }: ToolDefinition): string {
  if (type === "custom") return `- ${name}: ${description}\n  - input (string)`;
  const properties = isJsonObject(parameters["properties"]) ? parameters["properties"] : {};
  const required = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  const lines = Object.entries(properties).map(
    ([key, schema]) => `  - ${key} (${typeOf(schema)}${required.includes(key) ? "" : ", optional"})${wordsOf(schema)}`,
  );
  return [`- ${name}: ${description}`, ...lines].join("\n");
}

function typeOf(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return "any";
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "array" || type === "object" || typeof type !== "string") {
    const { description: _, ...rest } = schema;
    return JSON.stringify(rest);
  }
  return type;
}

const wordsOf = (schema: JsonValue | undefined): string =>
  isJsonObject(schema) && typeof schema["description"] === "string" ? `: ${schema["description"]}` : "";
