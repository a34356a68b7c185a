// Tools with handlers: definition, checking of a call, and running all calls of one answer side by side.

import { violationOf, withoutOptionalNulls } from "../schema/validate.ts";
import { ConfigurationError, InvalidToolCallError } from "../types/errors.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { Message } from "../types/message.ts";
import type { ToolDefinition } from "../types/request.ts";
import type { ToolCall } from "../types/response.ts";

export interface Tool extends ToolDefinition {
  /** Absent: the call is handed back to the caller. A throw becomes an error result for the model. */
  readonly execute?: (args: JsonObject, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
}

export type ToolOutput = string | JsonObject | JsonValue[] | number | boolean | null | undefined;

export interface ToolContext {
  readonly messages: readonly Message[];
  readonly abortSignal: AbortSignal;
  readonly toolCallId: string;
}

export interface ToolResult {
  readonly toolCallId: string;
  readonly content: string | JsonObject | readonly JsonValue[];
  readonly isError: boolean;
}

export type RepairToolCall = (
  call: ToolCall,
  error: InvalidToolCallError,
  tools: readonly Tool[],
) => ToolCall | undefined | Promise<ToolCall | undefined>;

export function defineTool(tool: Tool): Tool {
  if (!/^[a-zA-Z]/.test(tool.name))
    throw new ConfigurationError(`The tool name "${tool.name}" must begin with a letter.`);
  if (!/^[a-zA-Z0-9_]*$/.test(tool.name))
    throw new ConfigurationError(`The tool name "${tool.name}" may only hold letters, digits and underscores.`);
  if (tool.name.length > 64) throw new ConfigurationError(`The tool name "${tool.name}" is longer than 64 characters.`);
  if (tool.parameters["type"] !== "object")
    throw new ConfigurationError(`The parameters of tool "${tool.name}" must be a schema of type "object".`);
  return tool;
}

export function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const tool of tools) {
    defineTool(tool);
    if (names.has(tool.name)) throw new ConfigurationError(`Two tools are named "${tool.name}".`);
    names.add(tool.name);
  }
}

/** The checked arguments of a call, or InvalidToolCallError. */
export async function checkToolCall(call: ToolCall, tools: readonly Tool[]): Promise<JsonObject> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) throw new InvalidToolCallError(`Unknown tool: ${call.name}`);
  if (tool.type === "custom") return call.arguments;
  if (call.rawArguments !== undefined)
    throw new InvalidToolCallError(
      `The arguments of ${call.name} are not a JSON object. Send the call again with complete, valid JSON.`,
    );
  const args = withoutOptionalNulls(tool.parameters, call.arguments) as JsonObject;
  const violation = await violationOf(tool.parameters, args);
  if (violation !== undefined)
    throw new InvalidToolCallError(`Invalid arguments for ${call.name}: ${violation.path} ${violation.message}.`);
  return args;
}

export interface ToolRun {
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  readonly repair?: RepairToolCall;
}

/** All calls start together; results come in call order; one failure does not touch the others. */
export function runToolCalls(calls: readonly ToolCall[], run: ToolRun): Promise<ToolResult[]> {
  return Promise.all(calls.map((call) => runToolCall(call, run)));
}

async function runToolCall(call: ToolCall, run: ToolRun): Promise<ToolResult> {
  try {
    const { checked, args } = await checkOrRepair(call, run);
    const tool = run.tools.find(({ name }) => name === checked.name);
    const output = await tool?.execute?.(args, {
      messages: run.messages,
      abortSignal: run.signal,
      toolCallId: call.id,
    });
    return { toolCallId: call.id, content: toContent(output), isError: false };
  } catch (error) {
    return { toolCallId: call.id, content: error instanceof Error ? error.message : String(error), isError: true };
  }
}

async function checkOrRepair(call: ToolCall, run: ToolRun): Promise<{ checked: ToolCall; args: JsonObject }> {
  try {
    return { checked: call, args: await checkToolCall(call, run.tools) };
  } catch (error) {
    if (!(error instanceof InvalidToolCallError) || run.repair === undefined) throw error;
    const repaired = await run.repair(call, error, run.tools);
    if (repaired === undefined) throw error;
    return { checked: repaired, args: await checkToolCall(repaired, run.tools) };
  }
}

function toContent(output: ToolOutput): ToolResult["content"] {
  if (typeof output === "string") return output;
  if (typeof output === "object" && output !== null) return output;
  return output === undefined ? "" : JSON.stringify(output);
}

export function toResultMessage(result: ToolResult): Message {
  return Message.toolResult(result);
}
