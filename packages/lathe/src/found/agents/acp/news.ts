// Finds the parts of a request that an ACP agent does not know yet.

import { type Message, textOf } from "@lathe/llm";

interface CallEnd {
  readonly toolCallId: string;
  readonly isError: boolean;
  readonly text: string;
}

export interface News {
  /** Texts for the agent. */
  readonly texts: readonly string[];
  /** Results of its calls. */
  readonly results: readonly CallEnd[];
  /** Why the result it returned was not accepted. */
  readonly refusal: string | undefined;
}

/** `isNew` means that the agent remembers nothing of this session, so it is also told its earlier answers. */
export function news(messages: readonly Message[], seen: WeakSet<Message>, isNew: boolean): News {
  let from = isNew ? 0 : messages.length;
  // Messages that were already sent come first, so we search from the end and never walk through a long history.
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

/** The agent can see its environment for itself. */
const ENVIRONMENT = /<environment>[\s\S]*?<\/environment>/g;

const endOf = ({ content }: Message): CallEnd[] =>
  content.flatMap((part) => {
    if (part.kind !== "tool_result") return [];
    const { toolCallId, isError, content: given } = part.toolResult;
    return [{ toolCallId, isError, text: typeof given === "string" ? given : JSON.stringify(given) }];
  });

const yieldsOf = ({ content }: Message): string[] =>
  content.flatMap((part) => (part.kind === "tool_call" && part.toolCall.name === "yield" ? [part.toolCall.id] : []));
