// Local validation of what a model wrote. The compiler is loaded with the first check, never at start-up.

import type { JsonObject, JsonSchema, JsonValue } from "../types/json.ts";
import { boundedChecks } from "./bounded.ts";
import { checkable } from "./checkable.ts";
import { atReference, isSchema } from "./inline.ts";

/** Where a value does not match its schema, and why. */
export interface Violation {
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
  /** The name of a property that the schema does not admit. */
  readonly unknown?: string;
}

type Check = (value: JsonValue) => Violation | undefined;

/**
 * The one module-level map of this package. A pure memo, weak in its keys: the same schema object always compiles to the
 * same check, so it does not matter which caller filled it.
 */
const compiled = new WeakMap<JsonSchema, Check>();

/** The first violation, or undefined. */
export async function violationOf(schema: JsonSchema, value: JsonValue): Promise<Violation | undefined> {
  let check = compiled.get(schema);
  if (check === undefined) {
    const { Compile } = await import("typebox/schema");
    check = checkWith(Compile(checkable(schema)), schema);
    compiled.set(schema, check);
  }
  return check(value);
}

interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): [boolean, ValidatorError[]];
}

interface ValidatorError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly message: string;
}

function checkWith(validator: Validator, schema: JsonSchema): Check {
  const bounded = boundedChecks(schema);
  return (value) => {
    try {
      const first = bounded(() => (validator.Check(value) ? undefined : (validator.Errors(value)[1][0] ?? NO_REASON)));
      if (first === "too long") return refused("takes too long to check against a pattern of the schema");
      return first && { path: first.instancePath || "/", ...reasonOf(first) };
    } catch (error) {
      if (error instanceof RangeError)
        return refused("cannot be checked: it or the references of the schema nest too deep");
      throw error;
    }
  };
}

const NO_REASON: ValidatorError = {
  keyword: "",
  schemaPath: "",
  instancePath: "",
  message: "does not match the schema",
};

const refused = (message: string): Violation => ({ path: "/", message });

function reasonOf({ keyword, schemaPath, instancePath, message }: ValidatorError): Omit<Violation, "path"> {
  if (keyword !== "boolean") return { message };
  if (!schemaPath.endsWith("/additionalProperties")) return { message: "is not allowed" };
  const unknown = (instancePath.split("/").at(-1) ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
  return { message: `unknown property ${JSON.stringify(unknown)}`, unknown };
}

/**
 * Strict mode makes a model write null for a property it omits (see `toOpenAIStrict`). Such nulls are removed
 * again wherever the schema has the property optional and without null.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: JsonValue): JsonValue {
  return stripped(schema, value, schema);
}

function stripped(schema: JsonSchema, value: JsonValue, root: JsonSchema): JsonValue {
  const { properties, required, items } = shapeOf(schema, value, root);
  if (Array.isArray(value)) return isSchema(items) ? value.map((item) => stripped(items, item, root)) : value;
  if (!isSchema(value) || !isSchema(properties)) return value;
  const needed = new Set(Array.isArray(required) ? required : []);
  const result: JsonObject = {};
  for (const [name, child] of Object.entries(value)) {
    // An assignment would hide all that the model wrote below it, from the check and from whoever approves the call.
    if (name === "__proto__") continue;
    const childSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isSchema(childSchema)) result[name] = child;
    else if (child !== null || needed.has(name) || admitsNull(childSchema, root))
      result[name] = stripped(childSchema, child, root);
  }
  return result;
}

/** Behind references and one-element wrappers; of several variants the one that this value is about. */
function shapeOf(schema: JsonSchema, value: JsonValue, root: JsonSchema, depth = 0): JsonSchema {
  const target = dereferenced(schema, root);
  const variants = [target["anyOf"] ?? target["oneOf"] ?? target["allOf"] ?? []].flat().filter(isSchema);
  const plain = variants.length === 0 || target["properties"] !== undefined || target["items"] !== undefined;
  if (plain || depth >= MAX_NESTING) return target;
  const shapes = variants.map((variant) => shapeOf(variant, value, root, depth + 1));
  return shapes.find((shape) => fits(shape, value)) ?? target;
}

function fits({ properties, items }: JsonSchema, value: JsonValue): boolean {
  if (Array.isArray(value)) return items !== undefined;
  return isSchema(value) && isSchema(properties) && Object.keys(value).every((name) => Object.hasOwn(properties, name));
}

/** Of references and variants that contain nothing but each other: they may be a circle. */
const MAX_NESTING = 8;

function dereferenced(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let target = schema;
  for (let hops = 0; hops < MAX_NESTING; hops++) {
    const reference = target["$ref"];
    if (typeof reference !== "string") return target;
    const found = atReference(root, reference);
    if (!isSchema(found)) return {};
    target = found;
  }
  return {};
}

function admitsNull(schema: JsonSchema, root: JsonSchema, depth = 0): boolean {
  const target = dereferenced(schema, root);
  const { type, anyOf, oneOf, allOf, enum: values } = target;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if ("const" in target) return target["const"] === null;
  if (Array.isArray(values)) return values.includes(null);
  const variants = anyOf ?? oneOf ?? allOf;
  if (Array.isArray(variants))
    return depth < MAX_NESTING && variants.some((variant) => isSchema(variant) && admitsNull(variant, root, depth + 1));
  return Object.keys(target).length === 0;
}
