// Cuts a server's lists down to what we can offer: names, descriptions and schemas of limited size. Everything beyond
// is left out.

import type { JsonSchema } from "@lathe/llm";
import type { Prompt, Tool } from "@modelcontextprotocol/client";
import { MOST_DESCRIPTION_CHARS, MOST_PROMPTS, MOST_SCHEMA_CHARS, MOST_TOOLS } from "./limits.ts";
import type { ListedPrompt, ListedTool, ServerConfig } from "./types.ts";

export function listTools(
  tools: readonly Tool[],
  { includeTools, excludeTools = [] }: Pick<ServerConfig, "includeTools" | "excludeTools">,
): ListedTool[] {
  return tools
    .filter(({ name }) => (includeTools?.includes(name) ?? true) && !excludeTools.includes(name))
    .filter(({ inputSchema }) => JSON.stringify(inputSchema).length <= MOST_SCHEMA_CHARS)
    .slice(0, MOST_TOOLS)
    .map(({ name, title, description = "", inputSchema, annotations }) => {
      const shownTitle = title ?? annotations?.title;
      return {
        name,
        ...(shownTitle === undefined ? {} : { title: shownTitle.slice(0, 200).toWellFormed() }),
        description: cut(description),
        schema: inputSchema as JsonSchema,
        ...(annotations?.readOnlyHint ? { saysReadOnly: true } : {}),
      };
    });
}

export function listPrompts(prompts: readonly Prompt[]): ListedPrompt[] {
  return prompts.slice(0, MOST_PROMPTS).map(({ name, description, arguments: taken = [] }) => ({
    name,
    ...(description === undefined ? {} : { description: cut(description) }),
    arguments: taken.map((one) => ({ name: one.name, required: one.required ?? false })),
  }));
}

const cut = (text: string): string => text.slice(0, MOST_DESCRIPTION_CHARS).toWellFormed();
