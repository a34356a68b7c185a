// A rule as its file has it, whichever tool's format that is, and which of four things it is for (G-93, G-95).

import type { Found, MarkdownValue, Source } from "../../found/discovery/types.ts";
import { type Condition, compileCondition } from "./condition.ts";
import { globOfCondition, parseScope, type Scope } from "./scope.ts";

/** When a rule that is broken cuts the stream; else the model is reminded of it afterwards. */
const INTERRUPT_MODES = ["never", "prose-only", "tool-only", "always"] as const;
export type InterruptMode = (typeof INTERRUPT_MODES)[number];

export interface Rule {
  readonly name: string;
  /** The text after the frontmatter. */
  readonly text: string;
  readonly source: Source;
  readonly description?: string;
  /** Files it is for: it is given when one is touched, unless it always applies. */
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
  /** Any of them in what the model writes breaks the rule. */
  readonly triggers: readonly Trigger[];
  readonly interrupt?: InterruptMode;
}

export interface Trigger {
  readonly condition: Condition;
  /** Where the condition is looked for; none: everywhere. */
  readonly scopes: readonly Scope[];
}

/** What rules are used for. One with a description and globs is both listed and given; one with nothing of all this is in none. */
export interface RuleBuckets {
  /** Watched for while the model writes. */
  readonly stream: readonly Rule[];
  /** Their text is in the system prompt. */
  readonly always: readonly Rule[];
  /** Listed in the system prompt, and read when they are needed. */
  readonly listed: readonly Rule[];
  /** Given when a file is touched that their globs match. */
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

/** Something in a rule's frontmatter that is left out. */
export interface RuleProblem {
  readonly message: string;
  /** As it stands in the file. */
  readonly about: string;
}

/** What is wrong with a rule's frontmatter is left out; the rest of the rule works. */
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

/** `a, tool:edit(*.{ts,tsx})`: a comma inside brackets separates nothing. */
function commaParts(list: string): readonly string[] {
  const parts = list.match(/(?:\{[^}]*\}|\([^)]*\)|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
