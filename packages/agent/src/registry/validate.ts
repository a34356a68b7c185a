// Checks a call's arguments against the tool's schema. Validators are compiled on first use, once per schema object;
// the compiler itself is loaded with the first call, not at start-up.

import type { JsonObject, JsonSchema, ToolCallData } from "@lathe/llm";
import { parseLooseObject, repairArguments } from "./repair.ts";

export type Validation =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly path: string; readonly message: string };

interface SchemaError {
  readonly instancePath: string;
  readonly message: string;
}
interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly SchemaError[];
}

export class ArgumentValidator {
  readonly #compiled = new WeakMap<JsonSchema, Validator>();

  async validate(call: ToolCallData, schema: JsonSchema): Promise<Validation> {
    const given = readArguments(call, schema);
    if (given === undefined) {
      return {
        ok: false,
        path: "/",
        message: `the arguments are not a JSON object: ${excerpt(call.rawArguments ?? "")}`,
      };
    }
    const validator = await this.#validator(schema);
    if (validator.Check(given)) return { ok: true, args: given };
    const repaired = repairArguments(given, schema);
    if (repaired !== given && validator.Check(repaired)) return { ok: true, args: repaired };
    const errors = validator.Errors(given);
    const error = errors.find((candidate) => candidate.instancePath !== "") ?? errors[0];
    return { ok: false, path: error?.instancePath || "/", message: error?.message ?? "does not match the schema" };
  }

  async #validator(schema: JsonSchema): Promise<Validator> {
    const known = this.#compiled.get(schema);
    if (known) return known;
    const { Compile } = await import("typebox/compile");
    const validator = Compile(schema as Parameters<typeof Compile>[0]) as unknown as Validator;
    this.#compiled.set(schema, validator);
    return validator;
  }
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
