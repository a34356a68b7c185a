// Reading what a client sent. A field is carried, on the list of those that clients send and we do not need, or refused by its name;
// the first thing that cannot be read ends the reading.

import { Checker } from "../../schema/checker.ts";
import { type Fields, object, type StaticFields } from "../../schema/define.ts";
import { placeText, problemText } from "../../schema/problem.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import { own } from "../../types/own.ts";
import type { Decoded, Refusal, ServedRequest } from "../types.ts";

/** Deeper than any real schema, and less than what our encoders could not write again. */
const MAX_DEPTH = 200;

/** Many times what the longest conversation has; reading more would keep other clients waiting. */
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

/** Runs a reading to its end or its refusal. */
export function decoding(body: unknown, read: (body: JsonObject) => ServedRequest): Decoded {
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

/** Why a body is more than we read; undefined for a good one. Without recursion: it may be deeper than our stack. */
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

/** Deeper than a body may be. */
export const isTooDeep = (value: JsonObject): boolean => excessIn(value) !== undefined;

/** What an object of a body may have. */
export interface ShapeOptions {
  /** Sent by official clients, of any type, and without effect here. */
  readonly ignored?: readonly string[] | undefined;
  /** Fields of the vendor that a server of ours cannot honour, with the reason. */
  readonly unsupported?: Readonly<Record<string, string>> | undefined;
}

/** Reads objects of one kind. A field that is null is as good as absent: official clients send both. */
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

/** Any shape, for objects of which only the type is of interest. */
export interface Reader {
  read(value: unknown, place: string): Readonly<Record<string, unknown>>;
}

/** `messages[0].content`; at the top, the name alone. */
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
