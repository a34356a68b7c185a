// Reads the body of POST /v1/messages.

import {
  anyObject,
  choice,
  exactly,
  flag,
  integer,
  listOf,
  number,
  oneOf,
  optional,
  text,
} from "../../schema/define.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { Message } from "../../types/message.ts";
import type { Request, ResponseFormat, ToolChoice, ToolDefinition } from "../../types/request.ts";
import { type Reader, Shape, shapeFor } from "../common/read.ts";
import { checkPairs, checkTools, functionTool, NOT_EDITED } from "../common/turns.ts";
import type { ServedRequest } from "../types.ts";
import { readCacheControl, readMessages, readText } from "./blocks.ts";

/** docs/gateway-formats.md lists its fields. */
export const messagesBody = new Shape(
  {
    model: text({ minLength: 1, maxLength: 256 }),
    messages: listOf(anyObject(), { minItems: 1 }),
    max_tokens: integer({ minimum: 1 }),
    system: optional(oneOf(text(), listOf(anyObject()))),
    temperature: optional(number({ minimum: 0, maximum: 1 })),
    top_p: optional(number({ minimum: 0, maximum: 1 })),
    top_k: optional(integer({ minimum: 0 })),
    stop_sequences: optional(listOf(text({ minLength: 1 }), { maxItems: 16 })),
    stream: optional(flag()),
    tools: optional(listOf(anyObject())),
    tool_choice: optional(anyObject()),
    thinking: optional(anyObject()),
    output_config: optional(anyObject()),
    output_format: optional(anyObject()),
    metadata: optional(anyObject()),
    context_management: optional(anyObject()),
  },
  {
    // The conversation is always readCacheControl for the vendor's cache, so a request for that changes nothing.
    ignored: ["service_tier", "cache_control", "speed", "diagnostics", "user_profile_id", "workspace_id"],
    unsupported: {
      container: "there is no code execution here",
      mcp_servers: "define their tools instead",
      inference_geo: "the server's operator decides where requests go",
      fallbacks: "the server's operator decides which models there are",
      compaction: "shorten the conversation before sending it",
      thread: "nothing is stored here; send the whole conversation",
    },
  },
);
const tool = new Shape(
  {
    type: optional(exactly("custom")),
    name: text(),
    description: optional(text()),
    input_schema: anyObject(),
    cache_control: optional(anyObject()),
  },
  { ignored: ["strict", "eager_input_streaming", "input_examples", "defer_loading", "allowed_callers"] },
);
const noParallel = { disable_parallel_tool_use: optional(flag()) };
const choices = {
  auto: new Shape({ type: exactly("auto"), ...noParallel }),
  any: new Shape({ type: exactly("any"), ...noParallel }),
  none: new Shape({ type: exactly("none") }),
  tool: new Shape({ type: exactly("tool"), name: text(), ...noParallel }),
};
const thinkings = {
  disabled: new Shape({ type: exactly("disabled") }),
  adaptive: new Shape({ type: exactly("adaptive") }, { ignored: ["display"] }),
  enabled: new Shape({ type: exactly("enabled"), budget_tokens: integer({ minimum: 1024 }) }, { ignored: ["display"] }),
};
const outputConfig = new Shape({
  effort: optional(choice(["low", "medium", "high", "xhigh", "max"])),
  format: optional(anyObject()),
});
const format = new Shape({ type: exactly("json_schema"), schema: anyObject() }, { ignored: ["name"] });
const metadata = new Shape({ user_id: optional(text({ maxLength: 512 })) });

export function readMessagesBody(value: JsonObject): ServedRequest {
  const fields = messagesBody.read(value, "");
  const system = readSystem(fields.system);
  const said = fields.messages.flatMap((one, at) => readMessages(one as JsonValue, `messages[${at}]`));
  checkPairs(said, "messages");
  const tools = fields.tools?.map((one, at) => readTool(one, `tools[${at}]`));
  const { toolChoice, parallelCalls } = readChoice(fields.tool_choice);
  checkTools(tools, toolChoice);
  const config = outputConfig.read(fields.output_config ?? {}, "output_config");
  const { reasoningEffort, thinkingBudget } = readThinking(fields.thinking, config.effort);
  const { user_id: userId } = metadata.read(fields.metadata ?? {}, "metadata");
  const request: Request = {
    model: fields.model,
    messages: [...system, ...said],
    maxTokens: fields.max_tokens,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...readFormat(config.format ?? fields.output_format),
    ...(fields.temperature === undefined ? {} : { temperature: fields.temperature }),
    ...(fields.top_p === undefined ? {} : { topP: fields.top_p }),
    ...(fields.stop_sequences === undefined || fields.stop_sequences.length === 0
      ? {}
      : { stopSequences: fields.stop_sequences }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(userId === undefined ? {} : { metadata: { user_id: userId } }),
  };
  return {
    request,
    stream: fields.stream === true,
    wishes: { topK: fields.top_k, parallelCalls, thinkingBudget },
    dropped: fields.context_management === undefined ? [] : [NOT_EDITED],
  };
}

function readSystem(system: string | readonly unknown[] | undefined): readonly Message[] {
  if (system === undefined || system === "" || system.length === 0) return [];
  if (typeof system === "string") return [{ role: "system", content: [{ kind: "text", text: system }] }];
  return [{ role: "system", content: system.map((block, at) => readText(block, `system[${at}]`)) }];
}

function readTool(value: unknown, place: string): ToolDefinition {
  shapeFor<unknown>({ custom: tool }, value, place, "custom");
  const { name, description, input_schema: parameters, cache_control: control } = tool.read(value, place);
  const words = description === undefined ? {} : { description };
  return {
    ...functionTool({ name, ...words, parameters: parameters as JsonObject }, place),
    ...readCacheControl(control, place),
  };
}

function readChoice(value: unknown): { toolChoice?: ToolChoice; parallelCalls?: boolean | undefined } {
  if (value === undefined) return {};
  const { type, shape } = shapeFor<Reader>(choices, value, "tool_choice");
  const { name, disable_parallel_tool_use: single } = shape.read(value, "tool_choice");
  const parallelCalls = single === undefined ? undefined : single === false;
  if (type === "tool") return { toolChoice: { mode: "named", toolName: String(name) }, parallelCalls };
  const mode = type === "any" ? "required" : (type as "auto" | "none");
  return { toolChoice: { mode }, parallelCalls };
}

/** Thinking without a budget uses the vendor's default. */
function readThinking(
  value: unknown,
  effort: string | undefined,
): { reasoningEffort?: string | undefined; thinkingBudget?: number | undefined } {
  if (value === undefined) return { reasoningEffort: effort };
  const { type, shape } = shapeFor<Reader>(thinkings, value, "thinking");
  const { budget_tokens: budget } = shape.read(value, "thinking");
  if (type === "disabled") return { reasoningEffort: "off" };
  if (typeof budget !== "number") return { reasoningEffort: effort ?? "high" };
  return { reasoningEffort: effort ?? effortFor(budget), thinkingBudget: budget };
}

/** The effort for a token budget, for vendors that take no number. */
function effortFor(budget: number): string {
  if (budget <= 4096) return "low";
  return budget <= 10_240 ? "medium" : "high";
}

function readFormat(value: unknown): { responseFormat?: ResponseFormat } {
  if (value === undefined) return {};
  const { schema } = format.read(value, "output_config.format");
  return { responseFormat: { type: "json_schema", jsonSchema: schema as JsonObject } };
}
