// The published schemas, one file each, from the same definitions as the types. Shared parts are defined once per file.

import { type JsonSchema, registryConfigSchema } from "@lathe/llm";
import { exactly, integer, object, optional, text } from "@lathe/llm/schema";
import { themeSchema } from "@lathe/tui";
import { settingsSchema } from "../../config/settings/document.ts";
import { mcpFileSchema } from "../../found/discovery/mcp-server-fields.ts";
import { agentRow } from "../wire/agent-row.ts";
import { EVENTS } from "../wire/events.ts";
import { wireMessage } from "../wire/message.ts";
import { wireResult } from "../wire/result.ts";
import { wireReview } from "../wire/review.ts";
import { COMMANDS, modelRow, sessionState } from "./commands.ts";
import { INBOUND, OUTBOUND, responseError } from "./frames.ts";
import { mapValues, type Named, withSharedParts } from "./shared-parts.ts";

/** Parts that several schemas share, by name. */
export const SHARED: Named = {
  Agent: agentRow,
  Message: wireMessage,
  Model: modelRow,
  SessionState: sessionState,
};

/** The content of each file in the package's schemas folder. */
export function schemaFiles(): Readonly<Record<string, JsonSchema>> {
  const events = EVENTS;
  return {
    "result.json": file("The last line of lathe --mode json", { result: wireResult }),
    "events.json": file("An event of the agent", events),
    "json-line.json": file("A line of lathe --mode json", {
      session: HEADER,
      ...mapValues(events, withTimestamp),
      interrupted: withTimestamp(object({ type: exactly("interrupted") })),
      error: withTimestamp(object({ type: exactly("error"), message: text() })),
      result: wireResult,
    }),
    "rpc-commands.json": file("A command to lathe --mode rpc", {
      ...Object.fromEntries(
        Object.entries(COMMANDS).map(([name, { params }]) => [
          name,
          object({ type: exactly(name), id: optional(text()), ...params }),
        ]),
      ),
      ...INBOUND,
    }),
    "rpc-replies.json": file("A reply of lathe --mode rpc", {
      ...mapValues(COMMANDS, ({ data }, name) => reply(name, data)),
      failure: {
        type: "object",
        properties: { ...REPLY, command: text(), success: { const: false }, error: responseError },
        required: ["type", "command", "success", "error"],
        additionalProperties: false,
      },
    }),
    "rpc-frames.json": file("A line that lathe --mode rpc writes, replies aside", OUTBOUND),
    "review.json": file("What lathe review --json prints", { review: wireReview }),
    "theme.json": themeSchema() as JsonSchema,
    "config.json": { ...DIALECT, title: "Settings of Lathe: config.yml", ...settingsSchema() },
    "models.json": { ...DIALECT, title: "Providers and models of Lathe: models.yml", ...registryConfigSchema },
    "mcp.json": { ...DIALECT, title: "MCP servers of Lathe: mcp.json", ...mcpFileSchema },
  };
}

const DIALECT = { $schema: "https://json-schema.org/draft/2020-12/schema" };

const REPLY = { id: text(), type: { const: "response" } };

/** `not: {}` means that a successful reply has no data. */
function reply(command: string, data: JsonSchema): JsonSchema {
  const carries = !("not" in data);
  return {
    type: "object",
    properties: { ...REPLY, command: { const: command }, success: { const: true }, ...(carries ? { data } : {}) },
    required: ["type", "command", "success", ...(carries ? ["data"] : [])],
    additionalProperties: false,
  };
}

/** The first line of a session file; fields of later versions are accepted. */
const HEADER: JsonSchema = {
  type: "object",
  properties: {
    type: { const: "session" },
    version: { type: "integer" },
    id: text(),
    timestamp: text(),
    cwd: text(),
  },
  required: ["type", "version", "id", "timestamp", "cwd"],
};

function withTimestamp(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    properties: { ...(schema["properties"] as Named), timestamp: integer() },
    required: [...(schema["required"] as string[]), "timestamp"],
  };
}

function file(title: string, kinds: Named): JsonSchema {
  const { kinds: named, used } = withSharedParts(kinds, SHARED, "#/$defs/");
  return {
    ...DIALECT,
    title,
    anyOf: Object.keys(named).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: { ...named, ...used },
  };
}
