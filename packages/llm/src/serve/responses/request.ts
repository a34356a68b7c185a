// Reads the body of POST /v1/responses. Nothing is stored here, so a conversation must come in full.

import {
  anyObject,
  anything,
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
import type { JsonObject } from "../../types/json.ts";
import type { Message } from "../../types/message.ts";
import type { Request, ResponseFormat, ToolChoice, ToolDefinition } from "../../types/request.ts";
import { type Reader, Shape, shapeFor } from "../common/read.ts";
import { checkName, checkPairs, checkTools, functionTool, NOT_EDITED } from "../common/turns.ts";
import type { Dropped, ServedRequest } from "../types.ts";
import { readItems } from "./items.ts";
import { choiceShapes, formatShapes, toolShapes } from "./parameters.ts";

const NOT_STORED = "nothing is stored here; send the whole conversation as input";

/** docs/gateway-formats.md lists its fields. */
export const responsesBody = new Shape(
  {
    model: text({ minLength: 1, maxLength: 256 }),
    input: oneOf(text(), listOf(anyObject(), { minItems: 1 })),
    instructions: optional(text()),
    max_output_tokens: optional(integer({ minimum: 1 })),
    temperature: optional(number({ minimum: 0, maximum: 2 })),
    top_p: optional(number({ minimum: 0, maximum: 1 })),
    stream: optional(flag()),
    tools: optional(listOf(anyObject())),
    tool_choice: optional(oneOf(choice(["auto", "none", "required"]), anyObject())),
    parallel_tool_calls: optional(flag()),
    reasoning: optional(anyObject()),
    text: optional(anyObject()),
    store: optional(flag()),
    background: optional(exactly(false)),
    truncation: optional(choice(["disabled", "auto"])),
    prompt_cache_key: optional(text({ maxLength: 256 })),
    metadata: optional(mapOf(text())),
    context_management: optional(anything()),
  },
  {
    // Encrypted reasoning is always included.
    ignored: [
      ...[
        "include",
        "user",
        "client_metadata",
        "safety_identifier",
        "service_tier",
        "stream_options",
        "max_tool_calls",
        "moderation",
      ],
      ...["prompt_cache_retention", "prompt_cache_options"],
    ],
    unsupported: {
      previous_response_id: NOT_STORED,
      conversation: NOT_STORED,
      prompt: "no prompts are stored here; send instructions and input",
      top_logprobs: "not every provider reports them",
    },
  },
);
const reasoning = new Shape(
  { effort: optional(text({ pattern: "^[a-z]{2,16}$" })) },
  {
    ignored: ["summary", "generate_summary", "context", "mode"],
  },
);
const textOptions = new Shape({
  format: optional(anyObject()),
  verbosity: optional(choice(["low", "medium", "high"])),
});

export function readResponses(value: JsonObject): ServedRequest {
  const fields = responsesBody.read(value, "");
  const said: readonly Message[] =
    typeof fields.input === "string"
      ? [{ role: "user", content: [{ kind: "text", text: fields.input }] }]
      : readItems(fields.input);
  checkPairs(said, "input");
  const system: readonly Message[] =
    fields.instructions === undefined || fields.instructions === ""
      ? []
      : [{ role: "system", content: [{ kind: "text", text: fields.instructions }] }];
  const tools = fields.tools?.map((tool, at) => readTool(tool, `tools[${at}]`));
  const toolChoice = fields.tool_choice === undefined ? undefined : readChoice(fields.tool_choice);
  checkTools(tools, toolChoice);
  const { effort } = reasoning.read(fields.reasoning ?? {}, "reasoning");
  const { format, verbosity } = textOptions.read(fields.text ?? {}, "text");
  const request: Request = {
    model: fields.model,
    messages: [...system, ...said],
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(format === undefined ? {} : { responseFormat: readFormat(format) }),
    ...(fields.temperature === undefined ? {} : { temperature: fields.temperature }),
    ...(fields.top_p === undefined ? {} : { topP: fields.top_p }),
    ...(fields.max_output_tokens === undefined ? {} : { maxTokens: fields.max_output_tokens }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...(fields.prompt_cache_key === undefined ? {} : { metadata: { session_id: fields.prompt_cache_key } }),
  };
  const dropped: Dropped[] = [];
  if (fields.store === true) dropped.push({ what: "store", why: "nothing is stored here" });
  if (fields.metadata !== undefined && Object.keys(fields.metadata).length > 0)
    dropped.push({ what: "metadata", why: "nothing is stored here" });
  if (fields.context_management !== undefined) dropped.push(NOT_EDITED);
  if (fields.truncation === "auto")
    dropped.push({ what: "truncation", why: "a conversation that is too long is refused" });
  return {
    request,
    stream: fields.stream === true,
    wishes: { parallelCalls: fields.parallel_tool_calls, verbosity },
    dropped,
  };
}

function readTool(value: unknown, place: string): ToolDefinition {
  const { type } = shapeFor<unknown>(toolShapes, value, place);
  if (type === "function")
    return functionTool(toolShapes.function.read(value, place) as { name: string; parameters?: JsonObject }, place);
  const { name, description = "", format } = toolShapes.custom.read(value, place);
  checkName(name, place);
  const grammar = format === undefined || format["type"] === "text" ? {} : { format: format as JsonObject };
  return { name, description, type: "custom", parameters: { type: "object", properties: {} }, ...grammar };
}

function readChoice(value: string | Readonly<Record<string, unknown>>): ToolChoice {
  if (typeof value === "string") return { mode: value as "auto" | "none" | "required" };
  const { shape } = shapeFor<(typeof choiceShapes)["function"] | (typeof choiceShapes)["custom"]>(
    choiceShapes,
    value,
    "tool_choice",
  );
  return { mode: "named", toolName: shape.read(value, "tool_choice").name };
}

function readFormat(value: unknown): ResponseFormat {
  const place = "text.format";
  const { type, shape } = shapeFor<Reader>(formatShapes, value, place);
  shape.read(value, place);
  if (type !== "json_schema") return { type: type === "text" ? "text" : "json" };
  const { name, schema, strict } = formatShapes.json_schema.read(value, place);
  return {
    type: "json_schema",
    name,
    jsonSchema: schema as JsonObject,
    ...(strict === undefined ? {} : { strict }),
  };
}
