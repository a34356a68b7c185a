// What the OpenAI Responses API refuses: parameters and tools. Input items are checked in items.ts.

import type { RecordedRequest } from "../../record.ts";
import { checkFunction, invalidValue, missingParameter, unknownParameter } from "../openai-schema.ts";
import { type Fields, isFields, objects, refuse, string, unknownField, validatorOf } from "../refuse.ts";
import { checkItems } from "./items.ts";

const FIELDS = [
  ...["background", "context_management", "conversation", "include", "input", "instructions", "max_output_tokens"],
  ...["max_tool_calls", "metadata", "model", "moderation", "parallel_tool_calls", "previous_response_id", "prompt"],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning", "safety_identifier"],
  ...["service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice", "tools"],
  ...["top_logprobs", "top_p", "truncation", "user"],
];
const COMPACTION_FIELDS = [
  ...["input", "instructions", "model", "previous_response_id", "prompt_cache_key", "prompt_cache_options"],
  ...["prompt_cache_retention", "service_tier"],
];
const FUNCTION_FIELDS = ["type", "name", "description", "parameters", "strict", "defer_loading"];
const MIN_OUTPUT = 16;

/** Whether the request asks to compact the conversation instead of answering it. */
export const isCompaction = ({ path }: Pick<RecordedRequest, "path">): boolean => path.endsWith("/responses/compact");

export const validate = validatorOf(({ request, body, options }) => {
  const known = isCompaction(request) ? COMPACTION_FIELDS : FIELDS;
  const extra = unknownField(body, [...known, ...options.allowFields]);
  if (extra) unknownParameter(extra);
  if (string(body["model"]) === "") missingParameter("model");
  checkLimits(body);
  checkTools(body);
  checkFormat(body["text"]);
  const input = body["input"];
  if (input === undefined && body["prompt"] === undefined) missingParameter("input");
  if (typeof input === "string" || input === undefined) return;
  if (!Array.isArray(input)) refuse("Invalid type for 'input': expected a string or an array.", { param: "input" });
  if (input.length === 0) invalidValue("input", "expected at least one item.");
  checkItems(objects(input), {
    stored: body["store"] !== false,
    continued: body["previous_response_id"] !== undefined || body["conversation"] !== undefined,
  });
});

function checkLimits(body: Fields): void {
  const max = body["max_output_tokens"];
  if (typeof max === "number" && max < MIN_OUTPUT) {
    refuse(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT}, but got ${max}.`,
      {
        code: "integer_below_min_value",
        param: "max_output_tokens",
      },
    );
  }
  const metadata = body["metadata"];
  if (isFields(metadata) && Object.values(metadata).some((value) => typeof value !== "string")) {
    invalidValue("metadata", "values must be strings.");
  }
}

function checkTools(body: Fields): void {
  const tools = objects(body["tools"]);
  for (const [i, tool] of tools.entries()) {
    if (tool["type"] === undefined) missingParameter(`tools[${i}].type`);
    if (tool["type"] !== "function") continue;
    checkFunction(tool, `tools[${i}]`);
    const extra = unknownField(tool, FUNCTION_FIELDS);
    if (extra) unknownParameter(`tools[${i}].${extra}`);
  }
  const choice = body["tool_choice"];
  if (choice === undefined) return;
  if (typeof choice === "string") {
    if (!["auto", "none", "required"].includes(choice)) invalidValue("tool_choice", `'${choice}' is not supported.`);
    return;
  }
  if (!isFields(choice) || choice["type"] !== "function") return;
  if (string(choice["name"]) === "") missingParameter("tool_choice.name");
  if (!tools.some((tool) => tool["name"] === choice["name"])) {
    refuse(`Tool choice '${string(choice["name"])}' not found in 'tools' parameter.`, { param: "tool_choice" });
  }
}

function checkFormat(text: unknown): void {
  const format = isFields(text) ? text["format"] : undefined;
  if (!isFields(format) || format["type"] !== "json_schema") return;
  if (string(format["name"]) === "") missingParameter("text.format.name");
  if (!isFields(format["schema"])) missingParameter("text.format.schema");
}
