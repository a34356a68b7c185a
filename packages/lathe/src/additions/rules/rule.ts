// A rule from its file, in any tool's format, and its use: one of four (G-93, G-95).

import type { Found, MarkdownValue, Source } from "../../found/discovery/types.ts";
import { type Condition, compileCondition } from "./condition.ts";
import { globOfCondition, parseScope, type Scope } from "./scope.ts";

/** When a broken rule interrupts the answer; otherwise the model is reminded of the rule afterwards. */
const INTERRUPT_MODES = ["never", "prose-only", "tool-only", "always"] as const;
export type InterruptMode = (typeof INTERRUPT_MODES)[number];

export interface Rule {
  readonly name: string;
  /** The text after the frontmatter. */
  readonly text: string;
  readonly source: Source;
  readonly description?: string;
  /** The files it applies to: it is given when one is touched, unless it always applies. */
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
  /** Any of them in the model's output breaks the rule. */
  readonly triggers: readonly Trigger[];
  readonly interrupt?: InterruptMode;
}

export interface Trigger {
  readonly condition: Condition;
  /** The parts of the output that the condition applies to; empty for all. */
  readonly scopes: readonly Scope[];
}

/**
 * Rules by use. A rule with a description and globs is both listed and given; a rule without any of these is unused.
 */
export interface RuleBuckets {
  /** Checked while the model writes. */
  readonly stream: readonly Rule[];
  /** Their text is in the system prompt. */
  readonly always: readonly Rule[];
  /** Listed in the system prompt, and read when needed. */
  readonly listed: readonly Rule[];
  /** Given when a file that matches their globs is touched. */
  readonly byPath: readonly Rule[];
}

export function bucketsOf(rules: readonly Rule[]): RuleBuckets {
  const stream = rules.filter(({ triggers }) => triggers.length > 0);
  const others = rules.filter(({ triggers }) => triggers.length === 0);
  return {
    stream,
    always: others.filter(({ alwaysApply }) => alwaysApply),
    listed: others.filter(({ alwaysApply, description }) => !alwaysApply && description !== undefined),
    byPath: others.filter(({ alwaysApply, globs }) => !alwaysApply && globs.length > 0),
  };
}

/** A part of a rule's frontmatter that is ignored. */
export interface RuleProblem {
  readonly message: string;
  /** The text as it is in the file. */
  readonly about: string;
}

/** Reads a rule. Invalid parts of its frontmatter are ignored; the rest of the rule works. */
export function ruleOf({ name, source, value }: Found<MarkdownValue>): {
  readonly rule: Rule;
  readonly problems: readonly RuleProblem[];
} {
  const { frontmatter, body } = value;
  const problems: RuleProblem[] = [];
  const warn = (about: string, message: string): void => void problems.push({ about, message });
  const triggers: Trigger[] = [];
  const scopes: Scope[] = [];
  for (const text of texts(frontmatter["scope"]).flatMap(commaParts)) {
    const scope = parseScope(text);
    if (scope) scopes.push(scope);
    else warn(text, `the scope "${text}" is not known. Use text, thinking, tool, tool:<name> or tool:<name>(<glob>)`);
  }
  for (const text of conditionTexts(frontmatter)) {
    const glob = globOfCondition(text);
    const condition = compileCondition(glob === undefined ? text : "");
    if ("problem" in condition) {
      warn(text, `the condition ${text} is not a regular expression and is ignored: ${condition.problem}`);
      continue;
    }
    triggers.push({ condition, scopes: glob === undefined ? scopes : changesOf(glob) });
  }
  const description = text(frontmatter["description"]);
  const interrupt = interruptOf(frontmatter["interruptMode"] ?? frontmatter["interrupt_mode"], warn);
  return {
    rule: {
      name,
      text: body,
      source,
      globs: texts(frontmatter["globs"]).flatMap(commaParts),
      alwaysApply: frontmatter["alwaysApply"] === true,
      triggers,
      ...(description === undefined ? {} : { description }),
      ...(interrupt === undefined ? {} : { interrupt }),
    },
    problems,
  };
}

/** `ttsr_trigger` and `ttsrTrigger` are older names. */
function conditionTexts(frontmatter: MarkdownValue["frontmatter"]): readonly string[] {
  return texts(frontmatter["condition"] ?? frontmatter["ttsr_trigger"] ?? frontmatter["ttsrTrigger"]);
}

const changesOf = (glob: string): readonly Scope[] =>
  ["edit", "write"].map((tool) => ({ kind: "tool", tool, glob }) as const);

function interruptOf(value: unknown, warn: (about: string, message: string) => void): InterruptMode | undefined {
  if (value === undefined) return undefined;
  const mode = INTERRUPT_MODES.find((known) => known === value);
  if (mode === undefined) warn(String(value), `interruptMode is one of ${INTERRUPT_MODES.join(", ")}; it is left out`);
  return mode;
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

function texts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((one) => text(one) ?? []);
}

/** Splits a list such as `a, tool:edit(*.{ts,tsx})`, ignoring commas inside brackets. */
function commaParts(list: string): readonly string[] {
  const parts = list.match(/(?:\{[^}]*\}|\([^)]*\)|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
