// Fields of a JSON answer from outside. What is missing, or of another kind than wanted, is as good as empty: hosts add and drop fields.

import { isJsonObject, type JsonValue } from "@lathe/llm";

type Path = readonly (string | number)[];

export function valueAt(value: JsonValue | undefined, ...path: Path): JsonValue | undefined {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** "" when it is no text. */
export function textAt(value: JsonValue | undefined, ...path: Path): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

export function numberAt(value: JsonValue | undefined, ...path: Path): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}

export const isTrueAt = (value: JsonValue | undefined, ...path: Path): boolean => valueAt(value, ...path) === true;

export function itemsAt(value: JsonValue | undefined, ...path: Path): readonly JsonValue[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}
