// Pictures of messages and results: events carry their data; those of entries are read when they are drawn.

import type { WireMessage } from "lathe/client";
import type { CallItem, Item, Picture, WireEntry } from "./items.ts";

type Media = Extract<WireEntry, { type: "user" }>["images"][number];

/** All pictures of an entry, in an order that does not depend on how much of it was read. */
export function mediaIn(entry: WireEntry): readonly Media[] {
  switch (entry.type) {
    case "user":
      return entry.images;
    case "assistant":
      return entry.parts.flatMap((part) => (part.kind === "image" ? [part.image] : []));
    case "results":
      return entry.results.flatMap(({ images }) => images);
    default:
      return [];
  }
}

/** The pictures of an entry from index `from` on. */
export const picturesAt = (entryId: string, media: readonly Media[], from = 0): readonly Picture[] =>
  media.map(({ mediaType }, at) => ({ mediaType, place: { entryId, at: from + at } }));

export const pictureOf = ({ mediaType, data }: Media): Picture => ({ mediaType, data });

/** The results of a turn carry the pictures of its calls. */
export function withPictures(items: readonly Item[], results: readonly WireMessage[]): readonly Item[] {
  const byCall = new Map<string, readonly Picture[]>();
  for (const { content } of results)
    for (const part of content) {
      if (part.kind !== "tool_result" || !part.toolResult.images?.length) continue;
      byCall.set(part.toolResult.toolCallId, part.toolResult.images.map(pictureOf));
    }
  if (byCall.size === 0) return items;
  const lastOf = (callId: string): number => items.findLastIndex((item) => isCall(item) && item.callId === callId);
  const at = new Map([...byCall].map(([callId, pictures]) => [lastOf(callId), pictures] as const));
  return items.map((item, index) => (at.has(index) ? { ...(item as CallItem), pictures: at.get(index) } : item));
}

const isCall = (item: Item): item is CallItem => item.kind === "call";
