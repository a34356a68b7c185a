// Reads the body of a request as JSON, up to a size limit; a larger body is refused as soon as its size shows.

import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { Refused } from "./refused.ts";

/** Prompts may contain pictures. */
export const MOST_COMMAND_BYTES = 24 << 20;
export const MOST_BYTES = 64 << 10;
/** A parsed value takes about twenty times its bytes, so a few bodies full of `{}` could fill the memory. */
const MOST_VALUES = 1_000_000;
const [QUOTE, COMMA, BRACE, BRACKET, BACKSLASH] = [34, 44, 123, 91, 92];

/** A server's own limit on the bytes of all its requests. */
export interface BodyRoom {
  /** Throws if there is no room for that many more bytes. */
  take(bytes: number): void;
}

export async function readBody(incoming: IncomingMessage, most: number, room?: BodyRoom): Promise<JsonObject> {
  const type = incoming.headers["content-type"] ?? "";
  // A form on another site can send only other content types without a preflight request.
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new Refused(415, "not_json", "Send the body as JSON, with content-type: application/json.");
  const bytes = await readBytes(incoming, most, room);
  if (hasTooManyValues(bytes)) throw new Refused(413, "too_large", "The body has too many values.");
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Refused(400, "not_json", "The body is not valid JSON.");
  }
  if (!isJsonObject(value)) throw new Refused(400, "not_json", "The body must be a JSON object.");
  return value;
}

/** Uses events: leaving a `for await` loop would close the connection before the refusal is sent. */
function readBytes(incoming: IncomingMessage, most: number, room?: BodyRoom): Promise<Buffer> {
  if (Number(incoming.headers["content-length"] ?? 0) > most) return Promise.reject(tooLarge(most));
  // The client left before we started reading, and no event will report that.
  if (incoming.destroyed) return Promise.reject(cutOff());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > most) throw tooLarge(most);
        room?.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        chunks.length = 0;
        incoming.off("data", onData).pause();
        reject(error);
      }
    };
    incoming.on("data", onData);
    incoming.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // "close" also follows a complete body. Create no error then: that would take longer than reading a short body.
    const onCut = (): void => {
      if (!incoming.readableEnded) reject(cutOff());
    };
    // The server refused the rest of the body; its reason is the error.
    incoming.once("error", (error) => (error instanceof Refused ? reject(error) : onCut()));
    incoming.once("close", onCut);
  });
}

const tooLarge = (most: number): Refused => new Refused(413, "too_large", `The body may have at most ${most} bytes.`);
const cutOff = (): Refused => new Refused(400, "cut_off", "The body was cut off.");

/** Counts values without parsing. Strings are skipped, since pictures are long strings. */
function hasTooManyValues(bytes: Buffer): boolean {
  if (bytes.length <= MOST_VALUES) return false;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA || byte === BRACE || byte === BRACKET) values++;
    if (values > MOST_VALUES) return true;
  }
  return false;
}

/** The end of the string that begins at `from`. A quote after an odd number of backslashes is part of the string. */
function endOfText(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return bytes.length;
}
