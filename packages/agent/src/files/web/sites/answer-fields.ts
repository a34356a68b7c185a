// Fields of JSON answers from outside. A missing field, or one of the wrong type, counts as empty: hosts add and drop
// fields.

import { isJsonObject, type JsonValue } from "@lathe/llm";

/** The value at this path of keys. */
export function valueAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** "" if it is not text. */
export function textAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** Undefined if it is not a number. */
export function numberAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** Whether it is exactly `true`. */
export const isTrueAt = (value: JsonValue | undefined, ...path: readonly (string | number)[]): boolean =>
  valueAt(value, ...path) === true;

/** Empty if it is not a list. */
export function itemsAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): readonly JsonValue[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}
