// What came as bytes (a named file, stdin), as content for the model: a picture, told by its first bytes, or text in whatever
// encoding it is.

import { DocumentError, decodeDocument, imageType, MOST_IMAGE_BYTES } from "@lathe/agent";
import type { ContentPart } from "@lathe/llm";
import { usageError } from "../cli/exit.ts";

export interface Attached {
  /** For messages. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Opens and closes it in the conversation; text without them is the prompt itself. */
  readonly tags?: readonly [open: string, close: string];
}

export function attachedParts({ name, bytes, tags }: Attached): ContentPart[] {
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) {
    if (bytes.length > MOST_IMAGE_BYTES)
      throw usageError(
        `${name} is a picture of ${megabytes(bytes.length)}; ${megabytes(MOST_IMAGE_BYTES)} are the most. Give a smaller copy.`,
      );
    const image: ContentPart = { kind: "image", image: { data: bytes, mediaType } };
    return tags ? [{ kind: "text", text: tags[0] }, image, { kind: "text", text: tags[1] }] : [image];
  }
  const text = textIn(bytes);
  if (text === undefined)
    throw usageError(`${name} is binary. Only text and pictures (png, jpg, gif, webp) can be given.`);
  const whole = text.replace(/\n+$/, "");
  return [{ kind: "text", text: tags ? `${tags[0]}\n${whole}\n${tags[1]}` : whole }];
}

function textIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 8192));
  // A PDF's beginning may look like text.
  if (start.subarray(0, 5).toString("latin1") === "%PDF-") return undefined;
  try {
    return decodeDocument(bytes).text;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    // A log of several encodings is still worth reading.
    return start.includes(0) ? undefined : Buffer.from(bytes).toString("utf8");
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
