// The one language in which we define values: tool parameters, journal lines, the wire, settings, the model registry,
// session configuration. A definition is plain JSON Schema that carries its TypeScript type, as in TypeBox. The
// builders are our own because every start makes definitions, and loading TypeBox would cost more than all of them
// (decision 0288).

import type { JsonObject, JsonSchema, JsonValue } from "../types/json.ts";

declare const staticType: unique symbol;

/** JSON Schema for values of a type. */
export type Schema<T = unknown> = JsonSchema & {
  /** Carries only the type; the property does not exist. */
  readonly [staticType]?: T;
};

/** A field that may be absent. */
export interface OptionalField<T = unknown> {
  readonly optional: Schema<T>;
}

/** The fields of an object by name. */
export type Fields = Readonly<Record<string, Schema | OptionalField>>;

/** The type that a schema or a field describes. */
export type Static<S> =
  S extends OptionalField<infer T> ? T : S extends { readonly [staticType]?: infer T } ? T : never;

/** The same type, written out. */
export type Flat<T> = { [K in keyof T]: T[K] };

/** The type of an object with these fields. */
export type StaticFields<F extends Fields> = Flat<
  { readonly [K in keyof F as F[K] extends OptionalField ? never : K]: Static<F[K]> } & {
    readonly [K in keyof F as F[K] extends OptionalField ? K : never]?: Static<F[K]>;
  }
>;

/** A description, or any keywords of JSON Schema, including those that `Problem` documents. */
export type Words = string | { readonly [keyword: string]: unknown };

/**
 * Members are in this order because the bytes of tool definitions are part of cached prompts. They are set one by one,
 * because every start makes hundreds of definitions, and spreading objects takes several times the memory.
 */
function define<T>(type: string | undefined, own: JsonObject | undefined, words?: Words): Schema<T> {
  const schema: Record<string, unknown> = type === undefined ? {} : { type };
  if (typeof words === "string") schema["description"] = words;
  else if (words?.["description"] !== undefined) schema["description"] = words["description"];
  for (const keyword in own) schema[keyword] = own[keyword];
  if (typeof words !== "object") return schema as Schema<T>;
  for (const keyword in words) if (keyword !== "description") schema[keyword] = words[keyword];
  return schema as Schema<T>;
}

/** A string. */
export const text = (words?: Words): Schema<string> => define("string", undefined, words);
/** A whole number. */
export const integer = (words?: Words): Schema<number> => define("integer", undefined, words);
/** A finite number. */
export const number = (words?: Words): Schema<number> => define("number", undefined, words);
/** True or false. */
export const flag = (words?: Words): Schema<boolean> => define("boolean", undefined, words);
/** Any value. */
export const anything = (words?: Words): Schema<unknown> => define(undefined, undefined, words);
/** An object with any members. */
export const anyObject = (words?: Words): Schema<Readonly<Record<string, unknown>>> =>
  define("object", undefined, words);
/** Bytes of a value in memory. JSON has no such type, so this must not be published or sent. */
export const bytes = (): Schema<Uint8Array> => define("bytes", undefined);
/** One of several words. */
export const choice = <const C extends string>(choices: readonly C[], words?: Words): Schema<C> =>
  define("string", { enum: [...choices] }, words);
/** Exactly this value. */
export const exactly = <const V extends string | number | boolean>(value: V): Schema<V> =>
  define(undefined, { const: value });
/** A list. */
export const listOf = <T>(item: Schema<T>, words?: Words): Schema<readonly T[]> =>
  define("array", { items: item }, words);
/** An object with any names whose values are of one type. */
export const mapOf = <T>(value: Schema<T>, words?: Words): Schema<Readonly<Record<string, T>>> =>
  define("object", { additionalProperties: value }, words);
/** Any of these schemas. */
export const oneOf = <S extends readonly Schema[]>(...schemas: S): Schema<Static<S[number]>> =>
  define(undefined, { anyOf: [...schemas] });
/** Null, or a value of the schema. */
export const orNull = <T>(schema: Schema<T>): Schema<T | null> =>
  define(undefined, { anyOf: [schema, { type: "null" }] });
/** A field that may be absent. */
export const optional = <T>(schema: Schema<T>): OptionalField<T> => ({ optional: schema });

/** An object with these fields and no others. */
export function object<F extends Fields>(fields: F, words?: Words): Schema<StaticFields<F>> {
  const schema = fieldsSchema(fields);
  schema["additionalProperties"] = false;
  return addWords(schema, words);
}

/** An object with these fields; others are allowed. */
export const openObject = <F extends Fields>(fields: F, words?: Words): Schema<StaticFields<F>> =>
  addWords(fieldsSchema(fields), words);

/** The same schema with more keywords, such as a default. */
export const withWords = <T>(schema: Schema<T>, words?: Words): Schema<T> => addWords({ ...schema }, words);

function addWords<T>(schema: Record<string, unknown>, words: Words = {}): Schema<T> {
  if (typeof words === "string") schema["description"] = words;
  else for (const keyword in words) schema[keyword] = words[keyword];
  return schema as Schema<T>;
}

/** The schema of a field, whether or not the field is optional. */
export const schemaOf = (field: Schema | OptionalField): Schema => (isOptional(field) ? field.optional : field);

function fieldsSchema(fields: Fields): Record<string, unknown> {
  const properties: Record<string, JsonValue> = {};
  const required: string[] = [];
  for (const name in fields) {
    const field = fields[name]!;
    properties[name] = schemaOf(field);
    if (!isOptional(field)) required.push(name);
  }
  return { type: "object", properties, required };
}

/** No keyword of JSON Schema has this name. */
export const isOptional = (field: Schema | OptionalField): field is OptionalField => "optional" in field;
