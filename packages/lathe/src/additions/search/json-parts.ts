// Reads answers of engines without trusting their shape: missing values are absent, and nothing throws.

import { itemsAt, numberAt, textAt, valueAt } from "@lathe/agent/files";
import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";

export function objectIn(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}

export const objectsIn = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] =>
  itemsAt(value, ...path).filter(isJsonObject);

export const textsIn = (value: JsonValue | undefined, ...path: readonly string[]): readonly string[] =>
  itemsAt(value, ...path).filter((one): one is string => typeof one === "string" && one.trim() !== "");

/** The first of these members that is a non-empty text. */
export const textIn = (value: JsonValue | undefined, ...names: readonly string[]): string | undefined =>
  names.map((name) => textAt(value, name).trim()).find((text) => text !== "");

export const countIn = (value: JsonValue | undefined, name: string): number => numberAt(value, name) ?? 0;
