// Local validation of what a model wrote. The compiler is loaded with the first check, never at start-up.

import type { JsonObject, JsonSchema, JsonValue } from "../types/json.ts";
import { isSchema } from "./inline.ts";

export interface Violation {
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
}

interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): [boolean, { instancePath: string; message: string }[]];
}

/**
 * The one module-level map of this package. A pure memo, weak in its keys: the same schema object always compiles to the
 * same validator, so nobody can tell whether another caller filled it.
 */
const compiled = new WeakMap<JsonSchema, Validator>();

/** The first violation, or undefined. */
export async function violationOf(schema: JsonSchema, value: JsonValue): Promise<Violation | undefined> {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    const { Compile } = await import("typebox/schema");
    validator = Compile(schema) as Validator;
    compiled.set(schema, validator);
  }
  if (validator.Check(value)) return undefined;
  const [first] = validator.Errors(value)[1];
  return { path: first?.instancePath || "/", message: first?.message ?? "does not match the schema" };
}

/**
 * Strict mode makes a model write null for a property it leaves out (see `toOpenAIStrict`). Such nulls are taken out
 * again wherever the schema has the property optional and without null.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isSchema(items) ? value.map((item) => withoutOptionalNulls(items, item)) : value;
  }
  const { properties, required } = schema;
  if (!isSchema(value) || !isSchema(properties)) return value;
  const needed = new Set(Array.isArray(required) ? required : []);
  const result: JsonObject = {};
  for (const [name, child] of Object.entries(value)) {
    const childSchema = properties[name];
    if (!isSchema(childSchema)) result[name] = child;
    else if (child !== null || needed.has(name) || admitsNull(childSchema))
      result[name] = withoutOptionalNulls(childSchema, child);
  }
  return result;
}

function admitsNull(schema: JsonSchema): boolean {
  const { type, anyOf, oneOf, allOf, enum: values } = schema;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if ("const" in schema) return schema["const"] === null;
  if (Array.isArray(values)) return values.includes(null);
  const variants = anyOf ?? oneOf ?? allOf;
  if (Array.isArray(variants)) return variants.some((variant) => isSchema(variant) && admitsNull(variant));
  return Object.keys(schema).length === 0;
}
