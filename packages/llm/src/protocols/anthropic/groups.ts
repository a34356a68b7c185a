// Joins consecutive messages of one role into one wire message (roles must alternate), tool results first.

import type { Block, EncodedMessage } from "./blocks.ts";

export interface WireGroup {
  readonly role: "user" | "assistant";
  readonly members: EncodedMessage[];
}

export function groupBlocks(group: WireGroup): Block[] {
  const { members } = group;
  return [...members.flatMap((member) => member.results), ...members.flatMap((member) => member.rest)];
}

/** The blocks' text joined; uses each message's ready text if the order allows it. */
export function groupText(group: WireGroup): string {
  const { members } = group;
  const ordered = members.every(
    (member, index) => index === 0 || member.results.length === 0 || allResults(members, index),
  );
  if (ordered) return members.map((member) => member.joined).join(",");
  return groupBlocks(group)
    .map((block) => block.text)
    .join(",");
}

function allResults(members: readonly EncodedMessage[], before: number): boolean {
  return members.slice(0, before).every((member) => member.rest.length === 0);
}

/**
 * True if the model is in the middle of a tool round whose turn did not begin with thinking. Fixed-budget thinking is
 * refused there.
 */
export function inUnthinkingToolRound(groups: readonly WireGroup[]): boolean {
  const last = groups.at(-1);
  if (last?.role !== "user" || !last.members.some((member) => member.results.length > 0)) return false;
  return groups.at(-2)?.members[0]?.leadsWithThinking === false;
}
