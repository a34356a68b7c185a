// The part of a schema that we can check. Schemas also come from strangers (MCP servers, extensions): a pattern in
// another dialect or a reference to another document must not make every call of that tool fail. The tool itself still
// checks its arguments.

import type { JsonSchema, JsonValue } from "../types/json.ts";
import { atReference, isSchema } from "./inline.ts";

/** Their values are data, even if they look like schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

export function checkable(schema: JsonSchema): JsonSchema {
  return without(schema, schema) as JsonSchema;
}

function without(value: JsonValue, root: JsonSchema): JsonValue {
  if (Array.isArray(value)) return value.map((item) => without(item, root));
  if (!isSchema(value)) return value;
  const { $ref: reference } = value;
  if (typeof reference === "string" && atReference(root, reference) === undefined) return {};
  const kept = Object.entries(value)
    .filter(([name, child]) => !(name === "pattern" && typeof child === "string" && !isPattern(child)))
    .map(([name, child]): [string, JsonValue] => {
      if (DATA.has(name)) return [name, child];
      return [name, without(name === "patternProperties" && isSchema(child) ? readable(child) : child, root)];
    });
  return Object.fromEntries(kept);
}

const readable = (patterns: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(patterns).filter(([pattern]) => isPattern(pattern)));

/** Whether the validator accepts the pattern. */
export function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}
