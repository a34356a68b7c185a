// What is wrong with a value, and the one text that says so: where, what was expected, what was found.

import { isJsonObject, type JsonSchema, type JsonValue } from "../types/json.ts";

/** One thing that is wrong with a value. */
export interface Problem {
  /** Names and indices that lead to the place. */
  readonly path: readonly (string | number)[];
  readonly kind: "wrong" | "missing" | "unknown";
  /** The value that was found there; undefined if it is missing. */
  readonly found: unknown;
  /**
   * The schema at that place. For an unknown member: the object's schema, which has no member of this name. The keyword
   * `expects` replaces the generated description; with `writeOnly`, as for keys, the value is not repeated.
   */
  readonly schema: JsonSchema;
  /** More detail than the schema gives. */
  readonly reason?: string | undefined;
}

/**
 * The sentence, without an end.
 * @param root how the whole value is called: a path begins with it
 * @param hidesValue the value is described instead of repeated, as with `writeOnly`
 */
export function problemText({ path, kind, found, schema, reason }: Problem, root = "", hidesValue = false): string {
  const place = placeText(path, root);
  if (kind === "missing") return `${place} is missing`;
  if (kind === "unknown") return `${place} is unknown${knownText(String(path.at(-1)), schema)}`;
  const because = reason === undefined ? "" : `: ${reason}`;
  return `${place === "" ? "the value" : place} must be ${expectedText(schema)}, not ${foundText(found, hidesValue || schema["writeOnly"] === true)}${because}`;
}

/** `models[0].name`; names that could be misread are quoted. */
export function placeText(path: readonly (string | number)[], root = ""): string {
  let place = root;
  for (const step of path) {
    if (typeof step === "number") place += `[${step}]`;
    else if (!/^[^\s.[\]"'`:,]+$/.test(step)) place += `[${quote(step)}]`;
    else place += place === "" ? step : `.${step}`;
  }
  return place;
}

/** The same path as a JSON pointer. */
export function pointerOf(path: readonly (string | number)[]): string {
  return `/${path.map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
  bytes: "binary data",
};

const PLURALS: Readonly<Record<string, string>> = {
  string: "strings",
  integer: "whole numbers",
  number: "numbers",
  object: "objects",
};

/** What a schema asks for, in words. */
function expectedText(schema: JsonSchema): string {
  const { expects, enum: values, anyOf, type, items } = schema;
  if (typeof expects === "string") return expects;
  if ("const" in schema) return constText(schema["const"]);
  if (Array.isArray(values)) return oneOfText(values);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((option) => expectedText(option as JsonSchema)))].join(" or ");
  if (Array.isArray(type)) return type.map((one) => TYPES[String(one)] ?? String(one)).join(" or ");
  switch (type) {
    case "string":
      return stringText(schema);
    case "integer":
    case "number":
      return `${TYPES[type]}${boundsText(schema)}`;
    case "array":
      return listText(schema, isJsonObject(items) ? PLURALS[String(items["type"])] : undefined);
    default:
      return TYPES[String(type)] ?? "a value that its schema admits";
  }
}

const constText = (value: JsonValue | undefined): string =>
  typeof value === "number" ? String(value) : JSON.stringify(value);

function oneOfText(values: readonly JsonValue[]): string {
  const words = values
    .filter((value) => value !== "")
    .map((value) => (typeof value === "string" ? value : constText(value)));
  const choices = words.length === 1 ? String(words[0]) : `one of ${words.join(", ")}`;
  return values.includes("") ? `${choices}, or empty` : choices;
}

function stringText({ minLength, maxLength, pattern, format }: JsonSchema): string {
  const length = typeof maxLength === "number" ? ` of at most ${maxLength} characters` : "";
  const form =
    typeof pattern === "string" ? ` that matches ${pattern}` : typeof format === "string" ? ` (${format})` : "";
  if (typeof minLength === "number" && minLength > 1) return `a string of at least ${minLength} characters${form}`;
  return `${minLength === 1 ? "a non-empty string" : "a string"}${length}${form}`;
}

function boundsText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): string {
  if (typeof exclusiveMinimum === "number") return ` above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number") return ` below ${exclusiveMaximum}`;
  if (typeof minimum === "number" && typeof maximum === "number") return ` from ${minimum} to ${maximum}`;
  if (typeof minimum === "number") return ` of at least ${minimum}`;
  return typeof maximum === "number" ? ` of at most ${maximum}` : "";
}

function listText({ minItems, maxItems }: JsonSchema, ofWhat: string | undefined): string {
  const plain = ofWhat === undefined ? "a list" : `a list of ${ofWhat}`;
  if (typeof minItems === "number")
    return minItems === 1 ? `${plain} that is not empty` : `${plain}, at least ${minItems}`;
  return typeof maxItems === "number" ? `${plain}, at most ${maxItems}` : plain;
}

const MOST_SHOWN = 60;

/** A short description of a value. Long and nested values are named by their kind. */
function foundText(found: unknown, isHidden: boolean): string {
  if (found instanceof Uint8Array) return "binary data";
  if (Array.isArray(found)) return found.length === 0 ? "an empty list" : "a list";
  if (typeof found === "object" && found !== null) return "an object";
  if (typeof found !== "string") return isHidden && typeof found === "number" ? "a number" : String(found);
  if (isHidden) return `a string of ${found.length} characters`;
  return found.length <= MOST_SHOWN ? quote(found) : `${quote(found.slice(0, MOST_SHOWN))}…`;
}

/** Quotes text, without characters that a terminal would interpret. */
const quote = (text: string): string =>
  JSON.stringify(text).replace(
    /[\p{C}\u2028\u2029]/gu,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );

function knownText(name: string, { properties }: JsonSchema): string {
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const meant = names.find((known) => isSlip(plainName(known), plainName(name)));
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return names.length === 0 || names.length > 12 ? "" : ` (known: ${names.join(", ")})`;
}

/**
 * Most typos are wrong capitals, another file's naming convention, or one letter: `apikey`, `base_url`, `reasonning`.
 */
const isSlip = (a: string, b: string): boolean => a === b || isOneLonger(a, b) || isOneLonger(b, a);

const plainName = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

const isOneLonger = (a: string, b: string): boolean =>
  a.length === b.length + 1 && [...a].some((_, i) => a.slice(0, i) + a.slice(i + 1) === b);
