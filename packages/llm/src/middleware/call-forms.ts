// The forms in which models write a call as text, once we know where the call begins and ends. A form must match as a
// whole.

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../types/json.ts";
import type { ToolDefinition } from "../types/request.ts";
import { looseArguments, looseValues } from "./loose-json.ts";

/** A call as it was written. If it could not be read, there are no arguments and `raw` is its text. */
export type WrittenCall =
  | { readonly name: string; readonly arguments: JsonObject }
  | { readonly name: string; readonly raw: string };

export type Offered = Pick<ToolDefinition, "name" | "parameters">;

type ReadableCall = Extract<WrittenCall, { arguments: JsonObject }>;

const NAME_KEYS = ["name", "tool", "tool_name", "function", "action"];
const ARGUMENT_KEYS = ["arguments", "parameters", "args", "input", "params", "tool_input", "action_input"];
const NAME = /^[A-Za-z_][\w.:-]{0,127}$/;

/** All calls of a text that contains nothing else; undefined if one of them cannot be read. */
export function readCalls(text: string, tools: readonly Offered[]): ReadableCall[] | undefined {
  const body = withoutFence(text.replaceAll('<|"|>', '"').trim());
  if (body === "") return undefined;
  for (const form of FORMS) {
    const calls = form(body, tools);
    if (calls) return calls.length === 0 ? undefined : calls;
  }
  return undefined;
}

/** For a call that cannot be read: the tool that it is most likely meant for. */
export function likelyName(text: string, tools: readonly Offered[]): string {
  const said =
    /["']?(?:name|tool|function)["']?\s*[:=]\s*["']?([A-Za-z_][\w.:-]*)/.exec(text)?.[1] ??
    /^\s*(?:<(?:function=|invoke\s+name=)["']?|call:)?([A-Za-z_][\w.:-]*)["']?\s*[\n({>[]/.exec(text)?.[1];
  const name = said === undefined ? undefined : bareName(said);
  return name ?? (tools.length === 1 ? tools[0]!.name : "unreadable_call");
}

/** Each returns undefined if the text is not of its form. */
const FORMS: readonly ((body: string, tools: readonly Offered[]) => ReadableCall[] | undefined)[] = [
  jsonCalls,
  (body, tools) => blocks(body, tools, FUNCTION_BLOCK),
  (body, tools) => blocks(body, tools, INVOKE_BLOCK),
  argumentPairs,
  namedJson,
  functionCalls,
  toolTags,
];

function withoutFence(text: string): string {
  return /^```[\w-]*\n([\s\S]*?)\n?```$/.exec(text)?.[1]?.trim() ?? text;
}

function jsonCalls(body: string): ReadableCall[] | undefined {
  if (!/^[{[]/.test(body)) return undefined;
  const values = looseValues(body)?.flat();
  return every(values, callOf);
}

/** `{"name": …, "arguments": …}`, with any of the names that models use for the two. */
function callOf(value: JsonValue): ReadableCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const inner = value["function"];
  if (isJsonObject(inner) && inner["name"] !== undefined) return callOf(inner);
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === "string");
  const name = nameKey === undefined ? undefined : bareName(value[nameKey] as string);
  if (nameKey === undefined || name === undefined) return undefined;
  const argumentKey = ARGUMENT_KEYS.find((key) => Object.hasOwn(value, key));
  if (argumentKey === undefined) {
    const { [nameKey]: _name, id: _id, type: _type, ...rest } = value;
    return { name, arguments: rest };
  }
  const given = value[argumentKey];
  const args = typeof given === "string" ? objectIn(given) : given === null ? {} : given;
  return isJsonObject(args) ? { name, arguments: args } : undefined;
}

function objectIn(text: string): JsonValue | undefined {
  const values = looseValues(text);
  return values?.length === 1 ? values[0] : undefined;
}

/** A vendor's prefix is not part of the tool's name. */
function bareName(name: string): string | undefined {
  const bare = name.trim().replace(/^functions?[.:]/, "");
  return NAME.test(bare) ? bare : undefined;
}

const FUNCTION_BLOCK = {
  block: /<function=["']?([^>"'\s]+)["']?\s*>([\s\S]*?)(?:<\/function>|$)/y,
  argument: /<parameter=["']?([^>"'\s]+)["']?\s*>([\s\S]*?)<\/parameter>/y,
};
const INVOKE_BLOCK = {
  block: /<invoke\s+name=["']([^"']+)["']\s*>([\s\S]*?)(?:<\/invoke>|$)/y,
  argument: /<parameter\s+name=["']([^"']+)["'][^>]*>([\s\S]*?)<\/parameter>/y,
};

/** Consecutive blocks whose arguments are tags or one JSON object. */
function blocks(body: string, tools: readonly Offered[], form: typeof FUNCTION_BLOCK): ReadableCall[] | undefined {
  return inRow(body, form.block, ([, word = "", inside = ""]) => {
    const name = bareName(word);
    if (name === undefined) return undefined;
    const text = inside.trim();
    if (text.startsWith("{")) {
      const args = objectIn(text);
      return isJsonObject(args) ? { name, arguments: args } : undefined;
    }
    const pairs = text === "" ? [] : inRow(text, form.argument, ([, key = "", value = ""]) => [key, value] as const);
    return pairs && { name, arguments: typedArguments(pairs, schemaOf(name, tools)) };
  });
}

const ARGUMENT_PAIR = /<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/y;

function argumentPairs(body: string, tools: readonly Offered[]): ReadableCall[] | undefined {
  const [, word, rest] = /^([A-Za-z_][\w.:-]*)\s*(<arg_key>[\s\S]*)$/.exec(body) ?? [];
  const name = word === undefined ? undefined : bareName(word);
  if (name === undefined || rest === undefined) return undefined;
  const pairs = inRow(rest, ARGUMENT_PAIR, ([, key = "", value = ""]) => [key.trim(), value] as const);
  return pairs && [{ name, arguments: typedArguments(pairs, schemaOf(name, tools)) }];
}

/** `read {"file_path": "a"}`, `call:read{file_path: "a"}`. */
function namedJson(body: string): ReadableCall[] | undefined {
  const [, word, rest] = /^(?:call:)?([A-Za-z_][\w.:-]*)\s*(?:\[ARGS\])?\s*(\{[\s\S]*)$/.exec(body) ?? [];
  const name = word === undefined ? undefined : bareName(word);
  const args = rest === undefined ? undefined : objectIn(rest);
  return name !== undefined && isJsonObject(args) ? [{ name, arguments: args }] : undefined;
}

/** `read(file_path="a")`, also several of them, also in square brackets. */
export function functionCalls(body: string): ReadableCall[] | undefined {
  const list = /^\[([\s\S]*)\]$/.exec(body)?.[1] ?? body;
  const calls: ReadableCall[] = [];
  for (let rest = list.trim(); rest !== ""; ) {
    const [head = "", word] = /^([A-Za-z_][\w.]*)\s*\(/.exec(rest) ?? [];
    const name = word === undefined ? undefined : bareName(word);
    const end = name === undefined ? undefined : closingBracket(rest, head.length);
    if (name === undefined || end === undefined) return undefined;
    const args = looseArguments(rest.slice(head.length, end));
    if (!args) return undefined;
    calls.push({ name, arguments: args });
    rest = rest.slice(end + 1).replace(/^\s*[,;]?\s*/, "");
  }
  return calls;
}

/** The closing bracket for the one opened before `from`, ignoring brackets in strings. */
function closingBracket(text: string, from: number): number | undefined {
  let depth = 1;
  let quote = "";
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at;
  }
  return undefined;
}

/** `<read><file_path>a</file_path></read>`, but only for offered tools and their own parameters. */
function toolTags(body: string, tools: readonly Offered[]): ReadableCall[] | undefined {
  return inRow(body, /<([A-Za-z_][\w-]*)>([\s\S]*?)<\/\1>/y, ([, name = "", inside = ""]) => {
    const tool = tools.find((one) => one.name === name);
    const properties = tool && schemaProperties(tool.parameters);
    if (!properties) return undefined;
    const text = inside.trim();
    const pairs =
      text === ""
        ? []
        : inRow(text, /<([A-Za-z_][\w-]*)>([\s\S]*?)<\/\1>/y, ([, key = "", value = ""]) =>
            Object.hasOwn(properties, key) ? ([key, value] as const) : undefined,
          );
    return pairs && { name, arguments: typedArguments(pairs, tool.parameters) };
  });
}

/** Values between tags are text: if the schema wants another type, they are read as JSON if possible. */
function typedArguments(pairs: readonly (readonly [string, string])[], schema: JsonSchema | undefined): JsonObject {
  const properties = schema ? schemaProperties(schema) : {};
  return Object.fromEntries(
    pairs.map(([key, written]) => {
      const text = written.replace(/^\n/, "").replace(/\n$/, "");
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const type = isJsonObject(property) ? property["type"] : undefined;
      return [key, type === "string" || property === undefined ? text : valueIn(text)];
    }),
  );
}

function valueIn(text: string): JsonValue {
  const values = looseValues(`[${text}]`);
  const list = values?.length === 1 ? values[0] : undefined;
  return Array.isArray(list) && list.length === 1 ? list[0]! : text;
}

const schemaOf = (name: string, tools: readonly Offered[]): JsonSchema | undefined =>
  tools.find((tool) => tool.name === name)?.parameters;

const schemaProperties = (schema: JsonSchema): JsonObject =>
  isJsonObject(schema["properties"]) ? schema["properties"] : {};

/** Consecutive matches of a sticky pattern, separated only by space; undefined unless all can be read. */
function inRow<T>(text: string, pattern: RegExp, read: (match: RegExpExecArray) => T | undefined): T[] | undefined {
  const found: T[] = [];
  for (let at = 0; at < text.length; ) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const item = match ? read(match) : undefined;
    if (!match || item === undefined) return undefined;
    found.push(item);
    at = pattern.lastIndex;
    while (/\s/.test(text[at] ?? "")) at++;
  }
  return found.length === 0 ? undefined : found;
}

function every<A, B>(items: readonly A[] | undefined, read: (item: A) => B | undefined): B[] | undefined {
  const all: B[] = [];
  for (const item of items ?? []) {
    const value = read(item);
    if (value === undefined) return undefined;
    all.push(value);
  }
  return items === undefined ? undefined : all;
}

/** True if the call has every required argument, and only arguments that the tool knows. */
export function fits(call: ReadableCall, tools: readonly Offered[]): boolean {
  const schema = schemaOf(call.name, tools);
  if (!schema) return false;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = schemaProperties(schema);
  const keys = Object.keys(call.arguments);
  return (
    required.every((key) => typeof key === "string" && Object.hasOwn(call.arguments, key)) &&
    keys.every((key) => Object.hasOwn(properties, key))
  );
}
