// The forms in which a host passes a tool to a session, and the one form that the loop knows.

import {
  checkValue,
  type InferSchema,
  InvalidToolCallError,
  type JsonObject,
  jsonSchemaOf,
  type SchemaInput,
  type Tool,
  type ToolDefinition,
} from "@lathe/llm";
import { SessionError } from "../session-error.ts";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../tool.ts";

/**
 * What every registration accepts: a tool of `@lathe/llm` (made by `defineTool`; runs as tier `exec`, is never
 * replayed), or a `ToolDef` that declares more about itself (written out, or made by `defineSessionTool`).
 */
export type SessionTool =
  // This discriminates the two, so that the arguments of a tool written inline have types.
  (ToolDef & { readonly parameters?: undefined }) | (Tool & { readonly schema?: undefined });

/**
 * A tool for `defineSessionTool`: `execute` gets the type that the schema describes; the rest is as in `ToolDef`, with
 * defaults.
 */
export interface SessionToolSpec<S extends SchemaInput>
  extends Omit<ToolDef, "schema" | "label" | "tier" | "replay" | "execute"> {
  /** TypeBox, zod or another standard schema, or plain JSON Schema; the root type must be `object`. */
  readonly parameters: S;
  /** The name if absent. */
  readonly label?: string | undefined;
  /** `exec` if absent. */
  readonly tier?: ToolDef["tier"] | undefined;
  /** `never` if absent. */
  readonly replay?: ToolDef["replay"] | undefined;
  execute(args: InferSchema<S>, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

/** Makes a tool that works with the session (environment, live output, services), with typed and checked arguments. */
export function defineSessionTool<const S extends SchemaInput>(spec: SessionToolSpec<S>): ToolDef {
  const { parameters, label = spec.name, tier = "exec", replay = "never", execute, ...rest } = spec;
  const schema = jsonSchemaOf(parameters);
  return {
    ...rest,
    label,
    tier,
    replay,
    schema,
    async execute(args, context) {
      // The session has checked the JSON Schema; a standard schema may demand more and may transform values.
      const { value, violation } = await checkValue(parameters, schema, args);
      if (violation) throw new ToolFailure(`Invalid arguments for tool: ${rest.name}\n${violation.message}`);
      return execute(value as InferSchema<S>, context);
    },
  };
}

/** The definition of a tool that the model gets. */
export function definitionOf(tool: SessionTool): ToolDefinition {
  if (tool.schema) return { name: tool.name, description: tool.description, parameters: tool.schema };
  const { execute: _, ...definition } = tool;
  return definition;
}

/** The form that the loop runs. */
export function toolDefOf(tool: SessionTool): ToolDef {
  if (tool.schema) return tool;
  const { name, description, parameters, execute } = tool;
  if (execute === undefined)
    throw new SessionError("tool_name", `tool ${name} has no execute: a session runs its tools itself`);
  return {
    name,
    label: name,
    description,
    schema: parameters,
    tier: "exec",
    replay: "never",
    execute: (args, context) => runTool(execute, args, context),
  };
}

async function runTool(run: NonNullable<Tool["execute"]>, args: JsonObject, context: ToolContext): Promise<string> {
  const { callId: toolCallId, signal: abortSignal } = context;
  try {
    const output = await run(args, { toolCallId, abortSignal, messages: context.messages() });
    // Undefined: the tool ran for its effect and has no output.
    return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  } catch (error) {
    throw error instanceof InvalidToolCallError ? new ToolFailure(error.message) : error;
  }
}
