// Fields of a JSON answer from outside. What is missing, or of another kind than wanted, is as good as empty: hosts add and drop fields.

import { isJsonObject, type JsonValue } from "@lathe/llm";

/** The value under these keys. */
export function valueAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** "" when it is no text. */
export function textAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** Undefined when it is no number. */
export function numberAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** Whether it is `true` itself. */
export const isTrueAt = (value: JsonValue | undefined, ...path: readonly (string | number)[]): boolean =>
  valueAt(value, ...path) === true;

/** Nothing when it is no list. */
export function itemsAt(value: JsonValue | undefined, ...path: readonly (string | number)[]): readonly JsonValue[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}
