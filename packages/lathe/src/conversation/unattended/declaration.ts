// The declaration of a session without users: who is responsible, what it may spend, which commands its host may give
// and what its calls may do. All fields are required. An unknown word is refused, because it may have been meant as a
// limit.

import { EXAMPLE, type Rule, readRule } from "@lathe/agent/policy";
import { Checker, choice, listOf, number, object, type Static, text } from "@lathe/llm/schema";

/** What the host of an unattended session may do. */
export const UNATTENDED_SCOPES = [
  "prompt",
  "control",
  "bash",
  "export",
  "session",
  "model",
  "message:read",
  "host_tools",
  "host_uri",
  "admin",
] as const;
export type UnattendedScope = (typeof UNATTENDED_SCOPES)[number];

const limit = number({ exclusiveMinimum: 0 });

export const declarationShape = object({
  /** The responsible person or program, for the audit. */
  actor: text({ minLength: 1 }),
  budget: object({ max_tokens: limit, max_tool_calls: limit, max_wall_time_ms: limit, max_cost_usd: limit }),
  scopes: listOf(choice(UNATTENDED_SCOPES)),
  action_allowlist: listOf(text({ minLength: 1 })),
});
export type Declaration = Static<typeof declarationShape>;

/** A valid declaration. */
export interface ReadDeclaration {
  readonly declaration: Declaration;
  /** Commands that only read need no rule. */
  readonly readsByShell: boolean;
  readonly rules: readonly Rule[];
}

const SHAPE = new Checker(declarationShape);
const ORIGIN = "action_allowlist";
const READING = "bash.readonly";
/** Aliases for rules. */
const WORDS: Readonly<Record<string, string>> = { "file.write": "write" };

/** A problem is one line that names the key. */
export function readDeclaration(value: unknown): ReadDeclaration | { readonly problem: string } {
  const problem = SHAPE.wrongIn(value, "declaration");
  if (problem !== undefined) return { problem };
  const declaration = value as Declaration;
  if (declaration.scopes.length === 0) return { problem: "declaration.scopes is empty: list what the host may do" };
  const rules: Rule[] = [];
  for (const [index, word] of declaration.action_allowlist.entries()) {
    if (word === READING) continue;
    const written = Object.hasOwn(WORDS, word) ? (WORDS[word] as string) : word;
    const rule = readRule(written);
    const isUnknown = "problem" in rule || (/\./.test(word) && !word.includes("(") && written === word);
    if (isUnknown)
      return {
        problem: `declaration.action_allowlist[${index}]: "${word}" is neither ${READING}, ${Object.keys(WORDS).join(", ")} nor a rule. ${EXAMPLE}`,
      };
    rules.push({ ...rule, decision: "allow", origin: ORIGIN });
  }
  return { declaration, readsByShell: declaration.action_allowlist.includes(READING), rules };
}
