// Reads answers of engines, of which nothing is certain: what is not there is absent, and nothing throws.

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

/** The first of these members that is a text with something in it. */
export const textIn = (value: JsonValue | undefined, ...names: readonly string[]): string | undefined =>
  names.map((name) => textAt(value, name).trim()).find((text) => text !== "");

export const countIn = (value: JsonValue | undefined, name: string): number => numberAt(value, name) ?? 0;
