// Defines parts that several schemas of a document share only once, by name. Parts are recognized by object identity.

import type { JsonSchema, JsonValue } from "@lathe/llm";

export type Named = Readonly<Record<string, JsonSchema>>;

/** Replaces shared parts by references such as `#/$defs/Model`. `used` are the parts that are referenced. */
export function withSharedParts(
  kinds: Named,
  parts: Named,
  at: string,
): { readonly kinds: Named; readonly used: Named } {
  const used = new Set<string>();
  const short = mapValues(kinds, (schema) => shorten(schema, parts, at, used));
  const shared: Record<string, JsonSchema> = {};
  // A part may reference others that no kind references.
  for (const name of used) {
    const part = parts[name] as JsonSchema;
    shared[name] = Object.fromEntries(
      Object.entries(part).map(([key, value]) => [key, shortenValue(value, parts, at, used)]),
    );
  }
  return {
    kinds: short,
    used: Object.fromEntries(Object.keys(parts).flatMap((name) => definedEntry(name, shared[name]))),
  };
}

const definedEntry = (name: string, part: JsonSchema | undefined): [string, JsonSchema][] =>
  part === undefined ? [] : [[name, part]];

function shorten(schema: JsonSchema, parts: Named, at: string, used: Set<string>): JsonSchema {
  const name = Object.keys(parts).find((candidate) => parts[candidate] === schema);
  if (name !== undefined) {
    used.add(name);
    return { $ref: `${at}${name}` };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, shortenValue(value, parts, at, used)]));
}

function shortenValue(value: JsonValue, parts: Named, at: string, used: Set<string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => shortenValue(item, parts, at, used));
  return typeof value === "object" && value !== null ? shorten(value as JsonSchema, parts, at, used) : value;
}

export function mapValues<T, R>(
  from: { readonly [name: string]: T },
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value, name)]));
}
