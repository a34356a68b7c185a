// Checks the arguments of a call against the tool's schema.

import {
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ToolCallData,
  violationOf,
  withoutOptionalNulls,
} from "@lathe/llm";
import { wellFormed } from "../../base/text/well-formed.ts";
import { parseLooseObject, repairArguments } from "./repair.ts";

export type Validation =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly message: string };

/**
 * Near misses are repaired before a call is refused. Strict vendors send null for an omitted argument, which counts as
 * omitted.
 */
export async function validateArguments(call: ToolCallData, schema: JsonSchema): Promise<Validation> {
  const read = safeObject(readArguments(call, schema));
  if (read === "too deep") return { ok: false, message: `the arguments are nested deeper than ${MOST_NESTING} levels` };
  if (read === undefined)
    return { ok: false, message: `the arguments are not a JSON object: ${excerpt(call.rawArguments ?? "")}` };
  const withoutNulls = withoutOptionalNulls(schema, read) as JsonObject;
  const violation = await violationOf(schema, withoutNulls);
  if (!violation) return { ok: true, args: withoutNulls };
  const repaired = repairArguments(withoutNulls, schema);
  if (repaired !== withoutNulls && !(await violationOf(schema, repaired))) return { ok: true, args: repaired };
  return { ok: false, message: violation.message };
}

function readArguments(call: ToolCallData, schema: JsonSchema): JsonObject | undefined {
  if (typeof call.arguments === "string") return freeForm(call.arguments, schema);
  if (call.rawArguments !== undefined) return parseLooseObject(call.rawArguments);
  return call.arguments;
}

/** Free-form tools send bare text, which becomes the value of the schema's only required field. */
function freeForm(text: string, schema: JsonSchema): JsonObject {
  const required = schema["required"];
  const field = Array.isArray(required) && typeof required[0] === "string" ? required[0] : "input";
  return { [field]: text };
}

function excerpt(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

const MOST_NESTING = 200;
/** Assigning or looking up these keys reaches properties that every object inherits. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * A model may write any key, but what is judged and executed must depend only on plain data. It may also write half a
 * surrogate pair: the system replaces that in a path, and would write a file that the user was not asked about.
 */
function safeObject(args: JsonObject | undefined): JsonObject | "too deep" | undefined {
  if (args === undefined) return undefined;
  const safe = safeValue(args, 0);
  return safe === TOO_DEEP ? "too deep" : (safe as JsonObject);
}

const TOO_DEEP = Symbol("too deep");

/** Returns the same value if there is nothing to change. */
function safeValue(value: JsonValue | undefined, depth: number): JsonValue | undefined | typeof TOO_DEEP {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MOST_NESTING) return TOO_DEEP;
  const entries: [string, JsonValue | undefined][] = [];
  let changed = false;
  for (const [key, inner] of Object.entries(value)) {
    if (PROTOTYPE_KEYS.has(key)) {
      changed = true;
      continue;
    }
    const safe = safeValue(inner, depth + 1);
    if (safe === TOO_DEEP) return TOO_DEEP;
    changed ||= safe !== inner;
    entries.push([key, safe]);
  }
  if (!changed) return value;
  return Array.isArray(value)
    ? entries.map(([, inner]) => inner as JsonValue)
    : (Object.fromEntries(entries) as JsonObject);
}
