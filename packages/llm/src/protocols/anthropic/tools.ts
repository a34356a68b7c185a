// Tool definitions and tool choice in Anthropic's form.

import { InvalidRequestError } from "../../types/errors.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { EncodeInput } from "../../types/protocol.ts";
import type { Request, ToolDefinition } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";
import { encodeJson } from "../common/encode-json.ts";
import type { Block } from "./blocks.ts";
import { toAnthropicStrict } from "./schema.ts";

/** A free-form tool becomes a function with one text argument if the vendor has no such kind. */
export const freeFormSchema: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** Limits for enforced schemas in one request; tools beyond them are sent without enforcement. */
const strictLimits = { tools: 20, optional: 24, unions: 16 };

export function encodeTools(tools: readonly ToolDefinition[], input: EncodeInput): Block[] {
  const left = { ...strictLimits };
  return tools.map((tool) => {
    const parameters = tool.type === "custom" ? freeFormSchema : tool.parameters;
    const strict = input.options.disableStrictTools ? undefined : toAnthropicStrict(parameters);
    const enforced =
      strict !== undefined && left.tools > 0 && strict.optional <= left.optional && strict.unions <= left.unions;
    if (enforced) {
      left.tools -= 1;
      left.optional -= strict.optional;
      left.unions -= strict.unions;
    }
    const json: JsonObject = {
      name: tool.name,
      description: tool.description,
      input_schema: enforced ? strict.schema : parameters,
      ...(enforced ? { strict: true } : {}),
      ...(input.model.supportsEagerToolInputStreaming ? { eager_input_streaming: true } : {}),
    };
    return {
      text: encodeJson(json),
      markable: true,
      ...(tool.cacheControl ? { marker: tool.cacheControl } : {}),
    };
  });
}

/**
 * Placeholder definitions if the history has tool blocks but the request has no tools, because both vendors refuse tool
 * blocks without definitions. Otherwise none.
 */
export function formerTools(history: { hasToolBlocks: boolean; calledTools: ReadonlySet<string> }): ToolDefinition[] {
  if (!history.hasToolBlocks) return [];
  const names = history.calledTools.size > 0 ? [...history.calledTools] : ["former_tool"];
  const description = "Was used earlier in this conversation and can no longer be called.";
  return names.map((name) => ({ name, description, parameters: { type: "object", properties: {} } }));
}

export function assertNamedTool(request: Request, provider: string): void {
  const choice = request.toolChoice;
  if (choice?.mode !== "named") return;
  if (!choice.toolName || !request.tools?.some((tool) => tool.name === choice.toolName)) {
    const known = request.tools?.map((tool) => tool.name).join(", ") || "none";
    throw new InvalidRequestError(`tool choice names ${choice.toolName || "no tool"}; known tools: ${known}`, {
      provider,
    });
  }
}

/** Newer models decide themselves whether to call a tool, so a forced choice becomes `auto`. */
export function withoutForce(input: EncodeInput, warnings: Warning[]): EncodeInput {
  const mode = input.request.toolChoice?.mode;
  if (!input.model.refusesForcedTools || (mode !== "required" && mode !== "named")) return input;
  warnings.push({
    message: `tool choice ${mode} was sent as auto: ${input.model.id} does not accept forced tool calls`,
    code: "unsupported_parameter",
  });
  return { ...input, request: { ...input.request, toolChoice: { mode: "auto" } } };
}

export function encodeToolChoice(choice: Request["toolChoice"]): JsonValue | undefined {
  switch (choice?.mode) {
    case "auto":
      return { type: "auto" };
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any" };
    case "named":
      return { type: "tool", name: choice.toolName };
    default:
      return undefined;
  }
}
