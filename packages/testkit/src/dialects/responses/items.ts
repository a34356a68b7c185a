// What the OpenAI Responses API refuses in its input items: shapes, ids, the pairing of calls and outputs, lone reasoning.

import { FUNCTION_NAME, invalidValue, MAX_ID, missingParameter, unknownParameter } from "../openai-schema.ts";
import { duplicate, type Fields, objects, refuse, string, unknownField } from "../refuse.ts";

export interface ItemContext {
  /** `store` is not false, so the vendor could find items by id. */
  readonly stored: boolean;
  /** Earlier items live on the vendor's side. */
  readonly continued: boolean;
}

const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status", "phase"],
  function_call: ["type", "call_id", "name", "arguments", "id", "status", "namespace", "caller"],
  function_call_output: ["type", "call_id", "output", "id", "status", "caller"],
  custom_tool_call: ["type", "call_id", "name", "input", "id", "namespace", "caller", "status"],
  custom_tool_call_output: ["type", "call_id", "output", "id", "caller", "status"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
  compaction: ["type", "id", "encrypted_content", "created_by"],
};
const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
};
const CALLS = ["function_call", "custom_tool_call"];
const OUTPUTS = ["function_call_output", "custom_tool_call_output"];
const USER_PARTS = ["input_text", "input_image", "input_file", "input_audio"];
const ASSISTANT_PARTS = ["output_text", "refusal"];

export function checkItems(items: readonly Fields[], context: ItemContext): void {
  for (const [i, item] of items.entries()) checkItem(item, `input[${i}]`, context);
  const ids = items.map((item) => string(item["id"])).filter((id) => id !== "");
  const twice = duplicate(ids);
  if (twice) refuse(`Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`);
  checkPairs(items, context);
  checkReasoning(items);
}

/** A message may omit its type. */
const typeOf = (item: Fields): string => string(item["type"]) || ("role" in item ? "message" : "");

function checkItem(item: Fields, at: string, context: ItemContext): void {
  const type = typeOf(item);
  if (type === "") missingParameter(`${at}.type`);
  const known = Object.hasOwn(ITEM_FIELDS, type) ? ITEM_FIELDS[type] : undefined;
  if (!known) return;
  const extra = unknownField(item, known);
  if (extra) unknownParameter(`${at}.${extra}`);
  checkIds(item, type, at);
  if (type === "message") checkMessage(item, at);
  if (type === "reasoning") checkReasoningItem(item, at, context);
  if (type === "compaction" && string(item["encrypted_content"]) === "") missingParameter(`${at}.encrypted_content`);
  if (type === "function_call") {
    if (!FUNCTION_NAME.test(string(item["name"]))) {
      refuse(`Invalid '${at}.name': string does not match pattern.`, { param: `${at}.name` });
    }
    if (typeof item["arguments"] !== "string") {
      refuse(`Invalid type for '${at}.arguments': expected a string.`, {
        code: "invalid_type",
        param: `${at}.arguments`,
      });
    }
  }
  if (OUTPUTS.includes(type)) {
    const output = item["output"];
    if (output === undefined) missingParameter(`${at}.output`);
    if (typeof output !== "string" && !Array.isArray(output)) {
      refuse(`Invalid type for '${at}.output': expected a string or an array.`, {
        code: "invalid_type",
        param: `${at}.output`,
      });
    }
  }
}

function checkIds(item: Fields, type: string, at: string): void {
  const id = item["id"];
  const prefix = ID_PREFIX[type];
  if (typeof id === "string" && prefix && !id.startsWith(prefix)) {
    refuse(`Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`, {
      code: "invalid_value",
      param: `${at}.id`,
    });
  }
  for (const field of ["id", "call_id"]) {
    if (string(item[field]).length > MAX_ID) {
      refuse(`Invalid '${at}.${field}': string too long. Expected a string with maximum length ${MAX_ID}.`, {
        code: "string_above_max_length",
        param: `${at}.${field}`,
      });
    }
  }
  const needsCall = CALLS.includes(type) || OUTPUTS.includes(type);
  if (needsCall && string(item["call_id"]) === "") missingParameter(`${at}.call_id`);
}

function checkMessage(item: Fields, at: string): void {
  const role = string(item["role"]);
  if (!["user", "assistant", "system", "developer"].includes(role)) {
    invalidValue(`${at}.role`, `'${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`);
  }
  const content = item["content"];
  if (content === undefined || content === null) missingParameter(`${at}.content`);
  const allowed = role === "assistant" ? ASSISTANT_PARTS : USER_PARTS;
  for (const [i, part] of objects(content).entries()) {
    const type = string(part["type"]);
    if (!allowed.includes(type)) {
      invalidValue(
        `${at}.content[${i}]`,
        `'${type}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(", ")}.`,
      );
    }
    if (type.endsWith("_text") && typeof part["text"] !== "string") missingParameter(`${at}.content[${i}].text`);
  }
}

function checkReasoningItem(item: Fields, at: string, { stored }: ItemContext): void {
  if (string(item["id"]) === "" && string(item["encrypted_content"]) === "") missingParameter(`${at}.id`);
  if (!Array.isArray(item["summary"])) missingParameter(`${at}.summary`);
  if (!stored && string(item["encrypted_content"]) === "") {
    refuse(
      `Item with id '${string(item["id"])}' not found. Items are not persisted when \`store\` is set to false. Set it to true, or remove this item.`,
      { status: 404, param: "input" },
    );
  }
}

function checkPairs(items: readonly Fields[], { continued }: ItemContext): void {
  const open = new Map<string, string>();
  const seen = new Set<string>();
  for (const item of items) {
    const type = typeOf(item);
    const id = string(item["call_id"]);
    if (CALLS.includes(type)) {
      if (seen.has(id)) refuse(`Duplicate function call found with call_id ${id}.`, { param: "input" });
      seen.add(id);
      open.set(id, type);
    } else if (OUTPUTS.includes(type)) {
      const fits = open.get(id) === type.replace("_output", "");
      if (!fits && !continued) {
        refuse(`No tool call found for ${type.replaceAll("_", " ")} with call_id ${id}.`, { param: "input" });
      }
      open.delete(id);
    }
  }
  const [unanswered] = open.keys();
  if (unanswered !== undefined) refuse(`No tool output found for function call ${unanswered}.`, { param: "input" });
}

/** A reasoning item belongs to the output item that came after it. */
function checkReasoning(items: readonly Fields[]): void {
  for (const [i, item] of items.entries()) {
    if (typeOf(item) !== "reasoning") continue;
    const next = items.slice(i + 1).find((other) => typeOf(other) !== "reasoning");
    const isOutput =
      next && !OUTPUTS.includes(typeOf(next)) && (typeOf(next) !== "message" || next["role"] === "assistant");
    if (!isOutput) {
      refuse(`Item '${string(item["id"])}' of type 'reasoning' was provided without its required following item.`, {
        param: "input",
      });
    }
  }
}
