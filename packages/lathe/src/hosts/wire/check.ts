// Checks what a host sent against its definition, in one sentence that names the place. Knows the keywords that define.ts writes;
// fields that are not defined are accepted, so that a newer host can talk to an older agent.

import type { JsonSchema } from "./define.ts";

/** What is wrong with the value; undefined when nothing is. */
export function problemWith(value: unknown, schema: JsonSchema, place: string): string | undefined {
  if (Array.isArray(schema["anyOf"])) {
    const problems = (schema["anyOf"] as JsonSchema[]).map((option) => problemWith(value, option, place));
    return problems.includes(undefined) ? undefined : problems[0];
  }
  if ("const" in schema && value !== schema["const"]) return `${place} must be ${JSON.stringify(schema["const"])}`;
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) {
    return `${place} must be one of ${schema["enum"].join(", ")}`;
  }
  const type = schema["type"];
  if (typeof type === "string" && !isOfType(value, type)) return `${place} must be ${ARTICLE[type] ?? type}`;
  if (type === "array") return problemInList(value as readonly unknown[], schema, place);
  if (type === "object") return problemInObject(value as Readonly<Record<string, unknown>>, schema, place);
  return undefined;
}

function problemInList(value: readonly unknown[], schema: JsonSchema, place: string): string | undefined {
  for (const [i, item] of value.entries()) {
    const problem = problemWith(item, schema["items"] as JsonSchema, `${place}[${i}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemInObject(
  value: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  place: string,
): string | undefined {
  const prefix = place === "" ? "" : `${place}.`;
  for (const name of (schema["required"] ?? []) as string[]) {
    if (value[name] === undefined) return `${prefix}${name} is missing`;
  }
  for (const [name, field] of Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>)) {
    if (value[name] === undefined) continue;
    const problem = problemWith(value[name], field, `${prefix}${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const ARTICLE: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
