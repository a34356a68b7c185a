// What OpenAI's Chat Completions API refuses: parameters, messages, the pairing of calls and results.

import { checkFunction, FUNCTION_NAME, invalidValue, missingParameter, unknownParameter } from "../openai-schema.ts";
import { duplicate, type Fields, isFields, objects, refuse, string, unknownField, validatorOf } from "../refuse.ts";

const FIELDS = [
  ...["messages", "model", "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"],
  ...["max_completion_tokens", "max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls"],
  ...["prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream"],
  ...["stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity"],
  "web_search_options",
];
/** Compatible vendors accept reasoning back under these names. */
const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details"];
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "refusal", "audio", "function_call", ...REASONING_FIELDS],
  tool: ["role", "content", "tool_call_id", "name"],
};
const USER_PARTS = ["text", "image_url", "input_audio", "file"];

export const validate = validatorOf(({ body, options }) => {
  const extra = unknownField(body, [...FIELDS, ...options.allowFields]);
  if (extra) unknownParameter(extra);
  if (string(body["model"]) === "") missingParameter("model");
  if (!Array.isArray(body["messages"])) missingParameter("messages");
  const messages = objects(body["messages"]);
  if (messages.length === 0) refuse("Invalid 'messages': empty array. Expected an array with minimum length 1.");
  checkParameters(body);
  for (const [i, message] of messages.entries()) checkMessage(message, `messages[${i}]`);
  checkPairs(messages);
});

function checkParameters(body: Fields): void {
  if (body["max_tokens"] !== undefined && body["max_completion_tokens"] !== undefined) {
    refuse("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
  }
  if (body["stream_options"] !== undefined && body["stream"] !== true) {
    refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", { param: "stream_options" });
  }
  const tools = objects(body["tools"]);
  if (Array.isArray(body["tools"]) && tools.length === 0) refuse("[] is too short - 'tools'", { param: "tools" });
  for (const [i, tool] of tools.entries()) {
    if (tool["type"] !== "function") continue;
    const definition = tool["function"];
    if (!isFields(definition)) missingParameter(`tools[${i}].function`);
    checkFunction(definition, `tools[${i}].function`);
    const extra = unknownField(definition, ["name", "description", "parameters", "strict"]);
    if (extra) unknownParameter(`tools[${i}].function.${extra}`);
  }
  if (tools.length > 0) return;
  for (const name of ["tool_choice", "parallel_tool_calls"]) {
    if (body[name] !== undefined) invalidValue(name, `'${name}' is only allowed when 'tools' are specified.`);
  }
}

function checkMessage(message: Fields, at: string): void {
  const role = string(message["role"]);
  const known = Object.hasOwn(MESSAGE_FIELDS, role) ? MESSAGE_FIELDS[role] : undefined;
  if (!known) {
    invalidValue(`${at}.role`, `'${role}'. Supported values are: ${Object.keys(MESSAGE_FIELDS).join(", ")}.`);
  }
  const extra = unknownField(message, known);
  if (extra) unknownParameter(`${at}.${extra}`);
  const content = message["content"];
  if (typeof content !== "string" && !Array.isArray(content)) {
    const hasCalls = role === "assistant" && Array.isArray(message["tool_calls"]);
    if (!hasCalls) invalidValue(`${at}.content`, "expected a string, got null.");
  }
  if (Array.isArray(content) && content.length === 0) invalidValue(`${at}.content`, "empty array.");
  for (const [i, part] of objects(content).entries()) checkPart(part, role, `${at}.content[${i}]`);
  if (role === "tool" && string(message["tool_call_id"]) === "") missingParameter(`${at}.tool_call_id`);
  if (message["tool_calls"] !== undefined) checkCalls(message["tool_calls"], at);
}

function checkPart(part: Fields, role: string, at: string): void {
  const type = string(part["type"]);
  const allowed = role === "user" ? USER_PARTS : role === "assistant" ? ["text", "refusal"] : ["text"];
  if (!allowed.includes(type)) invalidValue(at, `'${type}'. Supported values are: ${allowed.join(", ")}.`);
  if (type === "text" && typeof part["text"] !== "string") missingParameter(`${at}.text`);
  if (type === "image_url" && !(isFields(part["image_url"]) && string(part["image_url"]["url"]) !== "")) {
    missingParameter(`${at}.image_url.url`);
  }
}

function checkCalls(value: unknown, at: string): void {
  const calls = objects(value);
  if (calls.length === 0) refuse(`[] is too short - '${at}.tool_calls'`, { param: `${at}.tool_calls` });
  for (const [i, call] of calls.entries()) {
    if (string(call["id"]) === "") missingParameter(`${at}.tool_calls[${i}].id`);
    if (call["type"] !== "function") missingParameter(`${at}.tool_calls[${i}].type`);
    const target = call["function"];
    if (!isFields(target) || !FUNCTION_NAME.test(string(target["name"]))) {
      invalidValue(`${at}.tool_calls[${i}].function.name`, "string does not match pattern.");
    }
    if (typeof target["arguments"] !== "string") {
      invalidValue(`${at}.tool_calls[${i}].function.arguments`, "expected a string.");
    }
  }
  const twice = duplicate(calls.map((call) => string(call["id"])));
  if (twice) invalidValue(`${at}.tool_calls`, `duplicate id '${twice}'.`);
}

function checkPairs(messages: readonly Fields[]): void {
  let open: string[] = [];
  for (const [i, message] of messages.entries()) {
    if (message["role"] === "tool") {
      const id = string(message["tool_call_id"]);
      if (!open.includes(id)) {
        refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
          {
            param: `messages.[${i}].role`,
          },
        );
      }
      open = open.filter((other) => other !== id);
      continue;
    }
    refuseOpen(open, i);
    open = objects(message["tool_calls"]).map((call) => string(call["id"]));
  }
  refuseOpen(open, messages.length - 1);
}

function refuseOpen(open: readonly string[], index: number): void {
  if (open.length === 0) return;
  refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing responses: ${open.join(", ")}`,
    { param: `messages.[${index}].role` },
  );
}
