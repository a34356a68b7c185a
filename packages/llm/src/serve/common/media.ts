// Media from clients: bytes in base64, or a web address. Our own requests may also name local files by path; a client
// must never be able to do that.

import { readDataUrl } from "../../media/base64.ts";
import type { MediaData } from "../../types/message.ts";
import { refuse } from "./read.ts";

/** An image or file by its address: `https:`, `http:` or `data:`. */
export function mediaOfUrl(url: string, place: string): MediaData {
  if (/^data:/i.test(url)) {
    const content = readDataUrl(`data:${url.slice(5)}`);
    if (content === undefined || content.data.length === 0)
      refuse(place, `${place} is a data URL that cannot be read.`);
    return mediaTypeChecked(content, place);
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) refuse(place, `${place} must be an https: or data: URL.`);
  return { url };
}

/** Bytes as base64. */
export function mediaOfBase64(base64: string, mediaType: string | undefined, place: string): MediaData {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64.replace(/\s+/g, ""))) refuse(place, `${place} must be base64.`);
  const content = readDataUrl(`data:;base64,${base64}`);
  if (content === undefined || content.data.length === 0) refuse(place, `${place} must be base64.`);
  return mediaTypeChecked({ data: content.data, ...(mediaType === undefined ? {} : { mediaType }) }, place);
}

/** The type becomes part of request addresses and headers. */
function mediaTypeChecked(media: MediaData, place: string): MediaData {
  if (media.mediaType !== undefined && !/^[\w.+-]{1,64}\/[\w.+-]{1,128}$/.test(media.mediaType))
    refuse(place, `${place} has an invalid media type.`);
  return media;
}
