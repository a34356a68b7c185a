// A picture that a client has sent with a message, checked before it becomes part of the session: a model's vendor refuses every later
// request that holds one which it does not take.

import { imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import type { ContentPart } from "@lathe/llm";
import { usageError } from "../platform/usage/exit.ts";

/** `name`: for the sender. What the bytes are counts, not what they are said to be. */
export function givenPicture(name: string, base64: string): ContentPart {
  const data = Buffer.from(base64, "base64");
  const mediaType = imageType(data);
  if (mediaType === undefined) throw usageError(`${name} is not a picture that models take: png, jpg, gif or webp.`);
  if (data.length > MOST_IMAGE_BYTES) throw usageError(`${name} has ${megabytes(data.length)}; the limit is ${LIMIT}.`);
  return { kind: "image", image: { data, mediaType } };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const LIMIT = megabytes(MOST_IMAGE_BYTES);
