// Media for the OpenAI dialects: an address or a data URL.

import { toBase64 } from "../../media/base64.ts";
import { InvalidRequestError } from "../../types/errors.ts";
import type { MediaData } from "../../types/message.ts";

export function mediaUrl(media: MediaData, fallbackType: string): string {
  if (media.data === undefined) return media.url ?? "";
  return `data:${media.mediaType ?? fallbackType};base64,${toBase64(media.data)}`;
}

export function unsupportedContent(provider: string, what: string): InvalidRequestError {
  return new InvalidRequestError(`${what}; remove it or choose another provider`, {
    provider,
    errorCode: "unsupported_content",
  });
}
