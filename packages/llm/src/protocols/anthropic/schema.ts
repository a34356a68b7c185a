// Which tool schemas Anthropic can enforce (`strict: true`), and in what form. A schema outside that subset is sent
// unchanged.

import { isSchema } from "../../schema/inline.ts";
import { NotStrict, strictForm } from "../../schema/strict.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../../types/json.ts";

/** Any other keyword makes the API refuse the tool. */
const known = new Set([
  "type",
  "title",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "default",
]);

interface StrictSchema {
  readonly schema: JsonSchema;
  /** These count against the vendor's limits for one request. */
  readonly optional: number;
  readonly unions: number;
}

/** The enforceable form; undefined if there is none. */
export function toAnthropicStrict(schema: JsonSchema): StrictSchema | undefined {
  const counts = { optional: 0, unions: 0 };
  return strictForm(schema, (flat) => ({ schema: strict(flat, counts), ...counts }));
}

function strict(node: JsonValue, counts: { optional: number; unions: number }): JsonObject {
  if (!isSchema(node)) throw new NotStrict();
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (!known.has(key)) throw new NotStrict();
    result[key] = value;
  }
  if (Array.isArray(node["type"]) || node["anyOf"] !== undefined) counts.unions += 1;
  if (node["items"] !== undefined) result["items"] = strict(node["items"], counts);
  if (Array.isArray(node["anyOf"])) result["anyOf"] = node["anyOf"].map((variant) => strict(variant, counts));
  if (node["type"] !== "object") return result;
  const extra = node["additionalProperties"];
  const properties = node["properties"];
  if ((extra !== undefined && extra !== false) || !isSchema(properties)) throw new NotStrict();
  const required = Array.isArray(node["required"]) ? node["required"] : [];
  const names = Object.keys(properties);
  counts.optional += names.filter((name) => !required.includes(name)).length;
  result["properties"] = Object.fromEntries(names.map((name) => [name, strict(properties[name]!, counts)]));
  return { ...result, additionalProperties: false };
}
