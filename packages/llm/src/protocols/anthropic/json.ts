// Tolerant reading of vendor JSON: a field of the wrong type counts as absent.

import { isObject } from "../../stream/partial-json.ts";
import { StreamError } from "../../types/errors.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { BlockSink, Frame } from "../../types/protocol.ts";

export { isObject };

export function object(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
export function string(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
export function number(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
export function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The object in a frame; anything else breaks the stream. */
export function parseFrame(frame: Frame, out: BlockSink): JsonObject | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(frame.data) as JsonValue;
  } catch (cause) {
    out.fail(new StreamError("the stream holds an event that is not JSON; send the request again", { cause }));
    return undefined;
  }
  if (isObject(value)) return value;
  out.fail(new StreamError("the stream holds an event that is not a JSON object; send the request again"));
  return undefined;
}
