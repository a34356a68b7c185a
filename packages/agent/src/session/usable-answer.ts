// An answer as the session can keep and run it. What the model or its server made up must not end the session.

import type { ContentPart, Message, Usage } from "@lathe/llm";
import { isShallow, MOST_NESTING } from "../journal/shape.ts";

/** Stands where the arguments stood; it is no JSON, so the call is refused and the model reads why. */
const TOO_DEEP = `[left out: nested more than ${MOST_NESTING} levels deep]`;

/** Distinct calls whose arguments can be walked; the same object when nothing had to change. */
export function usableAnswer(message: Message): Message {
  const taken = new Map<string, number>();
  const content = message.content.flatMap((part): ContentPart[] => {
    if (part.kind === "unknown") return isShallow(part.raw, MOST_NESTING) ? [part] : [];
    return part.kind === "tool_call" ? [distinct(shallow(part), taken)] : [part];
  });
  const isSame = content.length === message.content.length && content.every((part, at) => part === message.content[at]);
  return isSame ? message : { ...message, content };
}

type CallPart = Extract<ContentPart, { kind: "tool_call" }>;

function shallow(part: CallPart): CallPart {
  if (isShallow(part.toolCall.arguments, MOST_NESTING)) return part;
  // The vendor signed the arguments that are gone.
  const { signature: _signature, ...call } = part.toolCall;
  return { ...part, toolCall: { ...call, arguments: {}, rawArguments: TOO_DEEP } };
}

/** Some servers give the calls of one answer the same id; results, approvals and events are told apart by it. */
function distinct(part: CallPart, taken: Map<string, number>): CallPart {
  const given = part.toolCall.id;
  let id = given;
  for (let n = taken.get(given) ?? 1; taken.has(id); n++) {
    id = `${given}_${n + 1}`;
    taken.set(given, n + 1);
  }
  taken.set(id, 1);
  return id === part.toolCall.id ? part : { ...part, toolCall: { ...part.toolCall, id } };
}

/** The vendor's own counts are kept with ours, unless they cannot be. */
export function usableUsage(usage: Usage): Usage {
  if (isShallow(usage.raw, MOST_NESTING)) return usage;
  const { raw: _raw, ...counts } = usage;
  return counts;
}
