// Tools with handlers: defines them, checks a call, and runs all calls of one answer in parallel.

import { messageOf } from "../errors/thrown.ts";
import { checkValue, type InferSchema, isStandard, jsonSchemaOf, type SchemaInput } from "../schema/typed.ts";
import { type Violation, violationOf, withoutOptionalNulls } from "../schema/validate.ts";
import { ConfigurationError, InvalidToolCallError } from "../types/errors.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { Message } from "../types/message.ts";
import type { ToolDefinition } from "../types/request.ts";
import type { ToolCall } from "../types/response.ts";

/** A tool for `generate` and `stream`; `defineTool` makes one whose handler knows the types of its arguments. */
export interface Tool extends ToolDefinition {
  /** If absent, the call is returned to the caller. An exception becomes an error result for the model. */
  readonly execute?:
    | (((args: JsonObject, context: ToolCallContext) => ToolOutput | Promise<ToolOutput>) | undefined)
    | undefined;
}

/** A tool whose arguments are described by a schema of any kind; the handler gets values of the schema's type. */
export interface TypedTool<S extends SchemaInput> extends Omit<Tool, "parameters" | "execute"> {
  readonly parameters: S;
  readonly execute?:
    | (((args: InferSchema<S>, context: ToolCallContext) => ToolOutput | Promise<ToolOutput>) | undefined)
    | undefined;
}

/** What a handler may return; everything but a string is sent as JSON. */
export type ToolOutput = string | JsonObject | JsonValue[] | number | boolean | null | undefined;

/** What a handler knows about its call. */
export interface ToolCallContext {
  readonly messages: readonly Message[];
  readonly abortSignal: AbortSignal;
  readonly toolCallId: string;
}

/** The result of one call, as it is sent back to the model. */
export interface ToolCallResult {
  readonly toolCallId: string;
  readonly content: string | JsonObject | readonly JsonValue[];
  readonly isError: boolean;
}

/** Gets a call with wrong arguments. Returns a better one, or undefined to let the model see the error. */
export type RepairToolCall = (
  call: ToolCall,
  error: InvalidToolCallError,
  tools: readonly Tool[],
) => ToolCall | undefined | Promise<ToolCall | undefined>;

/** Checks a tool and prepares it for calls. */
export function defineTool<const S extends SchemaInput>({ execute, ...tool }: TypedTool<S>): Tool {
  const parameters = jsonSchemaOf(tool.parameters);
  const defined = { ...tool, parameters };
  checkTool(defined);
  if (execute === undefined) return defined;
  // A call is checked against the JSON Schema before it runs; other kinds of schemas can check and convert more.
  if (!isStandard(tool.parameters)) return { ...defined, execute: execute as NonNullable<Tool["execute"]> };
  return {
    ...defined,
    execute: async (args, context) => {
      const checked = await checkValue(tool.parameters, parameters, args);
      if (checked.violation !== undefined) throw invalidArguments(tool.name, checked.violation);
      return execute(checked.value, context);
    },
  };
}

function checkTool(tool: Tool): void {
  if (!/^[a-zA-Z]/.test(tool.name))
    throw new ConfigurationError(`The tool name "${tool.name}" must begin with a letter.`);
  if (!/^[a-zA-Z0-9_]*$/.test(tool.name))
    throw new ConfigurationError(`The tool name "${tool.name}" may only contain letters, digits and underscores.`);
  if (tool.name.length > 64) throw new ConfigurationError(`The tool name "${tool.name}" is longer than 64 characters.`);
  if (tool.parameters["type"] !== "object")
    throw new ConfigurationError(`The parameters of tool "${tool.name}" must be a schema of type "object".`);
}

export function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const tool of tools) {
    checkTool(tool);
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
  if (violation !== undefined) throw invalidArguments(call.name, violation);
  return args;
}

function invalidArguments(name: string, { message }: Violation): InvalidToolCallError {
  return new InvalidToolCallError(`Invalid arguments for ${name}: ${message}.`);
}

export interface ToolRun {
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  readonly repair?: RepairToolCall | undefined;
}

/** Starts all calls together. Results come in call order; one failure does not affect the others. */
export function runToolCalls(calls: readonly ToolCall[], run: ToolRun): Promise<ToolCallResult[]> {
  return Promise.all(calls.map((call) => runToolCall(call, run)));
}

async function runToolCall(call: ToolCall, run: ToolRun): Promise<ToolCallResult> {
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
    return { toolCallId: call.id, content: messageOf(error), isError: true };
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

function toContent(output: ToolOutput): ToolCallResult["content"] {
  if (typeof output === "string") return output;
  if (typeof output === "object" && output !== null) return output;
  return output === undefined ? "" : JSON.stringify(output);
}

export function toResultMessage(result: ToolCallResult): Message {
  return Message.toolResult(result);
}
