// Checks a picture from a client before it becomes part of the session: the model's vendor would refuse every later
// request that contains a picture it cannot read.

import type { InputPart } from "@lathe/agent";
import { imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import { usageError } from "../platform/usage/exit.ts";

/** `name` appears in errors. The bytes decide the type, not the client. */
export function decodePicture(name: string, base64: string): InputPart {
  const data = bytesOf(name, base64);
  const mediaType = imageType(data);
  if (mediaType === undefined) throw usageError(`${name} is not a picture that models take: png, jpg, gif or webp.`);
  if (data.length > MOST_IMAGE_BYTES) throw usageError(`${name} has ${megabytes(data.length)}; the limit is ${LIMIT}.`);
  return { kind: "image", image: { data, mediaType } };
}

/** Node skips characters that are not base64, so broken data would pass as a whole picture. */
function bytesOf(name: string, base64: string): Buffer {
  const text = base64.replace(/\s+/g, "").replace(/=+$/, "");
  // No number of bytes encodes to 4n + 1 characters.
  if (/[^A-Za-z0-9+/_-]/.test(text) || text.length % 4 === 1)
    throw usageError(`${name} is not base64. Send its bytes in base64, without "data:" before them.`);
  return Buffer.from(text, "base64");
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const LIMIT = megabytes(MOST_IMAGE_BYTES);
