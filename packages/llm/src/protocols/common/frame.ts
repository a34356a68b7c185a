// Reads one framed event as a JSON object; anything else ends the stream.

import { StreamError } from "../../types/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { BlockSink, Frame } from "../../types/protocol.ts";

export function parseFrame(frame: Frame, out: BlockSink): JsonObject | undefined {
  if (frame.data === "" || frame.data === "[DONE]") return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(frame.data) as JsonValue;
  } catch (cause) {
    out.fail(new StreamError("The stream contains a chunk that is not JSON.", { cause }));
    return undefined;
  }
  if (isJsonObject(value)) return value;
  out.fail(new StreamError("The stream contains a chunk that is not a JSON object."));
  return undefined;
}
