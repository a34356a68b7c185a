// Where the summarised part ends and the kept part begins.

import type { SentMessage } from "./present-context.ts";

export interface CutPoint {
  /** Index of the first message that is kept. */
  readonly at: number;
  /** Index of the user message whose turn is split here; absent if a turn begins at `at`. */
  readonly turnStart?: number;
}

/**
 * Keeps the newest messages that fit into `keepRecent`. A result stays with its call, and the last answer with its
 * results always stays, because the model is waiting for them. Considers nothing before `first`. Undefined if there is
 * nothing to summarise.
 */
export function cutPoint(sent: readonly SentMessage[], keepRecent: number, first: number): CutPoint | undefined {
  const last = lastBeginning(sent);
  let at = sent.length;
  let kept = 0;
  while (at > first && (at > last || kept + sent[at - 1]!.tokens <= keepRecent)) kept += sent[--at]!.tokens;
  while (at < last && !mayBegin(sent[at]!)) at += 1;
  if (at <= first) return undefined;
  if (sent[at]!.message.role === "user") return { at };
  const turnStart = lastUserBefore(sent, at, first);
  return turnStart === undefined ? { at } : { at, turnStart };
}

/** An answer or a user message that the journal contains. */
const mayBegin = ({ message, entryId }: SentMessage): boolean => message.role !== "tool" && entryId !== undefined;

function lastBeginning(sent: readonly SentMessage[]): number {
  let at = sent.length - 1;
  while (at > 0 && !mayBegin(sent[at]!)) at -= 1;
  return Math.max(0, at);
}

function lastUserBefore(sent: readonly SentMessage[], before: number, first: number): number | undefined {
  for (let at = before - 1; at >= first; at--) if (sent[at]!.message.role === "user") return at;
  return undefined;
}
