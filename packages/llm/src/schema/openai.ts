// OpenAI's strict mode (TC-07): every property required, nothing extra. A schema that cannot be expressed this way is
// sent unchanged.

import type { JsonObject, JsonSchema, JsonValue } from "../types/json.ts";
import { isSchema, typeOfLiterals } from "./inline.ts";
import { NotStrict, strictForm } from "./strict.ts";

/** Keywords that strict mode refuses. Dropping them loosens the schema, but arguments are validated locally anyway. */
const DROPPED = new Set(["default", "minLength", "maxLength", "uniqueItems", "readOnly", "writeOnly", "deprecated"]);
const FORMATS = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);
/** Keywords whose meaning strict mode cannot express. */
const IMPOSSIBLE = new Set([
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "prefixItems",
  "contains",
]);
/** Keywords that `strictObject` handles. */
const OF_OBJECTS = new Set(["properties", "required", "additionalProperties"]);

/** The strict form; undefined if there is none. */
export function toOpenAIStrict(schema: JsonSchema): JsonSchema | undefined {
  const root = strictForm(schema, strict);
  return root?.["type"] === "object" ? root : undefined;
}

/** Keywords that need more than copying. */
const TRANSLATED = new Set([...DROPPED, ...OF_OBJECTS, "format", "items", "anyOf", "oneOf"]);

/** Always returns a new object, which the caller may change: this runs for every tool before the first request. */
function strict(node: JsonObject): JsonObject {
  let isPlain = true;
  for (const key in node) {
    if (IMPOSSIBLE.has(key)) throw new NotStrict();
    if (TRANSLATED.has(key)) isPlain = false;
  }
  const result = isPlain ? { ...node } : translateNode(node);
  const typed = inferType(pushDescription(result));
  if (typed["type"] === "object") return strictObject(node, typed);
  if (typed["type"] === undefined && typed["anyOf"] === undefined) throw new NotStrict();
  if (typed["type"] === "array" && typed["items"] === undefined) throw new NotStrict();
  if (Array.isArray(typed["type"]) && typed["type"].some((type) => type === "object" || type === "array"))
    throw new NotStrict();
  return typed;
}

function translateNode(node: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(node)) {
    if (DROPPED.has(key) || OF_OBJECTS.has(key)) continue;
    const value = node[key] as JsonValue;
    if (key === "format" && !FORMATS.has(String(value))) continue;
    if (key === "items") result[key] = strict(asSchema(value));
    else if (key === "anyOf" || key === "oneOf")
      result["anyOf"] = asList(value).map((variant) => strict(asSchema(variant)));
    else result[key] = value;
  }
  return result;
}

function strictObject(node: JsonObject, result: JsonObject): JsonObject {
  const extra = node["additionalProperties"];
  if (extra !== undefined && extra !== false) throw new NotStrict();
  if (!isSchema(node["properties"])) {
    if (extra === undefined) throw new NotStrict();
    return Object.assign(result, { properties: {}, required: [], additionalProperties: false });
  }
  const declared = node["properties"];
  const names = Object.keys(declared);
  const required = asList(node["required"] ?? []);
  const properties: JsonObject = {};
  for (const name of names) {
    const translated = strict(asSchema(declared[name] as JsonValue));
    properties[name] = required.includes(name) ? translated : nullable(translated);
  }
  result["properties"] = properties;
  result["required"] = names;
  result["additionalProperties"] = false;
  return result;
}

/**
 * Strict mode has no optional properties, so absent is expressed as null (see `withoutOptionalNulls`). May change the
 * node.
 */
function nullable(node: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = node;
  if (Array.isArray(anyOf))
    return anyOf.some((variant) => isSchema(variant) && variant["type"] === "null")
      ? node
      : { ...node, anyOf: [...anyOf, { type: "null" }] };
  if ("const" in node || type === "object") return { anyOf: [node, { type: "null" }] };
  const types = Array.isArray(type) ? type : [type as string];
  if (types.includes("null")) return node;
  node["type"] = [...types, "null"];
  if (Array.isArray(values)) node["enum"] = [...values, null];
  return node;
}

function pushDescription(node: JsonObject): JsonObject {
  if (!Array.isArray(node["anyOf"]) || typeof node["description"] !== "string") return node;
  const { description, anyOf, ...rest } = node as JsonObject & { description: string; anyOf: JsonValue[] };
  const variants = anyOf.map((variant) =>
    isSchema(variant) && variant["description"] === undefined && variant["type"] !== "null"
      ? { ...variant, description }
      : variant,
  );
  return { ...rest, anyOf: variants };
}

function inferType(node: JsonObject): JsonObject {
  if (node["type"] !== undefined) return node;
  const literals = "const" in node ? [node["const"] as JsonValue] : Array.isArray(node["enum"]) ? node["enum"] : [];
  const type = typeOfLiterals(literals);
  return type === undefined || type === "object" || type === "array" ? node : { type, ...node };
}

function asSchema(value: JsonValue): JsonObject {
  if (!isSchema(value)) throw new NotStrict();
  return value;
}

function asList(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
