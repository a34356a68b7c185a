// A server's tool as a tool of the session. It runs outside our control, so every call is asked about unless a rule allows it
// (`mcp__server__*`); what the server says of itself changes only what is shown.

import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@lathe/llm";
import { toolName } from "./names.ts";
import { problemOf } from "./problem.ts";
import { toolResult } from "./results.ts";
import type { Server } from "./server.ts";
import type { ListedTool } from "./types.ts";

export function mcpTool(server: Server, listed: ListedTool): ToolDef {
  const { name, title, description, saysReadOnly } = listed;
  const label = `${server.name}: ${title ?? name}`;
  return {
    name: toolName(server.name, name),
    label,
    description: description === "" ? `${title ?? name} (${server.name})` : description,
    schema: withoutDefaulted(listed.schema),
    tier: "exec",
    replay: "never",
    // The server's own deadline holds, which waits while a person answers the server.
    timeoutMs: 0,
    summary: (args) => JSON.stringify(args),
    card: (args, result) => ({
      verb: label,
      subject: Object.keys(args).length === 0 ? "" : JSON.stringify(args),
      ...(result ? { body: { kind: "output", text: result.text, keeps: "head", collapsed: 5 } } : {}),
    }),
    preview: (args) => ({
      lines: [
        { text: `${name} of the MCP server ${server.name}`, kind: "heading" },
        ...JSON.stringify(args, null, 2)
          .split("\n")
          .map((text) => ({ text })),
        ...(saysReadOnly ? [{ text: "The server marks this tool as read-only.", kind: "note" as const }] : []),
      ],
      shows: Object.keys(args),
    }),
    execute: (args, context) => call(server, name, { ...requiredDefaults(listed.schema), ...args }, context),
  };
}

async function call(server: Server, name: string, args: JsonObject, context: ToolContext): Promise<ToolResult> {
  try {
    const result = await server.request(
      context.signal,
      (client, options) => client.callTool({ name, arguments: args }, options),
      ({ message }) => message && context.onOutput(`${message}\n`, "stdout"),
    );
    return toolResult(result);
  } catch (error) {
    context.signal.throwIfAborted();
    throw new ToolFailure(failureText(server, error));
  }
}

/** Also for other requests than calls. */
export function failureText({ name, state }: Server, error: unknown): string {
  if (state.kind === "signed-out")
    return `The MCP server ${name} needs a sign-in. The user can run: /mcp login ${name}`;
  const { code } = error as { code?: unknown };
  // The connection was lost, and the state says why.
  const isLost = code === "CONNECTION_CLOSED" && state.kind === "failed";
  const why = sentence(isLost ? state.reason : problemOf(error));
  // A number is an answer of the server's own.
  return typeof code === "number"
    ? `The MCP server ${name} refused: ${why}`
    : `The MCP server ${name} failed: ${why} If it was at work, what it did is not known.`;
}

/** Fields that a server requires although it has a default for them: models leave these out. */
function requiredDefaults({ properties, required }: JsonSchema): JsonObject {
  if (!isJsonObject(properties) || !Array.isArray(required)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      required.includes(name) && isJsonObject(field) && field["default"] !== undefined
        ? [[name, field["default"] as JsonValue]]
        : [],
    ),
  );
}

/** Vendors refuse a schema whose root is no object. */
function withoutDefaulted(schema: JsonSchema): JsonSchema {
  const { required } = schema;
  const filled = requiredDefaults(schema);
  if (!Array.isArray(required) || Object.keys(filled).length === 0) return { ...schema, type: "object" };
  return { ...schema, type: "object", required: required.filter((name) => !Object.hasOwn(filled, String(name))) };
}
