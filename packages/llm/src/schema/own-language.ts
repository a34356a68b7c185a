// Whether a foreign schema uses nothing that `Checker` does not know.

import { isJsonObject, type JsonSchema, type JsonValue } from "../types/json.ts";

const ANNOTATIONS = ["description", "title", "default", "examples", "$schema", "deprecated", "readOnly", "writeOnly"];

/** The keywords allowed with each type, so that our check means the same as JSON Schema. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["enum"],
  integer: ["minimum", "maximum", "exclusiveMinimum"],
  number: ["minimum", "maximum", "exclusiveMinimum"],
  boolean: [],
  null: [],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"],
};

/** Whether a schema of any origin is in our language, so that no other validator has to be loaded for it. */
export function isCheckedHere(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  const { type, anyOf, items, properties, required, additionalProperties: others } = schema as JsonSchema;
  const keywords = Object.keys(schema).filter((name) => !ANNOTATIONS.includes(name) && name !== "type");
  if (type === undefined) {
    if (keywords.length === 0) return true;
    if (keywords.length !== 1) return false;
    const isConst = "const" in schema && (typeof schema["const"] !== "object" || schema["const"] === null);
    return isConst || (Array.isArray(anyOf) && anyOf.length > 0 && anyOf.every(isCheckedHere));
  }
  const known = typeof type === "string" && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
  if (!known || !keywords.every((name) => known.includes(name) && isPlain(name, (schema as JsonSchema)[name])))
    return false;
  if (items !== undefined && !isCheckedHere(items)) return false;
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string")))
    return false;
  if (properties !== undefined && !(isJsonObject(properties) && Object.values(properties).every(isCheckedHere)))
    return false;
  return others === undefined || typeof others === "boolean" || isCheckedHere(others);
}

function isPlain(keyword: string, value: JsonValue | undefined): boolean {
  if (keyword === "enum") return Array.isArray(value) && value.every((one) => typeof one !== "object");
  return typeof value === "number" || !/^(?:min|max|exclusive)/.test(keyword);
}
