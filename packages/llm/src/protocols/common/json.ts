// Reads vendor JSON tolerantly: a field of the wrong type counts as absent.

import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";

export function object(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
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
