// Entries in an agent's file that have no effect: unknown keys and tools, an output schema that is invalid. A session
// uses the rest of such a file.

import { FAMILIES, type Family, type FamilyName } from "@lathe/agent";
import { schemaProblem } from "@lathe/agent/session";
import type { JsonSchema } from "@lathe/llm";
import { namesOf } from "../../config/tool-names/tool-names.ts";
import { listIn, OUR_KEYS } from "../../found/agents/agent-file.ts";
import { SHORT_NAMES } from "../../found/agents/agent-tools.ts";
import type { Frontmatter } from "../../found/discovery/frontmatter.ts";
import { nearest } from "../../platform/usage/nearest.ts";

/** Tools besides those of the model families. */
const MORE_TOOLS = ["task", "irc", "yield", "report_finding", "edit", "read_address", "ssh", "web_search", "web_fetch"];

/** Lines for the user. */
export async function frontmatterProblems(frontmatter: Frontmatter): Promise<readonly string[]> {
  const keys = Object.keys(frontmatter).filter((key) => !OUR_KEYS.includes(key));
  const known = toolNames();
  const words = (listIn(frontmatter, "tools") ?? []).filter((word) => !isPattern(word) && !known.has(word));
  const { output } = frontmatter;
  const problem = output === undefined || output === null ? undefined : await schemaProblem(output as JsonSchema);
  return [
    ...keys.map((key) => `${key} is not a key of agent files${guess(key, OUR_KEYS)}`),
    ...words.map((word) => `tools: there is no tool ${word}${guess(word, [...known].filter(isOurs))}`),
    ...(problem === undefined ? [] : [`output is not a valid JSON Schema: ${problem}`]),
  ];
}

/** The tools of MCP servers are only known while the servers run. */
const isPattern = (word: string): boolean => word.includes("*") || word.startsWith("@") || word.startsWith("mcp__");

/** Other agents capitalize the names of their tools. */
const isOurs = (name: string): boolean => name === name.toLowerCase();

const guess = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
};

function toolNames(): ReadonlySet<string> {
  const families: readonly Family[] = (Object.keys(FAMILIES) as FamilyName[]).map((name) => FAMILIES[name]);
  const own = families.flatMap(({ tools }) => tools.map(({ name }) => name));
  return new Set([...SHORT_NAMES, ...[...own, ...MORE_TOOLS].flatMap(namesOf)]);
}
