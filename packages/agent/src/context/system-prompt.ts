// The system prompt in layers: base instructions of the profile, the available tools, the project's instructions, the user's own
// (last, with the highest precedence). Nothing volatile: the same session always renders the same text.

import type { ToolDefinition } from "@lathe/llm";

export interface PromptLayers {
  readonly base: string;
  readonly tools: readonly ToolDefinition[];
  readonly projectDocs?: string;
  readonly userInstructions?: string;
}

export function systemPrompt(layers: PromptLayers): string {
  const sections = [layers.base.trim()];
  if (layers.tools.length > 0) sections.push(`## Available tools\n\n${layers.tools.map(toolLine).join("\n")}`);
  if (layers.projectDocs) sections.push(`## Project instructions\n\n${layers.projectDocs}`);
  if (layers.userInstructions) sections.push(`## User instructions\n\n${layers.userInstructions.trim()}`);
  return sections.join("\n\n");
}

/** The first sentence; the whole description is in the tool's definition. */
function toolLine({ name, description }: ToolDefinition): string {
  return `- \`${name}\`: ${inOneLine(description.slice(0, sentenceEnd(description)))}`;
}

function sentenceEnd(text: string): number {
  const mark = text.search(/[.!?](?:\s|$)/);
  return mark === -1 ? text.length : mark + 1;
}

function inOneLine(text: string): string {
  return /\s\s|[\n\t]/.test(text) ? text.replace(/\s+/g, " ").trim() : text.trim();
}
