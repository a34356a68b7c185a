// If a conversation has only grown since the last request, only its new messages cost time: the result for the old ones
// is remembered with the conversation's first own message and checked by identity.

import type { Message } from "./types/message.ts";
import type { EncodeInput } from "./types/protocol.ts";

type Source = Pick<EncodeInput, "segments" | "growing"> & {
  readonly request: Pick<EncodeInput["request"], "messages">;
};

interface Folded<S> {
  /** Our own copy, because callers may push to their list. */
  readonly seen: Message[];
  readonly state: S;
  /** The list that `seen` was copied from. */
  from: readonly Message[] | undefined;
}

/** `step` updates the state for one message, in order. The state belongs to the cache, so copy whatever leaves it. */
export function foldMessages<S>(
  { segments, request: { messages }, growing = false }: Source,
  variant: string,
  start: () => S,
  step: (state: S, message: Message) => void,
): S {
  // Many conversations may share one system message object, but not the first message after it.
  const owner = messages.find(({ role }) => role !== "system" && role !== "developer") ?? messages[0];
  if (owner === undefined) return start();
  const memo = segments.get(owner, variant, (): { last?: Folded<S> | undefined } => ({}));
  const { last } = memo;
  const goesOn = last !== undefined && ((growing && last.from === messages) || startsWith(messages, last.seen));
  const folded: Folded<S> = goesOn ? last : { seen: [], state: start(), from: undefined };
  // A step may throw half way through a message; such a state must not be used again.
  memo.last = undefined;
  for (let index = folded.seen.length; index < messages.length; index += 1) {
    const message = messages[index]!;
    step(folded.state, message);
    folded.seen.push(message);
  }
  folded.from = growing ? messages : undefined;
  memo.last = folded;
  return folded.state;
}

/**
 * Compares pointers from the end, because histories mostly differ there. Object.is stops at the pointers; `===` makes
 * V8 look into every message, which costs more than the rest of a request at 2,000 messages.
 */
function startsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  if (beginning.length > messages.length) return false;
  for (let index = beginning.length - 1; index >= 0; index -= 1) {
    if (!Object.is(beginning[index], messages[index])) return false;
  }
  return true;
}
