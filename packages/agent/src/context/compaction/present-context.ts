// The context as a compaction sees it: the messages of the next request with their entries and sizes.

import type { Message } from "@lathe/llm";
import type { RequestInfo } from "../../contract/seams/types.ts";
import { charactersOf, charactersOfTools } from "../message-size.ts";

export interface SentMessage {
  /** Absent for a result that was filled in. */
  readonly entryId: string | undefined;
  readonly message: Message;
  /** An estimate, scaled by the vendor's count. */
  readonly tokens: number;
}

export interface PresentContext {
  /** Tokens of system prompt, environment block and tools. */
  readonly prefixTokens: number;
  readonly sent: readonly SentMessage[];
  /** Tokens of the whole request, on the same scale as its parts: the vendor's count if it is plausible. */
  readonly tokens: number;
  readonly window: number;
}

const CHARS_PER_TOKEN = 4;
/**
 * If the count is far from the estimate, it is about something else, such as a request before a model switch, or the
 * server does not count at all.
 */
const MOST_SCALE = 3;

export function presentContext({ request, entryIds, contextTokens, contextWindow }: RequestInfo): PresentContext {
  const headLength = request.messages.length - entryIds.length;
  const head = request.messages.slice(0, headLength);
  const prefixCharacters =
    head.reduce((sum, message) => sum + charactersOf(message), 0) + charactersOfTools(request.tools ?? []);
  const sizes = request.messages.slice(headLength).map(charactersOf);
  const characters = sizes.reduce((sum, size) => sum + size, prefixCharacters);
  const estimate = Math.max(1, characters / CHARS_PER_TOKEN);
  const tokens = Math.ceil(Math.min(MOST_SCALE * estimate, Math.max(estimate / MOST_SCALE, contextTokens)));
  const scale = tokens / estimate / CHARS_PER_TOKEN;
  return {
    prefixTokens: Math.ceil(prefixCharacters * scale),
    sent: sizes.map((size, at) => ({
      entryId: entryIds[at],
      message: request.messages[headLength + at]!,
      tokens: Math.ceil(size * scale),
    })),
    tokens,
    window: contextWindow,
  };
}

export const tokensOfText = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);
