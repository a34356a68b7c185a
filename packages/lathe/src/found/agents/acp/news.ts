// What a request brings that an ACP agent does not know yet.

import { type Message, textOf } from "@lathe/llm";

interface CallEnd {
  readonly toolCallId: string;
  readonly isError: boolean;
  readonly text: string;
}

export interface News {
  /** What was said to it. */
  readonly texts: readonly string[];
  /** How its calls ended. */
  readonly results: readonly CallEnd[];
  /** Why the result that it handed over was not taken. */
  readonly refusal: string | undefined;
}

/** `isNew`: the agent remembers nothing of this session, so it is told what it answered before. */
export function news(messages: readonly Message[], seen: WeakSet<Message>, isNew: boolean): News {
  let from = isNew ? 0 : messages.length;
  // What was sent before is at the beginning: a long history is not walked through each time.
  if (!isNew) while (from > 0 && !seen.has(messages[from - 1]!)) from--;
  const fresh = messages.slice(from);
  const results = fresh.flatMap(endOf);
  const yielded = new Set(fresh.flatMap(yieldsOf));
  return {
    texts: fresh.flatMap((message) => textIn(message, isNew)),
    results,
    refusal: results.findLast(({ toolCallId, isError }) => isError && yielded.has(toolCallId))?.text,
  };
}

function textIn(message: Message, isNew: boolean): string[] {
  const said = textOf(message).replace(ENVIRONMENT, "").trim();
  if (said === "") return [];
  if (message.role === "user") return [said];
  return isNew && message.role === "assistant" ? [`You answered before:\n${said}`] : [];
}

/** The agent sees for itself where it is. */
const ENVIRONMENT = /<environment>[\s\S]*?<\/environment>/g;

const endOf = ({ content }: Message): CallEnd[] =>
  content.flatMap((part) => {
    if (part.kind !== "tool_result") return [];
    const { toolCallId, isError, content: given } = part.toolResult;
    return [{ toolCallId, isError, text: typeof given === "string" ? given : JSON.stringify(given) }];
  });

const yieldsOf = ({ content }: Message): string[] =>
  content.flatMap((part) => (part.kind === "tool_call" && part.toolCall.name === "yield" ? [part.toolCall.id] : []));
