// Shared steps of every schema translation: inlines local references and removes one-element wrappers. Pure and
// order-preserving, because the result is part of the cached prefix.

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../types/json.ts";

/** Keys that describe the document, not the value. */
const BOOKKEEPING = new Set(["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "examples"]);

interface Substitutes {
  /** For a reference to a schema that is being expanded. */
  readonly onCycle: () => JsonSchema;
  /** For a reference that leads outside the schema or to nothing. */
  readonly onMissing: () => JsonSchema;
}

/** The schema without `$ref`, bookkeeping keys and one-element `allOf`; the same object when it has none of them. */
export function inlineReferences(schema: JsonSchema, { onCycle, onMissing }: Substitutes): JsonSchema {
  if (isFlat(schema)) return schema;
  const expand = (node: JsonValue, path: readonly string[]): JsonValue => {
    if (Array.isArray(node)) return node.map((item) => expand(item, path));
    if (!isSchema(node)) return node;
    const reference = node["$ref"];
    if (typeof reference === "string") {
      if (path.includes(reference)) return onCycle();
      const { $ref: _, ...siblings } = node;
      const target = expand(atReference(schema, reference) ?? onMissing(), [...path, reference]);
      return isSchema(target) ? { ...target, ...(expand(siblings, path) as JsonObject) } : target;
    }
    const result: JsonObject = {};
    for (const [key, value] of Object.entries(node)) {
      if (BOOKKEEPING.has(key)) continue;
      result[key] = LITERAL_KEYS.has(key)
        ? value
        : key === "properties"
          ? properties(value, path)
          : expand(value, path);
    }
    return collapseAllOf(result);
  };
  const properties = (value: JsonValue, path: readonly string[]): JsonValue =>
    isSchema(value)
      ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, expand(child, path)]))
      : value;
  return expand(schema, []) as JsonSchema;
}

/** Looks at every key, even property names: mistaking one for a keyword only costs the walk. */
function isFlat(node: JsonValue): boolean {
  if (Array.isArray(node)) return node.every(isFlat);
  if (!isSchema(node)) return true;
  for (const key in node) {
    if (key.startsWith("$") || key === "allOf" || key === "definitions" || key === "examples") return false;
    const value = node[key];
    if (typeof value === "object" && value !== null && !isFlat(value)) return false;
  }
  return true;
}

const LITERAL_KEYS = new Set(["enum", "const", "default", "required"]);

function collapseAllOf(node: JsonObject): JsonObject {
  const only = Array.isArray(node["allOf"]) && node["allOf"].length === 1 ? node["allOf"][0] : undefined;
  if (!isSchema(only)) return node;
  const { allOf: _, ...rest } = node;
  return { ...only, ...rest };
}

/** The target of a reference; undefined if it is not inside the schema. */
export function atReference(root: JsonSchema, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#")) return undefined;
  let node: JsonValue | undefined = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    node = isSchema(node) ? node[key] : Array.isArray(node) ? node[Number(key)] : undefined;
  }
  return node;
}

export function isSchema(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value);
}

/** The JSON Schema type of literals: `integer` if all are whole numbers; undefined if they differ. */
export function typeOfLiterals(values: readonly JsonValue[]): string | undefined {
  const types = new Set(values.map(typeOfLiteral));
  if (types.size === 2 && types.has("integer") && types.has("number")) return "number";
  return types.size === 1 ? [...types][0] : undefined;
}

function typeOfLiteral(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
