// Extracts one definition of a published schema with those it refers to; compiling the whole file for each would be
// slow.

import type { JsonSchema } from "@lathe/llm";

type Definitions = Readonly<Record<string, unknown>>;

const made = new WeakMap<Definitions, Map<string, JsonSchema>>();

/** Returns the same object each time, since a schema is compiled once per object. */
export function schemaPart(definitions: Definitions, name: string): JsonSchema {
  const parts = made.get(definitions) ?? new Map<string, JsonSchema>();
  made.set(definitions, parts);
  const known = parts.get(name);
  if (known) return known;
  const reached = new Set([name]);
  for (const one of reached) {
    // The checker would accept anything for a dangling reference. Only the kind of a line may have no definition.
    if (one !== name && definitions[one] === undefined) throw new Error(`${name} refers to ${one}, which is not there`);
    for (const [, next] of JSON.stringify(definitions[one] ?? {}).matchAll(/"\$ref":"#\/\$defs\/([^"/]+)/g))
      reached.add(next!);
  }
  const part = {
    $defs: Object.fromEntries(Object.entries(definitions).filter(([one]) => reached.has(one))),
    $ref: `#/$defs/${name}`,
  } as unknown as JsonSchema;
  parts.set(name, part);
  return part;
}
