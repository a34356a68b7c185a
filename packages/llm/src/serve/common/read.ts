// Reads what a client sent. Each field is carried over, ignored because clients send it and we do not need it, or
// refused by name. Reading stops at the first thing that it cannot read.

import { Checker } from "../../schema/checker.ts";
import { type Fields, object, type StaticFields } from "../../schema/define.ts";
import { placeText, problemText } from "../../schema/problem.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import { own } from "../../types/own.ts";
import type { Decoded, Refusal, ServedRequest } from "../types.ts";

/** Deeper than any real schema, but shallow enough for our encoders. */
const MAX_DEPTH = 200;

/** Many times more than in the longest conversation; reading more would keep other clients waiting. */
const MAX_OBJECTS = 100_000;

/** Ends the reading of a body. */
class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Refuses a field of the body. */
export function refuse(field: string, message: string, code?: string): never {
  throw new Refused({ kind: "invalid", field, message, ...(code === undefined ? {} : { code }) });
}

/** Runs a reader until it finishes or refuses. */
export function decodeBody(body: unknown, read: (body: JsonObject) => ServedRequest): Decoded {
  try {
    if (!isJsonObject(body)) refuse("body", "The body must be a JSON object.");
    const excess = excessIn(body);
    if (excess !== undefined) refuse("body", excess);
    return { kind: "request", served: read(body) };
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", refusal: error.refusal };
    throw error;
  }
}

/**
 * Why a body is larger or deeper than we accept; undefined for a good one. Not recursive, because it may be deeper than
 * our stack.
 */
function excessIn(body: JsonValue): string | undefined {
  let level: JsonValue[] = [body];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} levels deep.`;
    const next: JsonValue[] = [];
    for (const item of level)
      for (const child of Array.isArray(item) ? item : Object.values(item as JsonObject))
        if (typeof child === "object" && child !== null) next.push(child);
    seen += level.length;
    if (seen > MAX_OBJECTS) return `The body holds more than ${MAX_OBJECTS} objects and lists.`;
    level = next;
  }
  return undefined;
}

/** True if nested deeper than we accept. */
export const isTooDeep = (value: JsonObject): boolean => excessIn(value) !== undefined;

/** The members of an object in a body. */
export interface ShapeOptions {
  /** Sent by official clients, of any type, and without effect here. */
  readonly ignored?: readonly string[] | undefined;
  /** Fields of the vendor's API that we cannot honour, with the reason. */
  readonly unsupported?: Readonly<Record<string, string>> | undefined;
}

/** Reads objects of one kind. A null field counts as absent, because official clients send both. */
export class Shape<F extends Fields> {
  readonly #checker: Checker<StaticFields<F>>;
  readonly #ignored: ReadonlySet<string>;
  readonly #unsupported: Readonly<Record<string, string>>;
  readonly #read: readonly string[];

  constructor(fields: F, { ignored = [], unsupported = {} }: ShapeOptions = {}) {
    this.#checker = new Checker(object(fields), { hidesValues: true });
    this.#ignored = new Set(ignored);
    this.#unsupported = unsupported;
    this.#read = Object.keys(fields);
  }

  /** For the documentation. */
  get fields(): {
    readonly read: readonly string[];
    readonly ignored: readonly string[];
    readonly unsupported: Readonly<Record<string, string>>;
  } {
    return { read: this.#read, ignored: [...this.#ignored], unsupported: this.#unsupported };
  }

  read(value: unknown, place: string): StaticFields<F> {
    if (!isJsonObject(value)) refuse(place, `${place} must be an object.`);
    let isPlain = true;
    for (const name of Object.keys(value)) {
      if (value[name] === null || this.#ignored.has(name)) {
        isPlain = false;
        continue;
      }
      const reason = own(this.#unsupported, name);
      if (reason !== undefined) refuse(fieldAt(place, name), `${fieldAt(place, name)} is not supported: ${reason}.`);
    }
    const isRead = ([name, field]: [string, unknown]): boolean => field !== null && !this.#ignored.has(name);
    const fields: unknown = isPlain ? value : Object.fromEntries(Object.entries(value).filter(isRead));
    const problem = this.#checker.problemIn(fields);
    if (problem === undefined) return fields as StaticFields<F>;
    refuse(placeText(problem.path, place), `${problemText(problem, place, true)}.`);
  }
}

/** Any shape, for code that only needs an object's type. */
export interface Reader {
  read(value: unknown, place: string): Readonly<Record<string, unknown>>;
}

/** `messages[0].content`; at the top level, only the name. */
export const fieldAt = (place: string, name: string): string => placeText([name], place);

/** The shape for the type that an object names. */
export function shapeFor<S>(
  shapes: Readonly<Record<string, S>>,
  value: unknown,
  place: string,
  fallback?: string,
): { readonly type: string; readonly shape: S } {
  const named = isJsonObject(value) ? value["type"] : undefined;
  const type = typeof named === "string" ? named : fallback;
  const shape = type === undefined ? undefined : own(shapes, type);
  if (type !== undefined && shape !== undefined) return { type, shape };
  const known = Object.keys(shapes).join(", ");
  refuse(fieldAt(place, "type"), `${fieldAt(place, "type")} is not supported here; supported types: ${known}.`);
}
