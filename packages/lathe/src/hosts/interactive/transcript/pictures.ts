// The pictures of messages and tool results, as items of the transcript.

import type { ContentPart, ImageData } from "@lathe/llm";
import { pictureSize } from "@lathe/tui";
import type { PictureItem } from "./item.ts";

export function picturesIn(content: readonly ContentPart[]): PictureItem[] {
  return content.flatMap((part) => {
    if (part.kind === "image") return pictureItem(part.image);
    return part.kind === "tool_result" ? (part.toolResult.images ?? []).flatMap(pictureItem) : [];
  });
}

/** Empty if there is only a URL: nothing is fetched for display. */
function pictureItem({ data }: ImageData): PictureItem[] {
  if (data === undefined) return [];
  const size = pictureSize(data);
  const kind = size === undefined ? "" : `${size.width}x${size.height} ${size.type}, `;
  return [{ kind: "picture", text: `${kind}${shownBytes(data.length)}`, file: data }];
}

function shownBytes(count: number): string {
  if (count < 1_000) return `${count} bytes`;
  return count < 999_500 ? `${Math.round(count / 1_000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
