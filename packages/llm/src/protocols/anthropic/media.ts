// Media for vendors that take either an address or inline base64 with a type (Anthropic, Gemini, Bedrock).

import { InvalidRequestError } from "../../types/errors.ts";
import type { MediaData } from "../../types/message.ts";
import { toBase64, unsupportedContent } from "../openai-common/media.ts";

export type MediaSource =
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "inline"; readonly base64: string; readonly mediaType: string };

/** Local files have been loaded by the adapter before anything is encoded; a path that is still here was never read. */
export function mediaSource(media: MediaData, fallbackType: string, provider: string): MediaSource {
  if ((media.url === undefined) === (media.data === undefined)) {
    throw new InvalidRequestError("media needs exactly one of `url` and `data`", { provider });
  }
  if (media.data !== undefined) {
    return { kind: "inline", base64: toBase64(media.data), mediaType: media.mediaType ?? fallbackType };
  }
  const url = media.url!;
  const dataUrl = /^data:([^;,]*);base64,/.exec(url);
  if (dataUrl) {
    return { kind: "inline", base64: url.slice(dataUrl[0].length), mediaType: dataUrl[1] || fallbackType };
  }
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(url)) {
    throw new InvalidRequestError(`${url} is a local file that was not loaded; pass its bytes as \`data\``, {
      provider,
    });
  }
  return { kind: "url", url, ...(media.mediaType === undefined ? {} : { mediaType: media.mediaType }) };
}

export function assertFormat(mediaType: string, formats: readonly string[], provider: string): void {
  if (!formats.includes(mediaType)) {
    throw unsupportedContent(provider, `${provider} takes ${formats.join(", ")}, not ${mediaType}`);
  }
}

export const imageFormats = ["image/png", "image/jpeg", "image/gif", "image/webp"];
