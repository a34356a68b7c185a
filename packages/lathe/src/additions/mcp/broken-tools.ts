// Removes invalid tools from a server's list; otherwise the protocol's package would refuse the whole list because of
// one of them.

import { isJsonObject } from "@lathe/llm";
import { DEEPEST_SCHEMA } from "./limits.ts";

/** Changes the message in place if it is a list of tools. Returns the names of removed tools. */
export function withoutBrokenTools(message: unknown): readonly string[] {
  const result = isJsonObject(message) ? message["result"] : undefined;
  if (!isJsonObject(result) || !Array.isArray(result["tools"])) return [];
  const tools = result["tools"];
  const good = tools.filter(isTool);
  if (good.length < tools.length) result["tools"] = good;
  return tools.filter((tool) => !isTool(tool)).map(nameOf);
}

function isTool(tool: unknown): boolean {
  if (!isJsonObject(tool) || typeof tool["name"] !== "string" || tool["name"] === "") return false;
  const { inputSchema, outputSchema, description, title } = tool;
  return (
    isObjectSchema(inputSchema) &&
    (outputSchema === undefined || isObjectSchema(outputSchema)) &&
    isTextOrAbsent(description) &&
    isTextOrAbsent(title)
  );
}

function isObjectSchema(schema: unknown): boolean {
  if (!isJsonObject(schema) || schema["type"] !== "object" || !isShallow(schema)) return false;
  const { properties, required } = schema;
  return (properties === undefined || isJsonObject(properties)) && (required === undefined || Array.isArray(required));
}

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";

/** Checks level by level, because a deep schema would overflow the stack of code that walks it recursively. */
function isShallow(schema: unknown): boolean {
  let level: readonly unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_SCHEMA) return false;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return true;
}

const nameOf = (tool: unknown): string =>
  isJsonObject(tool) && typeof tool["name"] === "string" && tool["name"] !== ""
    ? tool["name"].slice(0, 80)
    : "one without a name";
