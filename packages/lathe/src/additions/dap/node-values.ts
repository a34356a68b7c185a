// Describes values of a Node program the way developers write them, from the inspector's data.

import { ToolFailure } from "@lathe/agent";
import { isJsonObject, type JsonObject } from "@lathe/llm";

const LONGEST = 1000;

/** A RemoteObject in one line. */
export function describeValue({ type, subtype, value, unserializableValue, description, preview }: JsonObject): string {
  if (type === "undefined") return "undefined";
  if (type === "string") return JSON.stringify(value).slice(0, LONGEST);
  if (unserializableValue !== undefined) return String(unserializableValue);
  if (type !== "object" && type !== "function") return String(value ?? description);
  if (subtype === "null") return "null";
  const shown = isJsonObject(preview) ? describePreview(preview) : undefined;
  return (shown ?? String(description ?? type)).slice(0, LONGEST);
}

function describePreview({ subtype, description, properties, entries, overflow }: JsonObject): string | undefined {
  if (subtype === "error" || subtype === "date" || subtype === "regexp") return undefined;
  const isArray = subtype === "array" || subtype === "typedarray";
  const named = objects(properties).map(({ name, type, value }) => {
    const text = type === "string" ? JSON.stringify(value) : String(value ?? type);
    return isArray && /^\d+$/.test(String(name)) ? text : `${name}: ${text}`;
  });
  const pairs = objects(entries).map(({ key, value }) =>
    [key, value].flatMap((one) => (isJsonObject(one) ? String(one["description"]) : [])).join(" => "),
  );
  const inside = [...pairs, ...(pairs.length > 0 ? [] : named), ...(overflow === true ? ["…"] : [])].join(", ");
  if (isArray) return `[${inside}]`;
  return `${description === "Object" ? "" : `${description} `}{${inside}}`;
}

/** The value of an expression. Fails with the error that the expression threw. */
export function resultOf({ result, exceptionDetails }: JsonObject): JsonObject {
  if (!isJsonObject(exceptionDetails)) return isJsonObject(result) ? result : {};
  const { exception, text } = exceptionDetails;
  throw new ToolFailure(
    String((isJsonObject(exception) ? exception["description"] : undefined) ?? text).split("\n")[0]!,
  );
}

export const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
