// The one check of values against definitions (define.ts). It knows the keywords that our builders write;
// `isCheckedHere` (own-language.ts) says whether a foreign schema uses only those. The check is compiled with the first
// value, so that a definition costs nothing at startup.

import type { JsonSchema, JsonValue } from "../types/json.ts";
import type { Schema } from "./define.ts";
import { type Problem, problemText } from "./problem.ts";

/** A check of strings that no keyword can express. */
export interface TextFormat {
  /** What the string must be; completes "must be …". */
  readonly expects: string;
  /** True if it fits, otherwise why not (if known). */
  readonly check: (value: string) => boolean | string;
}

/** Options of a `Checker` beyond its schema. */
export interface CheckerOptions {
  /** Accept unknown members everywhere, because the value may come from a newer version. */
  readonly acceptsUnknown?: boolean | undefined;
  /** Messages describe values instead of repeating them, because they may be anything, from any source. */
  readonly hidesValues?: boolean | undefined;
  /** For the keyword `format`. */
  readonly formats?: Readonly<Record<string, TextFormat>> | undefined;
}

/** Checks values against one definition. */
export class Checker<T = unknown> {
  readonly #schema: Schema<T>;
  readonly #options: CheckerOptions;
  #visit: Visit | undefined;

  constructor(schema: Schema<T>, options: CheckerOptions = {}) {
    this.#schema = schema;
    this.#options = options;
  }

  /** Cheaper than finding the problem. */
  fits(value: unknown): value is T {
    return this.#visitor()(value, undefined);
  }

  /** The first problem; undefined if the value fits. */
  problemIn(value: unknown): Problem | undefined {
    if (this.fits(value)) return undefined;
    const found: Found = { problems: [], all: false };
    this.#visitor()(value, found);
    return found.problems[0];
  }

  /** All problems. */
  problemsIn(value: unknown): readonly Problem[] {
    const found: Found = { problems: [], all: true };
    this.#visitor()(value, found);
    return found.problems;
  }

  /** A sentence about the first problem. */
  wrongIn(value: unknown, root = ""): string | undefined {
    const problem = this.problemIn(value);
    return problem && problemText(problem, root, this.#options.hidesValues);
  }

  #visitor(): Visit {
    this.#visit ??= visitorOf(this.#schema, this.#options);
    return this.#visit;
  }
}

interface FoundProblem extends Problem {
  readonly path: (string | number)[];
}

interface Found {
  readonly problems: FoundProblem[];
  /** Continue after the first problem. */
  readonly all: boolean;
}

/** Whether a value fits; a problem is recorded only if the caller wants one. */
type Visit = (value: unknown, found: Found | undefined) => boolean;

function visitorOf(schema: JsonSchema, options: CheckerOptions): Visit {
  const { anyOf, enum: values, type } = schema;
  if (Array.isArray(anyOf)) return unionVisitor(schema, anyOf as JsonSchema[], options);
  if ("const" in schema) return simpleVisitor(schema, (value) => value === schema["const"]);
  if (Array.isArray(values)) return simpleVisitor(schema, (value) => values.includes(value as JsonValue));
  switch (type) {
    case "string":
      return stringVisitor(schema, options);
    case "integer":
      return numberVisitor(schema, Number.isInteger);
    case "number":
      return numberVisitor(schema, Number.isFinite);
    case "boolean":
      return simpleVisitor(schema, (value) => typeof value === "boolean");
    case "null":
      return simpleVisitor(schema, (value) => value === null);
    case "bytes":
      return simpleVisitor(schema, (value) => value instanceof Uint8Array);
    case "array":
      return listVisitor(schema, options);
    case "object":
      return objectVisitor(schema, options);
    default:
      return "not" in schema ? simpleVisitor(schema, () => false) : () => true;
  }
}

function simpleVisitor(schema: JsonSchema, fits: (value: unknown) => boolean): Visit {
  return (value, found) => fits(value) || note(found, "wrong", value, schema);
}

/** Returns false, for the caller to return. */
function note(
  found: Found | undefined,
  kind: Problem["kind"],
  value: unknown,
  schema: JsonSchema,
  name?: string,
): false {
  found?.problems.push({ path: name === undefined ? [] : [name], kind, found: value, schema });
  return false;
}

function stringVisitor(schema: JsonSchema, { formats = {} }: CheckerOptions): Visit {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format: name } = schema;
  const expression = typeof pattern === "string" ? new RegExp(pattern, "u") : undefined;
  const format = typeof name === "string" ? formats[name] : undefined;
  if (expression === undefined && format === undefined && minLength === 0 && maxLength === Number.POSITIVE_INFINITY)
    return simpleVisitor(schema, (value) => typeof value === "string");
  return (value, found) => {
    const isFitting =
      typeof value === "string" &&
      value.length >= Number(minLength) &&
      value.length <= Number(maxLength) &&
      expression?.test(value) !== false;
    if (!isFitting) return note(found, "wrong", value, format ? { ...schema, expects: format.expects } : schema);
    const verdict = format === undefined || format.check(value);
    if (verdict === true) return true;
    const reason = typeof verdict === "string" ? verdict : undefined;
    found?.problems.push({
      path: [],
      kind: "wrong",
      found: value,
      schema: { ...schema, expects: format?.expects ?? "" },
      reason,
    });
    return false;
  };
}

function numberVisitor(schema: JsonSchema, isOfType: (value: unknown) => boolean): Visit {
  const least = Number(schema["minimum"] ?? Number.NEGATIVE_INFINITY);
  const most = Number(schema["maximum"] ?? Number.POSITIVE_INFINITY);
  const above = Number(schema["exclusiveMinimum"] ?? Number.NEGATIVE_INFINITY);
  const fits = (value: number): boolean => value >= least && value <= most && value > above;
  return simpleVisitor(schema, (value) => isOfType(value) && fits(value as number));
}

function listVisitor(schema: JsonSchema, options: CheckerOptions): Visit {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const visit = isObject(items) ? visitorOf(items as JsonSchema, options) : undefined;
  return (value, found) => {
    if (!Array.isArray(value) || value.length < Number(minItems) || value.length > Number(maxItems))
      return note(found, "wrong", value, schema);
    if (visit === undefined) return true;
    let isFitting = true;
    for (let at = 0; at < value.length; at++) {
      if (visitMember(visit, value[at], at, found)) continue;
      if (!found?.all) return false;
      isFitting = false;
    }
    return isFitting;
  };
}

/** Puts a member's name or index in front of the paths of its problems. */
function visitMember(visit: Visit, value: unknown, step: string | number, found: Found | undefined): boolean {
  if (found === undefined) return visit(value, undefined);
  const before = found.problems.length;
  const isFitting = visit(value, found);
  for (let at = before; at < found.problems.length; at++) found.problems[at]?.path.unshift(step);
  return isFitting;
}

interface Member {
  readonly name: string;
  readonly visit: Visit;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

function objectVisitor(schema: JsonSchema, options: CheckerOptions): Visit {
  const { additionalProperties: others } = schema;
  const members = membersOf(schema, options);
  const visitOther = isObject(others) ? visitorOf(others as JsonSchema, options) : undefined;
  const refusesOthers = others === false && !options.acceptsUnknown;
  const known = new Set(members.map(({ name }) => name));
  return (value, found) => {
    if (!isObject(value)) return note(found, "wrong", value, schema);
    if (found && !noteMissing(value, members, found) && !found.all) return false;
    let isFitting = true;
    for (const { name, visit, isRequired } of members) {
      const inner = Object.hasOwn(value, name) ? value[name] : undefined;
      if (inner === undefined ? !isRequired : visitMember(visit, inner, name, found)) continue;
      if (!found?.all) return false;
      isFitting = false;
    }
    if (!refusesOthers && visitOther === undefined) return isFitting;
    for (const name of Object.keys(value)) {
      if (known.has(name)) continue;
      if (visitOther ? visitMember(visitOther, value[name], name, found) : value[name] === undefined) continue;
      if (!visitOther) note(found, "unknown", value[name], schema, name);
      if (!found?.all) return false;
      isFitting = false;
    }
    return isFitting;
  };
}

/** Missing members come before wrong ones, because an unknown member may be the misspelling of a missing one. */
function noteMissing(value: Readonly<Record<string, unknown>>, members: readonly Member[], found: Found): boolean {
  const missing = members.filter(
    ({ name, isRequired }) => isRequired && (!Object.hasOwn(value, name) || value[name] === undefined),
  );
  for (const { name, schema } of found.all ? missing : missing.slice(0, 1))
    note(found, "missing", undefined, schema, name);
  return missing.length === 0;
}

function membersOf({ properties, required }: JsonSchema, options: CheckerOptions): readonly Member[] {
  const needed = Array.isArray(required) ? (required as string[]) : [];
  const schemas = (properties ?? {}) as Record<string, JsonSchema>;
  return [...new Set([...Object.keys(schemas), ...needed])].map((name) => {
    const schema = Object.hasOwn(schemas, name) ? (schemas[name] as JsonSchema) : {};
    return { name, visit: visitorOf(schema, options), isRequired: needed.includes(name), schema };
  });
}

function unionVisitor(schema: JsonSchema, variants: readonly JsonSchema[], options: CheckerOptions): Visit {
  const byTag = taggedVisitor(variants, options);
  if (byTag !== undefined) return byTag;
  const visits = variants.map((variant) => visitorOf(variant, options));
  return (value, found) => {
    for (const visit of visits) if (visit(value, undefined)) return true;
    if (found === undefined) return false;
    // A list is most likely meant for the variant that is a list, so that variant's own problem says more. The same for
    // formats.
    const alike = variants.findIndex(
      ({ type, format }) =>
        type ===
        (typeof value === "string" ? format && "string" : Array.isArray(value) ? "array" : isObject(value) && "object"),
    );
    return visits[alike]?.(value, found) ?? note(found, "wrong", value, schema);
  };
}

/** For objects that one of their fields tells apart. */
function taggedVisitor(variants: readonly JsonSchema[], options: CheckerOptions): Visit | undefined {
  const tag = Object.keys((variants[0]?.["properties"] ?? {}) as object).find((name) =>
    variants.every((variant) => tagsOf(variant, name).length > 0),
  );
  if (tag === undefined) return undefined;
  const table = new Map<unknown, Visit>();
  for (const variant of variants) {
    const visit = visitorOf(variant, options);
    for (const value of tagsOf(variant, tag)) {
      if (table.has(value)) return undefined;
      table.set(value, visit);
    }
  }
  const anyTag: JsonSchema = { enum: [...table.keys()] as JsonValue[] };
  return (value, found) => {
    if (!isObject(value)) return note(found, "wrong", value, { type: "object" });
    const own = Object.hasOwn(value, tag) ? value[tag] : undefined;
    const visit = table.get(own);
    return visit ? visit(value, found) : note(found, own === undefined ? "missing" : "wrong", own, anyTag, tag);
  };
}

function tagsOf({ type, properties, required }: JsonSchema, name: string): readonly JsonValue[] {
  const isRequired = type === "object" && Array.isArray(required) && required.includes(name);
  const schema = isRequired && isObject(properties) ? (properties[name] as JsonSchema | undefined) : undefined;
  if (schema === undefined) return [];
  const values = "const" in schema ? [schema["const"] as JsonValue] : schema["enum"];
  return Array.isArray(values) ? values : [];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
