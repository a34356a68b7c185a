// Gemini's schema subset (TC-07): OpenAPI-like, no references, no additionalProperties, `nullable` instead of null types.

import type { JsonObject, JsonSchema, JsonValue } from "../types/json.ts";
import { own } from "../types/own.ts";
import { inlineReferences, isSchema, typeOfLiterals } from "./inline.ts";

const KEPT = new Set([
  "type",
  "title",
  "description",
  "nullable",
  "required",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
  "propertyOrdering",
]);
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "date-time"],
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** Translates a JSON Schema to Gemini's dialect. */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  const anything = () => ({ type: "object" });
  return translate(inlineReferences(schema, { onCycle: anything, onMissing: anything }));
}

function translate(node: JsonObject): JsonObject {
  const merged = mergeAllOf(node);
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(merged)) {
    if (KEPT.has(key)) result[key] = value;
    else if (key === "items" && isSchema(value)) result[key] = translate(value);
    else if (key === "properties" && isSchema(value)) result[key] = mapValues(value);
  }
  const variants = merged["anyOf"] ?? merged["oneOf"];
  if (Array.isArray(variants)) addVariants(result, variants.filter(isSchema).map(translate));
  addEnum(result, merged);
  splitTypes(result);
  if (result["type"] === "array") result["items"] ??= { type: "string" };
  const { properties, required } = result;
  if (Array.isArray(required)) result["required"] = required.filter((name) => isIn(properties, name));
  const format = merged["format"];
  if (typeof format === "string" && own(FORMATS, String(result["type"]))?.includes(format)) result["format"] = format;
  return result;
}

function mapValues(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, child]) => [name, isSchema(child) ? translate(child) : {}]),
  );
}

function mergeAllOf(node: JsonObject): JsonObject {
  const { allOf, ...rest } = node;
  if (!Array.isArray(allOf)) return node;
  const merged: JsonObject = {};
  for (const part of [...allOf.filter(isSchema), rest]) {
    const { properties, required } = merged;
    Object.assign(merged, part);
    if (isSchema(properties) && isSchema(part["properties"]))
      merged["properties"] = { ...properties, ...part["properties"] };
    if (Array.isArray(required) && Array.isArray(part["required"]))
      merged["required"] = [...new Set([...required, ...part["required"]])];
  }
  return merged;
}

/** An `anyOf` with a null variant becomes `nullable`; a single remaining variant needs no wrapper. */
function addVariants(result: JsonObject, variants: JsonObject[]): void {
  const real = variants.filter((variant) => variant["type"] !== "null");
  if (real.length < variants.length) result["nullable"] = true;
  const [only] = real;
  if (real.length === 1 && only !== undefined) {
    for (const [key, value] of Object.entries(only)) if (!(key in result)) result[key] = value;
  } else if (real.length > 1) result["anyOf"] = real;
}

/** Gemini can enumerate only strings; other literals keep their type and list the choice in the description. */
function addEnum(result: JsonObject, node: JsonObject): void {
  const values = "const" in node ? [node["const"] as JsonValue] : node["enum"];
  if (!Array.isArray(values)) return;
  const literals = values.filter((value) => value !== null);
  if (literals.length < values.length) result["nullable"] = true;
  const type = typeOfLiterals(literals);
  if (type !== undefined) result["type"] ??= type;
  if (type === "string") {
    result["enum"] = literals;
    return;
  }
  const choice = `One of: ${literals.map((value) => JSON.stringify(value)).join(", ")}.`;
  const description = result["description"];
  result["description"] = typeof description === "string" ? `${description} ${choice}` : choice;
}

function isIn(properties: JsonValue | undefined, name: JsonValue): boolean {
  return isSchema(properties) && typeof name === "string" && Object.hasOwn(properties, name);
}

/**
 * A list of types becomes `nullable`, variants, or both; keywords that apply only to lists go with the list variant.
 */
function splitTypes(result: JsonObject): void {
  const types = result["type"];
  if (!Array.isArray(types)) return;
  const real = types.filter((type) => type !== "null");
  if (real.length < types.length) result["nullable"] = true;
  delete result["type"];
  if (real.length === 1) {
    result["type"] = real[0] as string;
    return;
  }
  const { items = { type: "string" } } = result;
  delete result["items"];
  result["anyOf"] = real.map((type) => (type === "array" ? { type, items } : { type }));
}
