// Reads the body of POST /v1/chat/completions.

import {
  anyObject,
  choice,
  exactly,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  oneOf,
  optional,
  text,
} from "../../schema/define.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { Request, ResponseFormat, ToolChoice, ToolDefinition } from "../../types/request.ts";
import { fieldAt, type Reader, refuse, Shape, shapeFor } from "../common/read.ts";
import { checkPairs, checkTools, functionTool } from "../common/turns.ts";
import type { ServedRequest } from "../types.ts";
import { readMessage } from "./messages.ts";

const atLeastOne = integer({ minimum: 1 });

/** docs/gateway-formats.md lists its fields. */
export const chatBody = new Shape(
  {
    model: text({ minLength: 1, maxLength: 256 }),
    messages: listOf(anyObject(), { minItems: 1 }),
    max_tokens: optional(atLeastOne),
    max_completion_tokens: optional(atLeastOne),
    temperature: optional(number({ minimum: 0, maximum: 2 })),
    top_p: optional(number({ minimum: 0, maximum: 1 })),
    top_k: optional(atLeastOne),
    stop: optional(oneOf(text({ minLength: 1 }), listOf(text({ minLength: 1 }), { maxItems: 16 }))),
    stream: optional(flag()),
    stream_options: optional(anyObject()),
    tools: optional(listOf(anyObject())),
    tool_choice: optional(oneOf(choice(["auto", "none", "required"]), anyObject())),
    parallel_tool_calls: optional(flag()),
    response_format: optional(anyObject()),
    reasoning_effort: optional(text({ pattern: "^[a-z]{2,16}$" })),
    verbosity: optional(choice(["low", "medium", "high"])),
    seed: optional(integer()),
    frequency_penalty: optional(number({ minimum: -2, maximum: 2 })),
    presence_penalty: optional(number({ minimum: -2, maximum: 2 })),
    n: optional(exactly(1)),
    logprobs: optional(exactly(false)),
    modalities: optional(listOf(exactly("text"))),
    prompt_cache_key: optional(text({ maxLength: 256 })),
    metadata: optional(mapOf(text())),
  },
  {
    ignored: [
      ...["user", "safety_identifier", "store", "service_tier", "prediction", "moderation"],
      ...["prompt_cache_retention", "prompt_cache_options"],
    ],
    unsupported: {
      functions: "use tools",
      function_call: "use tool_choice",
      audio: "answers are text",
      logit_bias: "not every provider takes it",
      top_logprobs: "not every provider reports them",
      web_search_options: "define a tool for it",
    },
  },
);

const streamOptions = new Shape({ include_usage: optional(flag()) }, { ignored: ["include_obfuscation"] });
const tool = new Shape({ type: exactly("function"), function: anyObject() }, { ignored: ["cache_control"] });
const definition = new Shape(
  { name: text(), description: optional(text()), parameters: optional(anyObject()) },
  { ignored: ["strict"] },
);
const namedTool = new Shape({ type: exactly("function"), function: anyObject() });
const named = new Shape({ name: text() });
const formats = {
  text: new Shape({ type: exactly("text") }),
  json_object: new Shape({ type: exactly("json_object") }),
  json_schema: new Shape({ type: exactly("json_schema"), json_schema: anyObject() }),
};
const jsonSchema = new Shape(
  { name: text({ pattern: "^[a-zA-Z0-9_-]{1,64}$" }), schema: anyObject(), strict: optional(flag()) },
  { ignored: ["description"] },
);

export function readChat(value: JsonObject): ServedRequest {
  const fields = chatBody.read(value, "");
  const messages = fields.messages.map((message, at) => readMessage(message as JsonValue, `messages[${at}]`));
  checkPairs(messages, "messages");
  if (fields.max_tokens !== undefined && fields.max_completion_tokens !== undefined)
    refuse("max_tokens", "max_tokens and max_completion_tokens mean the same; send one of them.");
  const maxTokens = fields.max_completion_tokens ?? fields.max_tokens;
  const tools = fields.tools?.map((one, at) => readTool(one, `tools[${at}]`));
  const toolChoice = fields.tool_choice === undefined ? undefined : readChoice(fields.tool_choice);
  checkTools(tools, toolChoice);
  const stop = typeof fields.stop === "string" ? [fields.stop] : fields.stop;
  const request: Request = {
    model: fields.model,
    messages,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(fields.response_format === undefined ? {} : { responseFormat: readFormat(fields.response_format) }),
    ...(fields.temperature === undefined ? {} : { temperature: fields.temperature }),
    ...(fields.top_p === undefined ? {} : { topP: fields.top_p }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: stop }),
    ...(fields.reasoning_effort === undefined ? {} : { reasoningEffort: fields.reasoning_effort }),
    ...(fields.prompt_cache_key === undefined ? {} : { metadata: { session_id: fields.prompt_cache_key } }),
  };
  const { include_usage: includeUsage } = streamOptions.read(fields.stream_options ?? {}, "stream_options");
  return {
    request,
    stream: fields.stream === true,
    wishes: {
      parallelCalls: fields.parallel_tool_calls,
      topK: fields.top_k,
      seed: fields.seed,
      frequencyPenalty: fields.frequency_penalty || undefined,
      presencePenalty: fields.presence_penalty || undefined,
      verbosity: fields.verbosity,
      includeUsage,
    },
    dropped: fields.metadata === undefined ? [] : [{ what: "metadata", why: "nothing is stored here" }],
  };
}

function readTool(value: unknown, place: string): ToolDefinition {
  shapeFor({ function: tool }, value, place);
  const fields = definition.read(tool.read(value, place).function, `${place}.function`);
  return functionTool(fields as { name: string; parameters?: JsonObject }, `${place}.function`);
}

function readChoice(value: string | Readonly<Record<string, unknown>>): ToolChoice {
  if (typeof value === "string") return { mode: value as "auto" | "none" | "required" };
  shapeFor({ function: namedTool }, value, "tool_choice");
  return {
    mode: "named",
    toolName: named.read(namedTool.read(value, "tool_choice").function, "tool_choice.function").name,
  };
}

function readFormat(value: Readonly<Record<string, unknown>>): ResponseFormat {
  const place = "response_format";
  const { type, shape } = shapeFor<Reader>(formats, value, place);
  shape.read(value, place);
  if (type !== "json_schema") return { type: type === "text" ? "text" : "json" };
  const inner = jsonSchema.read(formats.json_schema.read(value, place).json_schema, fieldAt(place, "json_schema"));
  return {
    type: "json_schema",
    name: inner.name,
    jsonSchema: inner.schema as JsonObject,
    ...(inner.strict === undefined ? {} : { strict: inner.strict }),
  };
}
