// Checks a call's arguments against the tool's schema.

import { type JsonObject, type JsonSchema, type ToolCallData, violationOf, withoutOptionalNulls } from "@lathe/llm";
import { parseLooseObject, repairArguments } from "./repair.ts";

export type Validation =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly path: string; readonly message: string };

/** Near misses are mended before a call is refused; strict vendors write null for what they leave out, which counts as left out. */
export async function validateArguments(call: ToolCallData, schema: JsonSchema): Promise<Validation> {
  const read = readArguments(call, schema);
  if (read === undefined) {
    return {
      ok: false,
      path: "/",
      message: `the arguments are not a JSON object: ${excerpt(call.rawArguments ?? "")}`,
    };
  }
  const given = withoutOptionalNulls(schema, read) as JsonObject;
  const violation = await violationOf(schema, given);
  if (!violation) return { ok: true, args: given };
  const repaired = repairArguments(given, schema);
  if (repaired !== given && !(await violationOf(schema, repaired))) return { ok: true, args: repaired };
  return { ok: false, ...violation };
}

function readArguments(call: ToolCallData, schema: JsonSchema): JsonObject | undefined {
  if (typeof call.arguments === "string") return freeForm(call.arguments, schema);
  if (call.rawArguments !== undefined) return parseLooseObject(call.rawArguments);
  return call.arguments;
}

/** Free-form tools send bare text: it is the value of the schema's one required field. */
function freeForm(text: string, schema: JsonSchema): JsonObject {
  const required = schema["required"];
  const field = Array.isArray(required) && typeof required[0] === "string" ? required[0] : "input";
  return { [field]: text };
}

function excerpt(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
