// Reads and checks the frontmatter of an agent's file. An unusable file yields one sentence about what to fix.

import {
  type Decision,
  EXAMPLE,
  PERMISSION_MODES,
  type PermissionMode,
  type Rule,
  readRule,
} from "@lathe/agent/policy";
import { isJsonObject, isThinkingLevel, type JsonSchema } from "@lathe/llm";
import type { Frontmatter } from "../discovery/frontmatter.ts";
import type { MarkdownValue } from "../discovery/types.ts";

export interface AgentFile {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  /** Tool names as written in the file; undefined means all tools. */
  readonly tools?: readonly string[];
  readonly spawns: "*" | readonly string[];
  /** The first available one is used. */
  readonly models: readonly string[];
  readonly thinkingLevel?: string;
  readonly output?: JsonSchema;
  readonly blocking: boolean;
  readonly skills: readonly string[];
  /** False means that its tool `read` shows long files in full. */
  readonly summarizesReads?: boolean;
  readonly permissions: { readonly mode?: PermissionMode; readonly rules: readonly Rule[] };
  readonly budget?: Readonly<Partial<Record<BudgetKey, number>>>;
  readonly isolation?: string;
  readonly verify?: string;
  /** For an agent that is a program speaking ACP over stdin and stdout: the program and its arguments. */
  readonly acp?: readonly [string, ...string[]];
}

export const OUR_KEYS: readonly string[] = [
  ...["name", "description", "tools", "spawns", "model", "thinkingLevel", "output", "blocking", "autoloadSkills"],
  ...["permissions", "budget", "isolation", "verify", "read-summarize", "acp"],
];
/** Fields that a program decides for itself. */
const NOT_WITH_ACP = ["tools", "spawns", "model", "thinkingLevel", "read-summarize"];
const BUDGET_KEYS = ["tokens", "usd", "turns", "calls", "wallMs"] as const;
type BudgetKey = (typeof BUDGET_KEYS)[number];
const ISOLATION = ["none", "auto", "overlay", "reflink", "worktree", "container", "fuse-overlay"] as const;
const LONGEST_NAME = 64;
/** An agent from a plugin carries the plugin's name. */
const NAME = /^[A-Za-z][\w:-]*$/;

/** Returns the agent, or what is wrong with its file. */
export function readAgentFile(
  name: string,
  { frontmatter, body }: MarkdownValue,
  path: string,
): AgentFile | { readonly problem: string } {
  try {
    return read(name, frontmatter, body, path);
  } catch (error) {
    if (error instanceof FileProblem) return { problem: error.message };
    throw error;
  }
}

class FileProblem extends Error {}

function read(name: string, frontmatter: Frontmatter, body: string, path: string): AgentFile {
  if (!NAME.test(name) || name.length > LONGEST_NAME)
    throw new FileProblem(`the name ${JSON.stringify(name)} is not one word of letters, digits, "_" and "-"`);
  const description = textIn(frontmatter, "description")?.replace(/\s+/g, " ");
  if (description === undefined) throw new FileProblem("it has no description; say in one line when to use the agent");
  if (body === "") throw new FileProblem("it has no text below the frontmatter: that is the agent's prompt");
  const tools = listIn(frontmatter, "tools");
  const level = textIn(frontmatter, "thinkingLevel");
  if (level !== undefined && !isThinkingLevel(level)) throw new FileProblem(`thinkingLevel ${level} is not known`);
  const isolation = textIn(frontmatter, "isolation");
  if (isolation !== undefined && !(ISOLATION as readonly string[]).includes(isolation))
    throw new FileProblem(`isolation ${isolation} is not one of ${ISOLATION.join(", ")}`);
  const acp = acpIn(frontmatter);
  const output = outputIn(frontmatter);
  const budget = budgetIn(frontmatter);
  const verify = textIn(frontmatter, "verify");
  return {
    name,
    description,
    prompt: body,
    spawns: spawnsIn(frontmatter, tools),
    models: (listIn(frontmatter, "model") ?? []).filter((model) => model !== "inherit"),
    blocking: frontmatter["blocking"] === true,
    skills: listIn(frontmatter, "autoloadSkills") ?? [],
    permissions: permissionsIn(frontmatter, path),
    ...(frontmatter["read-summarize"] === false ? { summarizesReads: false } : {}),
    ...(tools === undefined || tools.includes("*") ? {} : { tools }),
    ...(level === undefined ? {} : { thinkingLevel: level }),
    ...(output === undefined ? {} : { output }),
    ...(budget === undefined ? {} : { budget }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(verify === undefined ? {} : { verify }),
    ...(acp === undefined ? {} : { acp }),
  };
}

function acpIn(frontmatter: Frontmatter): AgentFile["acp"] {
  const { acp: words, isolation } = frontmatter;
  if (words === undefined || words === null) return undefined;
  const isCommand = Array.isArray(words) && words.every((word) => typeof word === "string");
  const [program = "", ...args] = isCommand ? words : [];
  if (program.trim() === "") throw new FileProblem("acp is not a list of a program and its arguments");
  const other = NOT_WITH_ACP.find((key) => frontmatter[key] !== undefined && frontmatter[key] !== null);
  if (other !== undefined) throw new FileProblem(`acp: remove ${other}: the program has its own`);
  if (isolation === "none") throw new FileProblem("acp: remove isolation: none; the program works in an isolated copy");
  return [program, ...args];
}

function textIn(frontmatter: Frontmatter, key: string): string | undefined {
  const value = frontmatter[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new FileProblem(`${key} is not a text`);
  return value.trim() === "" ? undefined : value.trim();
}

/** Reads `a, b` or a YAML list. */
export function listIn(frontmatter: Frontmatter, key: string): readonly string[] | undefined {
  const value = frontmatter[key];
  if (value === undefined || value === null) return undefined;
  const words = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(words) || !words.every((word) => typeof word === "string"))
    throw new FileProblem(`${key} is neither a list nor words with commas between them`);
  return words.map((word) => word.trim()).filter((word) => word !== "");
}

/** An agent that has the tool for it may start any agent. */
function spawnsIn(frontmatter: Frontmatter, tools: readonly string[] | undefined): "*" | readonly string[] {
  const spawns = listIn(frontmatter, "spawns") ?? (tools?.some((tool) => /^(task|agent)$/i.test(tool)) ? ["*"] : []);
  return spawns.includes("*") ? "*" : spawns;
}

function outputIn({ output }: Frontmatter): JsonSchema | undefined {
  if (output === undefined || output === null) return undefined;
  if (!isJsonObject(output)) throw new FileProblem("output is not a JSON Schema");
  return output as JsonSchema;
}

function budgetIn({ budget }: Frontmatter): AgentFile["budget"] | undefined {
  if (budget === undefined || budget === null) return undefined;
  if (!isJsonObject(budget)) throw new FileProblem(`budget is not a list of ${BUDGET_KEYS.join(", ")}`);
  for (const [key, amount] of Object.entries(budget)) {
    if (!(BUDGET_KEYS as readonly string[]).includes(key))
      throw new FileProblem(`budget.${key} is not one of ${BUDGET_KEYS.join(", ")}`);
    if (typeof amount !== "number" || !(amount > 0)) throw new FileProblem(`budget.${key} is not a number above 0`);
  }
  return budget;
}

/** A mode, rules that restrict, or both: no file can give its agent more than the parent has. */
function permissionsIn({ permissions }: Frontmatter, path: string): AgentFile["permissions"] {
  if (permissions === undefined || permissions === null) return { rules: [] };
  if (typeof permissions === "string") return { mode: modeIn(permissions), rules: [] };
  if (!isJsonObject(permissions))
    throw new FileProblem("permissions is neither a mode nor a list of mode, deny and ask");
  const { mode, ...lists } = permissions;
  const rules = Object.entries(lists).flatMap(([decision, texts]) => {
    if (decision !== "deny" && decision !== "ask")
      throw new FileProblem(`permissions.${decision} is not one of mode, deny, ask; an agent has what its parent has`);
    return (listIn({ [decision]: texts }, decision) ?? []).map((text) => ruleOf(decision, text, path));
  });
  return { rules, ...(mode === undefined ? {} : { mode: modeIn(mode) }) };
}

function modeIn(mode: unknown): PermissionMode {
  if ((PERMISSION_MODES as readonly unknown[]).includes(mode)) return mode as PermissionMode;
  throw new FileProblem(`permissions mode ${String(mode)} is not one of ${PERMISSION_MODES.join(", ")}`);
}

function ruleOf(decision: Decision, text: string, origin: string): Rule {
  const rule = readRule(text);
  if ("problem" in rule) throw new FileProblem(`the rule "${text}" ${rule.problem}. ${EXAMPLE}`);
  return { ...rule, decision, origin };
}
