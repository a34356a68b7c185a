// Checks whether answers can be checked against a JSON Schema at all. A mistake in the schema would accept every
// answer, or none, after the model has been paid for.

import { isJsonObject, isPattern, type JsonObject, type JsonSchema, type JsonValue, violationOf } from "@lathe/llm";

const TYPES: ReadonlySet<unknown> = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);

/** Keywords that hold schemas. */
const MAPS = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const ONES = ["items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"];

interface Seen {
  readonly names: Set<string>;
  readonly references: { readonly at: string; readonly to: string }[];
}

/** Says what is wrong and where; undefined if nothing is. */
export async function schemaProblem(root: JsonSchema): Promise<string | undefined> {
  const seen: Seen = { names: new Set(), references: [] };
  const problem = walk(root, "", seen);
  if (problem !== undefined) return problem;
  const lost = seen.references.find(({ to }) => !isKnown(to, root, seen.names));
  if (lost) return `${lost.at}/$ref: ${JSON.stringify(lost.to)} is not in this file`;
  const circles = new Circles(root);
  const endless = seen.references.find(({ to }) => circles.hasCircle(to));
  if (endless) return `${endless.at}/$ref: ${JSON.stringify(endless.to)} leads back to itself`;
  try {
    await violationOf(root, null);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function walk(schema: JsonValue, at: string, seen: Seen): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isJsonObject(schema)) return `${at} is not a schema`;
  const { type, required, enum: values, $ref: to } = schema;
  const unknown = type === undefined ? undefined : [type].flat().find((name) => !TYPES.has(name));
  if (unknown !== undefined) return `${at}/type: ${JSON.stringify(unknown)} is not a type`;
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string")))
    return `${at}/required is not a list of names`;
  if (values !== undefined && !Array.isArray(values)) return `${at}/enum is not a list`;
  const { pattern } = schema;
  if (typeof pattern === "string" && !isPattern(pattern))
    return `${at}/pattern: ${JSON.stringify(pattern)} is not a regular expression`;
  if (typeof to === "string") seen.references.push({ at, to });
  for (const name of [schema["$id"], schema["$anchor"]]) if (typeof name === "string") seen.names.add(name);
  for (const [key, value] of Object.entries(schema)) {
    if (MAPS.includes(key) && !isJsonObject(value)) return `${at}/${key} is not an object`;
    if (LISTS.includes(key) && !Array.isArray(value)) return `${at}/${key} is not a list`;
    if (![...MAPS, ...LISTS, ...ONES].includes(key)) continue;
    const isOne = ONES.includes(key) && !Array.isArray(value);
    const children = isOne ? [["", value] as const] : Object.entries(value as JsonObject);
    for (const [name, child] of children) {
      const problem = walk(child, `${at}/${key}${name && `/${name}`}`, seen);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function isKnown(reference: string, root: JsonSchema, names: ReadonlySet<string>): boolean {
  const [base = "", place = ""] = reference.split("#");
  // An address may be relative to another one.
  if (base !== "") return [...names].some((name) => name.endsWith(base));
  if (place !== "" && !place.startsWith("/")) return names.has(place);
  return atPlace(place, root) !== undefined;
}

/** Finds schemas that refer to themselves without a step into the value: checking them would never end. */
class Circles {
  readonly #root: JsonSchema;
  readonly #harmless = new Set<JsonObject>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  hasCircle(reference: string): boolean {
    return this.#isIn(this.#target(reference), []);
  }

  #isIn(schema: JsonValue | undefined, above: readonly JsonObject[]): boolean {
    if (schema === undefined || !isJsonObject(schema) || this.#harmless.has(schema)) return false;
    if (above.includes(schema)) return true;
    const below = [...above, schema];
    const { $ref: to, not, if: condition, then, else: otherwise, anyOf = [], oneOf = [], allOf = [] } = schema;
    const children = [this.#target(to), not, condition, then, otherwise, anyOf, oneOf, allOf].flat();
    if (children.some((child) => this.#isIn(child, below))) return true;
    this.#harmless.add(schema);
    return false;
  }

  /** References by name are not followed. */
  #target(reference: JsonValue | undefined): JsonValue | undefined {
    const byPlace = typeof reference === "string" && /^#(?:\/|$)/.test(reference);
    return byPlace ? atPlace(reference.slice(1), this.#root) : undefined;
  }
}

function atPlace(place: string, root: JsonSchema): JsonValue | undefined {
  let here: JsonValue | undefined = root;
  for (const step of place.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    here = typeof here === "object" && here !== null ? (here as JsonObject)[key] : undefined;
  }
  return here;
}
