// Reads answers of engines, of which nothing is certain: what is not there is absent, and nothing throws.

import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";

export function objectIn(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = path.reduce<JsonValue | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
  return isJsonObject(found) ? found : {};
}

export function listIn(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const last = path.at(-1);
  const found = last === undefined ? value : objectIn(value, ...path.slice(0, -1))[last];
  return Array.isArray(found) ? found : [];
}

export const objectsIn = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] =>
  listIn(value, ...path).filter(isJsonObject);

export const textsIn = (value: JsonValue | undefined, ...path: readonly string[]): readonly string[] =>
  listIn(value, ...path).filter((one): one is string => typeof one === "string" && one.trim() !== "");

/** The first of these members that is a text with something in it. */
export function textIn(value: JsonValue | undefined, ...names: readonly string[]): string | undefined {
  const members = objectIn(value);
  for (const name of names) {
    const text = members[name];
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return undefined;
}

export function countIn(value: JsonValue | undefined, ...names: readonly string[]): number {
  const found = names.map((name) => objectIn(value)[name]).find((one) => typeof one === "number");
  return typeof found === "number" && Number.isFinite(found) ? found : 0;
}
