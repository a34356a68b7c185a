// The subset of JSON Schema 2020-12 that a gate may use for its answers, and the check of an answer, which names every
// path and keyword.

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@lathe/llm";
import { canonicalJson } from "./canonical-json.ts";

/** What is wrong with an answer, for programs. */
export interface AnswerProblem {
  /** JSON pointer; the answer itself is `/answer`. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
  readonly expected?: JsonValue;
}

/** The most problems reported at once. */
const MOST_PROBLEMS = 20;

type Shape = (value: JsonValue, path: string) => string | undefined;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
const isText: Shape = (value) => (typeof value === "string" ? undefined : "must be a text");
const isNumber: Shape = (value) => (typeof value === "number" ? undefined : "must be a number");
const isCount: Shape = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : "must be a whole number, 0 or more";
const isTexts: Shape = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "must be a list of texts";
const isVariants: Shape = (value, path) =>
  Array.isArray(value) && value.length > 0
    ? firstProblem(value, (item, i) => schemaProblem(item, `${path}/${i}`))
    : "must be a list of schemas";
const isSubschema: Shape = (value, path) => schemaProblem(value, path);

/** Every keyword that a gate may use, with a check of its value. */
const KEYWORDS: Readonly<Record<string, Shape>> = {
  type: (value) => {
    const names = Array.isArray(value) ? value : [value];
    return names.length > 0 && names.every((name) => TYPES.includes(name as string))
      ? undefined
      : `must be one of ${TYPES.join(", ")}`;
  },
  enum: (value) => (Array.isArray(value) && value.length > 0 ? undefined : "must be a list of values"),
  const: () => undefined,
  properties: (value, path) =>
    isJsonObject(value)
      ? firstProblem(Object.entries(value), ([name, schema]) => schemaProblem(schema, `${path}/${escapePointer(name)}`))
      : "must be an object of schemas",
  required: isTexts,
  additionalProperties: (value, path) => (typeof value === "boolean" ? undefined : schemaProblem(value, path)),
  items: isSubschema,
  minLength: isCount,
  maxLength: isCount,
  minimum: isNumber,
  maximum: isNumber,
  title: isText,
  description: isText,
  oneOf: isVariants,
  anyOf: isVariants,
};

/** Why answers cannot be checked with this schema; undefined if they can. */
export function schemaProblem(schema: JsonValue | undefined, path = "#"): string | undefined {
  if (!isJsonObject(schema)) return `${path} is no schema`;
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    const shape = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (!shape) return `${path}/${escapePointer(keyword)}: a gate cannot use the keyword ${keyword}`;
    const problem = shape(value, `${path}/${keyword}`);
    return problem === undefined || problem.startsWith("#") ? problem : `${path}/${keyword} ${problem}`;
  });
}

/** Everything that is wrong with an answer. The caller has checked the schema. */
export function problemsOf(answer: JsonValue, schema: JsonSchema, path = "/answer"): readonly AnswerProblem[] {
  const problems: AnswerProblem[] = [];
  const say = (keyword: string, message: string, expected?: JsonValue): void => {
    problems.push({ path, keyword, message, ...(expected === undefined ? {} : { expected }) });
  };
  const { type, enum: values, const: value } = schema;
  if (type !== undefined) {
    const names = [type].flat() as readonly string[];
    // Other keywords make no sense for a value of the wrong type.
    if (!names.some((name) => isOfType(answer, name)))
      return [{ path, keyword: "type", message: `must be ${names.join(" or ")}`, expected: type }];
  }
  if (Array.isArray(values) && !values.some((one) => isSame(one, answer)))
    say("enum", `must be one of ${values.map((one) => JSON.stringify(one)).join(", ")}`, values);
  if (value !== undefined && !isSame(value, answer)) say("const", `must be ${JSON.stringify(value)}`, value);
  if (typeof answer === "string") checkText(answer, schema, say);
  if (typeof answer === "number") checkNumber(answer, schema, say);
  if (Array.isArray(answer) && isJsonObject(schema["items"])) {
    const items = schema["items"];
    for (const [i, item] of answer.entries()) problems.push(...problemsOf(item, items, `${path}/${i}`));
  }
  if (isJsonObject(answer)) problems.push(...problemsInFields(answer, schema, path));
  problems.push(...problemsOfVariants(answer, schema, path));
  return problems.slice(0, MOST_PROBLEMS);
}

type Say = (keyword: string, message: string, expected?: JsonValue) => void;

/** Lengths count code points, as JSON Schema does, not UTF-16 code units. */
function checkText(text: string, { minLength, maxLength }: JsonSchema, say: Say): void {
  const length = [...text].length;
  if (typeof minLength === "number" && length < minLength)
    say("minLength", minLength === 1 ? "must not be empty" : `must have at least ${minLength} characters`, minLength);
  if (typeof maxLength === "number" && length > maxLength)
    say("maxLength", `must have at most ${maxLength} characters`, maxLength);
}

function checkNumber(number: number, { minimum, maximum }: JsonSchema, say: Say): void {
  if (typeof minimum === "number" && number < minimum) say("minimum", `must be at least ${minimum}`, minimum);
  if (typeof maximum === "number" && number > maximum) say("maximum", `must be at most ${maximum}`, maximum);
}

function problemsInFields(answer: JsonObject, schema: JsonSchema, path: string): AnswerProblem[] {
  const {
    properties = {},
    required = [],
    additionalProperties = true,
  } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
    additionalProperties?: boolean | JsonSchema;
  };
  const problems: AnswerProblem[] = [];
  for (const name of required)
    if (!Object.hasOwn(answer, name))
      problems.push({
        path: `${path}/${escapePointer(name)}`,
        keyword: "required",
        message: "is missing",
        expected: name,
      });
  for (const [name, value] of Object.entries(answer)) {
    const at = `${path}/${escapePointer(name)}`;
    if (Object.hasOwn(properties, name)) problems.push(...problemsOf(value, properties[name] as JsonSchema, at));
    else if (additionalProperties === false)
      problems.push({ path: at, keyword: "additionalProperties", message: "is not known here", expected: false });
    else if (additionalProperties !== true) problems.push(...problemsOf(value, additionalProperties, at));
  }
  return problems;
}

function problemsOfVariants(answer: JsonValue, schema: JsonSchema, path: string): readonly AnswerProblem[] {
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const variants = schema[keyword] as readonly JsonSchema[] | undefined;
    if (!variants) continue;
    const found = variants.map((variant) => problemsOf(answer, variant, path));
    const fitting = found.filter((problems) => problems.length === 0).length;
    if (keyword === "oneOf" && fitting > 1)
      return [{ path, keyword, message: "fits more than one of the variants", expected: 1 }];
    if (fitting > 0) continue;
    // If the type shows which variant is meant, its problems are reported; otherwise that none fits.
    const meant = found.filter((problems) => !problems.some((one) => one.keyword === "type" && one.path === path));
    const only = meant.length === 1 ? meant[0] : undefined;
    return only ?? [{ path, keyword, message: "fits none of the variants", expected: [...variants] }];
  }
  return [];
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const isSame = (a: JsonValue, b: JsonValue): boolean => canonicalJson(a) === canonicalJson(b);

const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

function firstProblem<T>(items: readonly T[], look: (item: T, at: number) => string | undefined): string | undefined {
  for (const [i, item] of items.entries()) {
    const found = look(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}
