// The body of a request as JSON, and not one byte more than it may have: a larger one is refused as soon as that is known.

import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { Refused } from "./refused.ts";

/** Pictures go with prompts. */
export const MOST_COMMAND_BYTES = 24 << 20;
export const MOST_BYTES = 64 << 10;

export async function readBody(incoming: IncomingMessage, most: number): Promise<JsonObject> {
  const type = incoming.headers["content-type"] ?? "";
  // A form of another page can send other types without asking.
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new Refused(415, "not_json", "Send the body as JSON, with content-type: application/json.");
  const bytes = await readBytes(incoming, most);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Refused(400, "not_json", "The body is not valid JSON.");
  }
  if (!isJsonObject(value)) throw new Refused(400, "not_json", "The body must be a JSON object.");
  return value;
}

/** By events: leaving a loop over the stream would close the connection before the refusal is sent. */
function readBytes(incoming: IncomingMessage, most: number): Promise<Buffer> {
  const tooLarge = new Refused(413, "too_large", `The body may have ${most} bytes.`);
  if (Number(incoming.headers["content-length"] ?? 0) > most) return Promise.reject(tooLarge);
  const cutOff = new Refused(400, "cut_off", "The body was cut off.");
  // The client left while something else was waited for: no event tells of it any more.
  if (incoming.destroyed) return Promise.reject(cutOff);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else {
        incoming.pause();
        reject(tooLarge);
      }
    });
    incoming.once("end", () => resolve(Buffer.concat(chunks)));
    incoming.once("error", () => reject(cutOff));
    incoming.once("close", () => reject(cutOff));
  });
}
