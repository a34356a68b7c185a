// A derived value of a message list that grows with it: the next request of a conversation only adds what is new.

import type { Message } from "../../types/message.ts";
import type { EncodeInput } from "../../types/protocol.ts";

interface Holder<H> {
  given: readonly Message[];
  history: H;
}

/**
 * The history of the request under `variant`. It is remembered by the conversation's first own message; a list that
 * does not continue the remembered one starts anew.
 */
export function grown<H>(
  { request, segments }: EncodeInput,
  variant: string,
  fresh: () => H,
  add: (history: H, message: Message) => void,
): H {
  const { messages } = request;
  const owner = messages.find(({ role }) => role !== "system" && role !== "developer") ?? messages[0];
  if (owner === undefined) return fresh();
  const holder = segments.get(owner, `${variant} history`, (): Holder<H> => ({ given: [], history: fresh() }));
  const known = continues(holder.given, messages) ? holder.given.length : 0;
  const history = known === 0 ? fresh() : holder.history;
  // Until all is added nothing is remembered: an encoder may refuse a message half way.
  holder.given = [];
  for (let index = known; index < messages.length; index += 1) add(history, messages[index]!);
  holder.given = messages.slice();
  holder.history = history;
  return history;
}

function continues(given: readonly Message[], messages: readonly Message[]): boolean {
  if (given.length > messages.length) return false;
  for (let index = given.length - 1; index >= 0; index -= 1) if (given[index] !== messages[index]) return false;
  return true;
}
