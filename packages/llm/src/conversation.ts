// A conversation that has only grown since the last request costs its new messages: what the old ones came to is
// remembered with the conversation's first message and checked by identity.

import type { Message } from "../../types/message.ts";
import type { SegmentCache } from "../../types/protocol.ts";

/** `step` changes the state for one message, in order. The state belongs to the cache: copy what leaves. */
export function foldMessages<S>(
  cache: SegmentCache,
  messages: readonly Message[],
  variant: string,
  start: () => S,
  step: (state: S, message: Message) => void,
): S {
  // The system text may be one object for many conversations; the first message after it is not.
  const owner = messages.find(({ role }) => role !== "system") ?? messages[0];
  if (owner === undefined) return start();
  const memo = cache.get(owner, variant, () => ({ seen: [] as Message[], state: start() }));
  if (memo.seen.length > messages.length || memo.seen.some((message, index) => message !== messages[index])) {
    memo.seen = [];
    memo.state = start();
  }
  for (let index = memo.seen.length; index < messages.length; index += 1) {
    const message = messages[index]!;
    step(memo.state, message);
    memo.seen.push(message);
  }
  return memo.state;
}
