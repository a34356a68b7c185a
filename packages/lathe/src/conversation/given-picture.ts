// A picture that a client has sent with a message, checked before it becomes part of the session: a model's vendor refuses every later
// request that holds one which it does not take.

import { imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import type { ContentPart } from "@lathe/llm";
import { usageError } from "../platform/usage/exit.ts";

/** `name`: for the sender. What the bytes are counts, not what they are said to be. */
export function givenPicture(name: string, base64: string): ContentPart {
  const data = bytesOf(name, base64);
  const mediaType = imageType(data);
  if (mediaType === undefined) throw usageError(`${name} is not a picture that models take: png, jpg, gif or webp.`);
  if (data.length > MOST_IMAGE_BYTES) throw usageError(`${name} has ${megabytes(data.length)}; the limit is ${LIMIT}.`);
  return { kind: "image", image: { data, mediaType } };
}

/** Node leaves out what is no base64: half a picture would be taken for a whole one. */
function bytesOf(name: string, base64: string): Buffer {
  const text = base64.replace(/\s+/g, "").replace(/=+$/, "");
  // A length of 4n + 1 is that of no bytes.
  if (/[^A-Za-z0-9+/_-]/.test(text) || text.length % 4 === 1)
    throw usageError(`${name} is not base64. Send its bytes in base64, without "data:" before them.`);
  return Buffer.from(text, "base64");
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const LIMIT = megabytes(MOST_IMAGE_BYTES);
