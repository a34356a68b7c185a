// What may be run without asking: one command of a shell text at a time, by what the parse knows of it.

import { posix } from "node:path";
import type { Access } from "../contract/tool.ts";
import type { ShellPart } from "../shell/types.ts";
import { isAbout, matchesPath, patternOfCommand, type RuleScope } from "./match.ts";
import type { Rule } from "./rule.ts";
import { isCredentialFile, isProtected } from "./sensitive-paths.ts";
import { suggestedRule } from "./suggest.ts";
import {
  ask,
  FULL,
  FULL_ALLOWS,
  forbiddenIn,
  type PartVerdict,
  type Places,
  type Policy,
  plainAsk,
  ruleVerdict,
} from "./verdict.ts";

export type CommandAccess = Extract<Access, { kind: "exec" }>;

export function judgeCommand(item: CommandAccess, policy: Policy, scope: RuleScope): PartVerdict {
  const about = policy.rules.filter((rule) => isAbout(rule, item, scope));
  const spoken = about.filter((rule) => covers(rule, item.part));
  return (
    ruleVerdict(spoken, "deny") ??
    deniedPath(item, policy, scope) ??
    guarded(item, policy) ??
    ruleVerdict(spoken, "ask") ??
    (policy.mode === "full" ? FULL_ALLOWS : undefined) ??
    possiblyNarrowed(item, about) ??
    sensitive(item, policy.places, spoken) ??
    inSandbox(policy) ??
    uncertain(item, spoken) ??
    ruleVerdict(spoken, "allow") ??
    byMode(item, policy)
  );
}

/** Nothing in it is dangerous, in doubt or about sensitive files: a wide permission may cover it. */
export function isOrdinaryCommand(item: CommandAccess, places: Places): boolean {
  return uncertain(item, []) === undefined && sensitive(item, places, []) === undefined;
}

function covers(rule: Rule, part: ShellPart | undefined): boolean {
  if (rule.pattern === undefined) return true;
  return part !== undefined && matchesWords(patternOfCommand(rule), part.words);
}

/** In modes that change nothing, only commands that are known to change nothing run. */
function guarded({ part }: CommandAccess, { mode }: Policy): PartVerdict | undefined {
  const forbidden = forbiddenIn(mode);
  if (forbidden === undefined || part?.isReadOnly !== true) return forbidden;
  return undefined;
}

/** A word that is not known yet may turn out to be what a rule takes away. */
function possiblyNarrowed({ part }: CommandAccess, about: readonly Rule[]): PartVerdict | undefined {
  if (part === undefined || part.isLiteral) return undefined;
  const rule = about.find(
    (candidate) => candidate.decision !== "allow" && patternOfCommand(candidate)[0] === part.words[0],
  );
  return rule && ask(`It may be what the rule ${rule.text} is about: not all of its words are known.`, FULL);
}

/** Files that a rule denies are denied to commands that name them, too. */
function deniedPath(item: CommandAccess, { rules, places }: Policy, scope: RuleScope): PartVerdict | undefined {
  const denying = rules.filter(
    ({ decision, subject }) =>
      decision === "deny" && (subject === "read" || (subject === "write" && item.part?.isReadOnly !== true)),
  );
  if (denying.length === 0) return undefined;
  const paths = namedPaths(item, places);
  const rule = denying.find((candidate) => paths.some((path) => matchesPath(candidate, path, scope)));
  return rule && ruleVerdict([rule], "deny");
}

/** Sensitive files that the command names; a rule that names the same word allows it. */
function sensitive(item: CommandAccess, places: Places, spoken: readonly Rule[]): PartVerdict | undefined {
  const named = new Set(
    spoken.filter(({ decision }) => decision === "allow").flatMap((rule) => patternOfCommand(rule)),
  );
  for (const [word, path] of pathWords(item, places)) {
    if (named.has(word)) continue;
    if (isCredentialFile(path, places)) return ask(`${path} may hold keys or passwords.`, FULL);
    if (item.part?.isReadOnly !== true && isProtected(path, places))
      return ask(`A change to ${path} can make programs run later.`, FULL);
  }
  return undefined;
}

const inSandbox = ({ isSandboxed, mode }: Policy): PartVerdict | undefined =>
  isSandboxed && mode === "auto-edit"
    ? { decision: "allow", reason: "It runs in the sandbox.", isPlain: true }
    : undefined;

/** Questions that a wider rule does not answer: only one that names the dangerous shape itself. */
function uncertain({ part, doubt }: CommandAccess, spoken: readonly Rule[]): PartVerdict | undefined {
  const why = doubt ?? part?.doubt;
  if (why !== undefined) return ask(why, FULL);
  if (part?.danger === undefined) return undefined;
  const { shape, reason } = part.danger;
  const isNamed = spoken.some((rule) => rule.decision === "allow" && namesShape(rule, shape));
  return isNamed ? undefined : ask(reason, FULL);
}

function namesShape(rule: Rule, shape: string): boolean {
  const words = patternOfCommand(rule);
  return shape.split(" ").every((word) => words.includes(word));
}

function byMode(item: CommandAccess, { mode, places }: Policy): PartVerdict {
  if (forbiddenIn(mode))
    return { decision: "allow", reason: "The command is known to change nothing.", isPlain: true };
  if (mode === "auto-edit" && item.part?.isHarmless)
    return { decision: "allow", reason: "The command is on the list of harmless ones.", isPlain: true };
  const rule = suggestedRule(item, places);
  return plainAsk(`Mode ${mode} asks before it runs commands.`, rule === undefined ? FULL : `--allow '${rule}'`);
}

const namedPaths = (item: CommandAccess, places: Places): string[] => pathWords(item, places).map(([, path]) => path);

/** Words that may be paths, `--option=path` included, with the path that they mean. */
function pathWords({ part, cwd }: CommandAccess, { userHome }: Places): [word: string, path: string][] {
  const words = part ? [...part.words.slice(1), ...part.reads, ...part.writes] : [];
  const from = part?.cwd ?? cwd;
  return words.flatMap((word) => {
    const value = /^-{1,2}[^=]*=(.+)$/.exec(word)?.[1];
    const candidates = [...(word.startsWith("-") ? [] : [word]), ...(value === undefined ? [] : [value])];
    return candidates.map((text): [string, string] => [
      word,
      posix.resolve(from, text.replace(/^[@<]/, "").replace(/^~(?=\/|$)/, userHome)),
    ]);
  });
}

/** `*` as the last word of the pattern stands for any further words. */
function matchesWords(pattern: readonly string[], words: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === "*";
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((word, index) => word === words[index]);
}
