// Repairs arguments that mean the right thing in the wrong JSON type, as models write them: "5" for 5, "true" for true,
// null for an omitted optional field, a trailing comma. It never guesses: a value that is not plainly equivalent stays
// unchanged.

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, parseJson } from "@lathe/llm";

/** Parses JSON with trailing commas; undefined if it still is not an object. */
export function parseLooseObject(text: string): JsonObject | undefined {
  for (const candidate of [text, dropTrailingCommas(text)]) {
    const value = parseJson(candidate);
    if (isJsonObject(value)) return value;
  }
  return undefined;
}

/** Returns the same object if there is nothing to repair. */
export function repairArguments(args: JsonObject, schema: JsonSchema): JsonObject {
  const repaired = repairValue(args, schema);
  return isJsonObject(repaired) ? repaired : args;
}

function repairValue(value: JsonValue, schema: JsonSchema): JsonValue {
  const type = schema["type"];
  if (typeof value === "string") {
    const repaired = repairString(value, type);
    // A single string where the schema wants a list of strings.
    const items = type === "array" && isJsonObject(schema["items"]) ? schema["items"] : undefined;
    return repaired === value && items?.["type"] === "string" ? [value] : repaired;
  }
  if (type === "string" && typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (isJsonObject(value) && isJsonObject(schema["properties"])) return repairObject(value, schema);
  if (Array.isArray(value) && isJsonObject(schema["items"])) {
    const items = schema["items"];
    const repaired = value.map((item) => repairValue(item, items));
    return repaired.some((item, i) => item !== value[i]) ? repaired : value;
  }
  return value;
}

function repairString(value: string, type: JsonValue | undefined): JsonValue {
  if (type === "boolean") {
    if (value === "true") return true;
    if (value === "false") return false;
  }
  if ((type === "number" || type === "integer") && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) {
    const number = Number(value);
    if (Number.isFinite(number) && (type === "number" || Number.isSafeInteger(number))) return number;
  }
  if (type === "array" || type === "object") {
    const parsed = parseJson(value);
    if (type === "array" ? Array.isArray(parsed) : isJsonObject(parsed)) return parsed!;
  }
  return value;
}

function repairObject(value: JsonObject, schema: JsonSchema): JsonObject {
  const properties = schema["properties"] as JsonObject;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  let copy: JsonObject | undefined;
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isJsonObject(property)) continue;
    if (
      item === null &&
      !required.includes(key) &&
      typeof property["type"] === "string" &&
      property["type"] !== "null"
    ) {
      copy ??= { ...value };
      delete copy[key];
      continue;
    }
    const repaired = repairValue(item, property);
    if (repaired === item) continue;
    copy ??= { ...value };
    copy[key] = repaired;
  }
  return copy ?? value;
}

function dropTrailingCommas(text: string): string {
  let out = "";
  let inString = false;
  const closes = /\s*[}\]]/y;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (inString) {
      if (char === "\\") {
        out += char + (text[i + 1] ?? "");
        i += 1;
        continue;
      }
      if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === ",") {
      closes.lastIndex = i + 1;
      if (closes.test(text)) continue;
    }
    out += char;
  }
  return out;
}
