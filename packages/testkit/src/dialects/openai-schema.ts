// What both of OpenAI's APIs refuse: function definitions and strict schemas.

import { type Fields, isFields, refuse, string } from "./refuse.ts";

export const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
export const MAX_ID = 64;

export function unknownParameter(name: string): never {
  refuse(`Unknown parameter: '${name}'.`, { code: "unknown_parameter", param: name });
}

export function missingParameter(name: string): never {
  refuse(`Missing required parameter: '${name}'.`, { code: "missing_required_parameter", param: name });
}

export function invalidValue(name: string, why: string): never {
  refuse(`Invalid value for '${name}': ${why}`, { code: "invalid_value", param: name });
}

export function checkFunction(definition: Fields, at: string): void {
  const name = string(definition["name"]);
  if (name === "") missingParameter(`${at}.name`);
  if (!FUNCTION_NAME.test(name)) {
    refuse(`Invalid '${at}.name': string does not match pattern. Expected '${FUNCTION_NAME.source}'.`, {
      param: `${at}.name`,
      code: "invalid_value",
    });
  }
  const schema = definition["parameters"];
  if (schema === undefined || schema === null) return;
  if (!isFields(schema) || schema["type"] !== "object") {
    invalidSchema(name, "schema must be a JSON Schema of 'type: \"object\"'");
  }
  if (definition["strict"] === true) checkStrict(schema, name, []);
}

function invalidSchema(name: string, why: string): never {
  refuse(`Invalid schema for function '${name}': ${why}.`, { code: "invalid_function_parameters", param: "tools" });
}

/** Strict mode: every object closed, every property required. */
function checkStrict(schema: unknown, name: string, path: readonly string[]): void {
  if (!isFields(schema)) return;
  const context = `In context=(${path.map((step) => `'${step}'`).join(", ")})`;
  const properties = schema["properties"];
  if (schema["type"] === "object" || isFields(properties)) {
    if (schema["additionalProperties"] !== false) {
      invalidSchema(name, `${context}, 'additionalProperties' is required to be supplied and to be false`);
    }
    const keys = Object.keys(isFields(properties) ? properties : {});
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const missing = keys.find((key) => !required.includes(key));
    if (missing) {
      invalidSchema(name, `${context}, 'required' must include every key in properties. Missing '${missing}'`);
    }
  }
  for (const [key, value] of Object.entries(isFields(properties) ? properties : {})) {
    checkStrict(value, name, [...path, "properties", key]);
  }
  checkStrict(schema["items"], name, [...path, "items"]);
  const variants = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [];
  for (const [i, variant] of variants.entries()) checkStrict(variant, name, [...path, "anyOf", String(i)]);
}
