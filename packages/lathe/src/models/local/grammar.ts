// Asks a local model again for a call that could not be read, this time with a grammar. Only then, because a grammar
// from the first token on would cut off its thinking. The request contains only the call, so it fits any window.

import type { ReadVerdict, SeamContext, UnreadableCall } from "@lathe/agent";
import { isJsonObject, type JsonObject, Message, parseJson, type ToolDefinition, violationOf } from "@lathe/llm";
import prompt from "./call-again.md";

const TRIES = 2;
/** Limit for the model's text: its beginning shows what was meant. */
const MOST_CHARS = 6_000;
const TIMEOUT_MS = 300_000;

export async function readUnderGrammar(
  { name, written, tools }: UnreadableCall,
  context: SeamContext,
): Promise<ReadVerdict> {
  const known = tools.filter((tool) => tool.name === name);
  const possible = (known.length > 0 ? known : tools).filter(({ type }) => type !== "custom");
  if (possible.length === 0) return undefined;
  const jsonSchema = callSchema(possible);
  const request = `${possible.map(signature).join("\n")}\n\nThe call that could not be read:\n\n${written.slice(0, MOST_CHARS)}`;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const { text, finish } = await context.callModel("call", {
        messages: [Message.system(prompt.trim()), Message.user(request)],
        responseFormat: { type: "json_schema", name: "call", jsonSchema },
        timeoutMs: TIMEOUT_MS,
        patience: { tries: 1, withinMs: TIMEOUT_MS },
      });
      const call = finish === "length" ? undefined : await callIn(text, jsonSchema);
      if (call) return call;
    } catch {
      context.signal.throwIfAborted();
      // The server does not support grammars: the call is refused as before, and the model reads why.
      return undefined;
    }
  }
  return undefined;
}

/** One object schema per tool: its name and its arguments. */
function callSchema(tools: readonly ToolDefinition[]): JsonObject {
  const one = ({ name, parameters }: ToolDefinition): JsonObject => ({
    type: "object",
    properties: { name: { type: "string", enum: [name] }, arguments: parameters },
    required: ["name", "arguments"],
    additionalProperties: false,
  });
  return tools.length === 1 ? one(tools[0]!) : { anyOf: tools.map(one) };
}

const signature = ({ name, parameters }: ToolDefinition): string =>
  `${name}: ${JSON.stringify(parameters["properties"] ?? {})}`;

/** A server that ignores the schema may answer anything. */
async function callIn(text: string, schema: JsonObject): Promise<ReadVerdict> {
  const value = parseJson(text.trim());
  if (!isJsonObject(value) || (await violationOf(schema, value))) return undefined;
  return { name: value["name"] as string, arguments: value["arguments"] as JsonObject };
}
