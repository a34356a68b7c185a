// A server's tool as a tool of the session. We cannot control what it does, so every call needs approval unless a rule
// allows it (`mcp__server__*`); the server's own claims only change what is shown.

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
    // The server's own deadline applies, which pauses while the user answers the server.
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

/** Used for failed calls and other requests. */
export function failureText({ name, state }: Server, error: unknown): string {
  if (state.kind === "signed-out")
    return `The MCP server ${name} needs a sign-in. The user can run: /mcp login ${name}`;
  const { code } = error as { code?: unknown };
  // If the connection was lost, the state says why.
  const isLost = code === "CONNECTION_CLOSED" && state.kind === "failed";
  const why = sentence(isLost ? state.reason : problemOf(error));
  // A numeric code means that the server itself answered.
  return typeof code === "number"
    ? `The MCP server ${name} refused: ${why}`
    : `The MCP server ${name} failed: ${why} If it was at work, what it did is not known.`;
}

/** Values of required fields with a default, which models tend to leave out. */
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

/** Makes such fields optional. Also sets the root's type, because vendors refuse a root that is not an object. */
function withoutDefaulted(schema: JsonSchema): JsonSchema {
  const { required } = schema;
  const filled = requiredDefaults(schema);
  if (!Array.isArray(required) || Object.keys(filled).length === 0) return { ...schema, type: "object" };
  return { ...schema, type: "object", required: required.filter((name) => !Object.hasOwn(filled, String(name))) };
}
