// Media for vendors that accept either an address or inline base64 with a type (Anthropic, Gemini, Bedrock). The
// adapter has already loaded local files and data URLs and checked types and sizes.

import { toBase64 } from "../../media/base64.ts";
import type { MediaData } from "../../types/message.ts";
import { unsupportedContent } from "../common/media.ts";

type MediaSource =
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "inline"; readonly base64: string; readonly mediaType: string };

export function mediaSource(media: MediaData, fallbackType: string): MediaSource {
  if (media.data !== undefined) {
    return { kind: "inline", base64: toBase64(media.data), mediaType: media.mediaType ?? fallbackType };
  }
  return {
    kind: "url",
    url: media.url ?? "",
    ...(media.mediaType === undefined ? {} : { mediaType: media.mediaType }),
  };
}

export function assertFormat(mediaType: string, formats: readonly string[], provider: string): void {
  if (!formats.includes(mediaType)) {
    throw unsupportedContent(provider, `${provider} takes ${formats.join(", ")}, not ${mediaType}`);
  }
}
