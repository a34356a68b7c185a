// The system prompt in layers: base instructions of the profile, the available tools, sections of the host, the
// project's instructions, the user's own (last, with the highest precedence). Nothing volatile: the same session always
// renders the same text.

import type { ToolDefinition } from "@lathe/llm";

export interface PromptLayers {
  /** Comes first, even before a prompt that replaces the base. */
  readonly lead?: string | undefined;
  readonly base: string;
  readonly tools: readonly ToolDefinition[];
  readonly projectDocs?: string;
  readonly userInstructions?: string;
  readonly more?: MoreLayers | undefined;
}

/** What a host adds to the prompt of any profile. */
export interface MoreLayers {
  /** A prompt that replaces base and tools. */
  readonly customPrompt?: string | undefined;
  readonly sections?: readonly { readonly text: string }[] | undefined;
  /** Instruction files of the user. */
  readonly userDocs?: string | undefined;
  /** Names of the tools that the session offers; the prompt mentions no others. All of the profile's when absent. */
  readonly offered?: ReadonlySet<string> | undefined;
  /** Used if the profile has none of its own. */
  readonly userInstructions?: string | undefined;
  readonly arrange?: ArrangePrompt | undefined;
}

/** Lets a host remove, change, add or reorder the blocks of the system prompt. */
export type ArrangePrompt = (blocks: readonly string[]) => readonly string[];

export function systemPrompt(layers: PromptLayers): string {
  const { customPrompt, sections: further = [], userDocs, userInstructions, offered, arrange } = layers.more ?? {};
  const sections = [(customPrompt ?? without(layers.base, layers.tools, offered)).trim()];
  const tools = layers.tools.filter(({ name }) => offered?.has(name) ?? true);
  if (customPrompt === undefined && tools.length > 0)
    sections.push(`## Available tools\n\n${tools.map(toolLine).join("\n")}`);
  sections.push(...further.map(({ text }) => text.trim()));
  if (layers.projectDocs) sections.push(`## Project instructions\n\n${layers.projectDocs}`);
  const own = [userDocs, (layers.userInstructions ?? userInstructions)?.trim()].filter(
    (text) => text !== undefined && text !== "",
  );
  if (own.length > 0) sections.push(`## User instructions\n\n${own.join("\n\n")}`);
  const arranged = arrange?.(sections) ?? sections;
  return (layers.lead === undefined ? arranged : [layers.lead, ...arranged]).join("\n\n");
}

/** Removes list lines about tools that are not offered: those that begin with such a tool's name. */
function without(base: string, tools: readonly ToolDefinition[], offered: ReadonlySet<string> | undefined): string {
  const missing = new Set(tools.flatMap(({ name }) => (offered?.has(name) === false ? [name] : [])));
  if (missing.size === 0) return base;
  const isAbout = (line: string): boolean => missing.has(/^- `(\w+)`/.exec(line)?.[1] ?? "");
  return base
    .split("\n")
    .filter((line) => !isAbout(line))
    .join("\n");
}

/** Only the first sentence, because the whole description is in the tool's definition. */
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
