// Where the part that is summarised ends and the part that stays begins.

import type { SentMessage } from "./present-context.ts";

export interface CutPoint {
  /** Index of the first message that stays. */
  readonly at: number;
  /** The message of the user whose turn is split here; absent when a turn begins at `at`. */
  readonly turnStart?: number;
}

/**
 * The newest messages that fit into `keepRecent`. A result stays with its call, and the last answer with its results always
 * stays: the model is waiting for them. Nothing before `first` is considered. Undefined: there is nothing to summarise.
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

/** An answer or a message of the user that the journal knows. */
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
