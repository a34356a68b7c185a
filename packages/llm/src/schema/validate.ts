// Local validation of what a model wrote, against schemas of any origin. Most use our own language and our own check;
// for the others, a validator is loaded with the first check, never at startup.

import type { JsonObject, JsonSchema, JsonValue } from "../types/json.ts";
import { boundedChecks } from "./bounded.ts";
import { checkable } from "./checkable.ts";
import { Checker } from "./checker.ts";
import { atReference, isSchema } from "./inline.ts";
import { isCheckedHere } from "./own-language.ts";
import { type Problem, placeText, pointerOf, problemText } from "./problem.ts";

/** Where a value does not match its schema, and why. */
export interface Violation {
  /** JSON pointer. */
  readonly path: string;
  /** A sentence that names the place, without the final period. */
  readonly message: string;
}

type Check = (value: JsonValue) => Violation | undefined;

/**
 * The only module-level map of this package. A pure memo with weak keys: the same schema object always compiles to the
 * same check, so it does not matter which caller filled it.
 */
const compiled = new WeakMap<JsonSchema, Check | Promise<Check>>();

/** The first violation, or undefined. */
export async function violationOf(schema: JsonSchema, value: JsonValue): Promise<Violation | undefined> {
  const check = compiled.get(schema) ?? checkOf(schema);
  return check instanceof Promise ? (await check)(value) : check(value);
}

/** Concurrent calls wait for one compilation. */
function checkOf(schema: JsonSchema): Check | Promise<Check> {
  const check = isCheckedHere(schema) ? ownCheck(schema) : compiledCheck(schema);
  compiled.set(schema, check);
  if (!(check instanceof Promise)) return check;
  check.then(
    (made) => compiled.set(schema, made),
    () => compiled.delete(schema),
  );
  return check;
}

function ownCheck(schema: JsonSchema): Check {
  const checker = new Checker(schema);
  return (value) => {
    const problem = checker.problemIn(value);
    return problem && violationFrom(problem);
  };
}

const violationFrom = (problem: Problem): Violation => ({
  path: pointerOf(problem.path),
  message: problemText(problem),
});

interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): [boolean, ValidatorError[]];
}

interface ValidatorError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params?: object;
}

async function compiledCheck(schema: JsonSchema): Promise<Check> {
  const { Compile } = await import("typebox/schema");
  const validator: Validator = Compile(checkable(schema));
  const bounded = boundedChecks(schema);
  return (value) => {
    try {
      const errors = bounded(() => (validator.Check(value) ? undefined : validator.Errors(value)[1]));
      if (errors === "too long") return wholeViolation("takes too long to check against a pattern of the schema");
      return errors && violationAmong(errors, schema, value);
    } catch (error) {
      if (error instanceof RangeError)
        return wholeViolation("cannot be checked: it or the references of the schema nest too deep");
      throw error;
    }
  };
}

const wholeViolation = (message: string): Violation => ({ path: "/", message: `the value ${message}` });

/** The first error, in our own check's words if they say as much. */
function violationAmong(errors: readonly ValidatorError[], root: JsonSchema, value: JsonValue): Violation {
  const [first] = errors;
  if (first === undefined) return wholeViolation("does not match the schema");
  // The first variant's error comes first, as if there were no others, so we prefer the error of the whole `anyOf`.
  const { keyword, schemaPath, instancePath, message, params } =
    errors.find(({ keyword, instancePath }) => keyword === "anyOf" && instancePath === first.instancePath) ?? first;
  const path = stepsIn(value, instancePath);
  const isUnknown = keyword === "boolean" && schemaPath.endsWith("/additionalProperties");
  const above = isUnknown ? schemaPath.slice(0, -"/additionalProperties".length) : schemaPath;
  const schema = valueAt(root, stepsIn(root, above.slice(1)));
  const place = { schema: isSchema(schema) ? schema : {}, found: valueAt(value, path) };
  const { requiredProperties: [missing] = [] } = { ...params } as { requiredProperties?: readonly string[] };
  if (missing !== undefined) return violationFrom({ ...place, path: [...path, missing], kind: "missing" });
  if (isUnknown) return violationFrom({ ...place, path, kind: "unknown" });
  if (SAID_BY_US.has(keyword) && isSchema(schema)) return violationFrom({ ...place, path, kind: "wrong" });
  const why = keyword === "boolean" ? "is not allowed" : message;
  return { path: pointerOf(path), message: `${placeText(path) || "the value"} ${why}` };
}

/** Keywords that the text of a problem covers. */
const SAID_BY_US: ReadonlySet<string> = new Set([
  ...["type", "enum", "const", "anyOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["minItems", "maxItems", "minLength", "maxLength"],
]);

/** The steps of a JSON pointer; steps into lists are numbers. */
function stepsIn(value: JsonValue, pointer: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    steps.push(Array.isArray(valueAt(value, steps)) ? Number(name) : name);
  }
  return steps;
}

function valueAt(value: JsonValue, path: readonly (string | number)[]): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const step of path) here = typeof here === "object" && here !== null ? (here as JsonObject)[step] : undefined;
  return here;
}

/**
 * Strict mode makes a model write null for a property that it omits (see `toOpenAIStrict`). Removes such nulls again if
 * the schema has the property as optional and without null.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: JsonValue): JsonValue {
  return stripNulls(schema, value, schema);
}

function stripNulls(schema: JsonSchema, value: JsonValue, root: JsonSchema): JsonValue {
  const { properties, required, items } = shapeOf(schema, value, root);
  if (Array.isArray(value)) return isSchema(items) ? value.map((item) => stripNulls(items, item, root)) : value;
  if (!isSchema(value) || !isSchema(properties)) return value;
  const needed = new Set(Array.isArray(required) ? required : []);
  const result: JsonObject = {};
  for (const [name, child] of Object.entries(value)) {
    // An assignment would hide everything below it from the check and from whoever approves the call.
    if (name === "__proto__") continue;
    const childSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isSchema(childSchema)) result[name] = child;
    else if (child !== null || needed.has(name) || admitsNull(childSchema, root))
      result[name] = stripNulls(childSchema, child, root);
  }
  return result;
}

/** Resolves references and one-element wrappers; of several variants, picks the one that the value fits. */
function shapeOf(schema: JsonSchema, value: JsonValue, root: JsonSchema, depth = 0): JsonSchema {
  const target = dereference(schema, root);
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

/** Limit for references and variants that contain nothing but each other, which may be circular. */
const MAX_NESTING = 8;

function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
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
  const target = dereference(schema, root);
  const { type, anyOf, oneOf, allOf, enum: values } = target;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if ("const" in target) return target["const"] === null;
  if (Array.isArray(values)) return values.includes(null);
  const variants = anyOf ?? oneOf ?? allOf;
  if (Array.isArray(variants))
    return depth < MAX_NESTING && variants.some((variant) => isSchema(variant) && admitsNull(variant, root, depth + 1));
  return Object.keys(target).length === 0;
}
