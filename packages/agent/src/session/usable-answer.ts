// Makes an answer fit for the session to keep and run. Whatever the model or its server made up must not end the
// session.

import type { ContentPart, Message, Usage } from "@lathe/llm";
import { isShallow, MOST_NESTING } from "../record/journal/nesting.ts";
import type { CallIds } from "./call-ids.ts";

/** Replaces the arguments. It is not JSON, so the call is refused and the model reads why. */
const TOO_DEEP = `[left out: nested more than ${MOST_NESTING} levels deep]`;

interface Offered {
  readonly callIds: CallIds;
  readonly isTool: (name: string) => boolean;
}

/**
 * Makes call ids distinct, names sendable and arguments shallow enough to walk. Returns the same object if nothing had
 * to change.
 */
export function usableAnswer(message: Message, { callIds, isTool }: Offered): Message {
  const content = message.content.flatMap((part): ContentPart[] => {
    if (part.kind === "unknown") return isShallow(part.raw, MOST_NESTING) ? [part] : [];
    return part.kind === "tool_call" ? [makeDistinct(nameCall(shallow(part), isTool), callIds)] : [part];
  });
  const isSame = content.length === message.content.length && content.every((part, at) => part === message.content[at]);
  return isSame ? message : { ...message, content };
}

type CallPart = Extract<ContentPart, { kind: "tool_call" }>;

function shallow(part: CallPart): CallPart {
  if (isShallow(part.toolCall.arguments, MOST_NESTING)) return part;
  // The vendor's signature covers the arguments that are gone.
  const { signature: _signature, ...call } = part.toolCall;
  return { ...part, toolCall: { ...call, arguments: {}, rawArguments: TOO_DEEP } };
}

/** Names that every vendor accepts. */
const SENDABLE_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * A call of a tool that is not offered stays in the history with its name, and a vendor that refuses the name would
 * refuse every later request. The replacement is no tool's name, so the model reads that there is no such tool.
 */
function nameCall(part: CallPart, isTool: (name: string) => boolean): CallPart {
  const { name } = part.toolCall;
  if (SENDABLE_NAME.test(name) || isTool(name)) return part;
  // The vendor's signature covers the name that is gone.
  const { signature: _signature, ...call } = part.toolCall;
  const safe = `unusable_name_${name.replace(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64);
  return { ...part, toolCall: { ...call, name: safe } };
}

function makeDistinct(part: CallPart, callIds: CallIds): CallPart {
  const { origin: _origin, ...call } = part.toolCall;
  const id = callIds.makeDistinct(call.id);
  // With another id it is no longer the item that its origin names.
  return id === call.id ? part : { ...part, toolCall: { ...call, id } };
}

/** The vendor's own counts are kept with ours, unless they are nested too deep. */
export function usableUsage(usage: Usage): Usage {
  if (isShallow(usage.raw, MOST_NESTING)) return usage;
  const { raw: _raw, ...counts } = usage;
  return counts;
}
