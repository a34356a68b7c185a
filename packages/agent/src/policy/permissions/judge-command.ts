// Which commands may run without approval: one command of a shell text at a time, based on its analysis. The shell half
// (../shell/verdict.ts) decides what rules say about its words; this file combines that with the mode, sensitive files
// and the sandbox.

import { posix } from "node:path";
import { sentence } from "../../base/text/sentence.ts";
import type { ShellPart } from "../../contract/shell.ts";
import { SETUID_SHAPE } from "../shell/danger.ts";
import { isCode } from "../shell/interpreters.ts";
import { patternWords } from "../shell/match.ts";
import { attachedValues } from "../shell/path-candidates.ts";
import { type ShellRules, verdictOf } from "../shell/verdict.ts";
import { fewAlternatives, mayBeCredentialFile, mayHoldCredentials } from "./credential-globs.ts";
import { type CommandAccess, isAbout, matchesPath, type RuleScope } from "./match.ts";
import { holdsPath, mayMatchPath } from "./match-globs.ts";
import { beyondRule } from "./outside-words.ts";
import type { Decision, Rule } from "./rule.ts";
import { protectionOf } from "./sensitive-paths.ts";
import { suggestedCommand } from "./suggest.ts";
import {
  ask,
  FULL,
  FULL_ALLOWS,
  forbiddenIn,
  isInRoots,
  type PartVerdict,
  type Places,
  type Policy,
  plainAsk,
  ruleVerdict,
} from "./verdict.ts";

export function judgeCommand(item: CommandAccess, policy: Policy, scope: RuleScope): PartVerdict {
  const { mode, places } = policy;
  if (item.isAgent) return judgeAgent(item, policy, scope);
  const said = wordsVerdict(item, policy, scope);
  if (said.decision === "deny") return said;
  const forbidden = item.part?.isReadOnly === true ? undefined : forbiddenIn(mode, whyNotReading(item));
  return (
    deniedPath(item, policy, scope) ??
    forbidden ??
    (said.decision === "ask" && said.rule ? said : undefined) ??
    (mode === "full" ? FULL_ALLOWS : undefined) ??
    sensitive(item, places, said.rule) ??
    inSandbox(item, policy) ??
    outsideSandbox(item, policy) ??
    notCovered(item, policy, said) ??
    (isUncertain(item) || said.rule ? said : undefined) ??
    byMode(item, policy)
  );
}

/** The rule matches its words, but they lead out of the working folders. */
function notCovered(
  item: CommandAccess,
  { places, rules }: Policy,
  { decision, rule }: PartVerdict,
): PartVerdict | undefined {
  if (decision !== "allow" || rule === undefined) return undefined;
  const why = beyondRule(item, places, { named: wordsOf(rule, places), isStrict: rule.insideOnly === true, rules });
  return why === undefined ? undefined : ask(`${sentence(why)} The rule ${rule.text} does not cover that.`, FULL);
}

/** Why the command is not known to be read-only. */
function whyNotReading({ part, doubt }: CommandAccess): string {
  const [written] = part?.isHarmless ? part.writes : [];
  const program = part?.words[0] ?? "this one";
  const said = doubt ?? part?.doubt ?? part?.danger?.reason ?? (part && strangeIn(part));
  return said ?? (written === undefined ? `${program} is not one of them` : `it writes ${written}`);
}

/** The word of a known program for which the user is asked. */
function strangeIn({ strange, lacking }: ShellPart): string | undefined {
  if (strange === "…") return "one of its words is unknown until it runs";
  return strange && (lacking ?? `${strange.slice(0, 80)} is not understood`);
}

/** Everything the child does is judged like its parent's calls, so only mode `ask` asks before starting it. */
function judgeAgent(item: CommandAccess, { rules, mode }: Policy, scope: RuleScope): PartVerdict {
  const spoken = rules.filter(
    (rule) => rule.subject !== "shell" && isAbout(rule, item, scope) && rule.pattern === undefined,
  );
  return (
    ruleVerdict(spoken, "deny") ??
    ruleVerdict(spoken, "ask") ??
    ruleVerdict(spoken, "allow") ??
    (mode === "ask"
      ? plainAsk("Mode ask asks before it starts an agent.", FULL)
      : { decision: "allow", reason: "What the agent does is judged call by call.", isPlain: true })
  );
}

/** It is not dangerous, doubtful or about sensitive files, so a broad permission may cover it. */
export function isOrdinaryCommand(item: CommandAccess, places: Places, rules: readonly Rule[] = []): boolean {
  return (
    !isUncertain(item) &&
    sensitive(item, places, undefined) === undefined &&
    beyondRule(item, places, { named: [], isStrict: true, rules }) === undefined
  );
}

/** False as well if its directory is unknown until it runs. */
export function runsInside({ part, cwd }: CommandAccess, places: Places): boolean {
  return (part === undefined || part.cwd !== undefined) && isInRoots(cwd, places);
}

const isUncertain = ({ part, doubt }: CommandAccess): boolean => (doubt ?? part?.doubt ?? part?.danger) !== undefined;

/** A rule without a pattern covers every command. `~` at the beginning of a word is the home, as in the command. */
const wordsOf = ({ pattern = "*" }: Rule, { userHome }: { readonly userHome: string }): readonly string[] =>
  patternWords(pattern).map((word) => word.replace(/^~(?=\/|$)/, userHome));

const isAboutFiles = ({ subject }: Rule): boolean => subject === "read" || subject === "write";

/** Why its words do not show everything that it runs. */
function unreadIn(part: ShellPart | undefined): string | undefined {
  const hidden = part && !part.isHarmless && RUNS_TEXT.test(part.words[0] ?? "");
  return (
    part?.doubt ??
    (part?.danger?.shape.startsWith("| ") ? part.danger.reason : undefined) ??
    (hidden ? `${part.strange ?? part.words[0]} may start a program` : undefined) ??
    (part && hiddenGit(part))
  );
}

/**
 * A git subcommand that may stand for another one: an alias, an external git program, or a command that starts others.
 */
function hiddenGit({ words: [program = "", ...words], isHarmless }: ShellPart): string | undefined {
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (isHarmless || !/^git(?:-|$)/.test(name)) return undefined;
  const command = name === "git" ? words.find((word) => !word.startsWith("-")) : undefined;
  if (command === "config" && words.some((word) => /^alias\./i.test(word))) return "it defines a git alias";
  return command !== undefined && GIT_COMMANDS.has(command)
    ? undefined
    : `${command ?? name} may stand for another command`;
}

const GIT_COMMANDS = new Set(
  "add am annotate apply archive blame branch bundle cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean clone commit config count-objects describe diff diff-files diff-index diff-tree fast-export fast-import fetch for-each-ref format-patch fsck gc grep hash-object help index-pack init log ls-files ls-remote ls-tree maintenance merge merge-base merge-file mv name-rev notes pack-objects prune pull push range-diff read-tree rebase reflog remote repack replace reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status stripspace submodule switch symbolic-ref tag unpack-file update-index update-ref verify-commit verify-tag version whatchanged worktree write-tree".split(
    " ",
  ),
);

/** Programs that may start others from one of their arguments or options. */
const RUNS_TEXT = /^(?:.*\/)?(?:sed|[gm]?awk|split|tar|sort|find|rg|less|man)$/;

/** What the rules say about its words, including danger and doubt. */
function wordsVerdict(item: CommandAccess, { rules, places }: Policy, scope: RuleScope): PartVerdict {
  const { part, doubt } = item;
  const isInside = runsInside(item, places);
  const about = rules.filter((rule) => isAbout(rule, item, scope) && (isInside || !rule.insideOnly));
  const unread = doubt ?? unreadIn(part);
  // We cannot tell whether a narrower rule applies to a text that cannot be parsed.
  const perhaps =
    unread === undefined
      ? undefined
      : [...about, ...rules.filter(isAboutFiles)].find(({ decision }) => decision !== "allow");
  const unclear = perhaps && {
    ...ask(sentence(`${unread}, and a rule may deny or ask about it`), FULL),
    rule: perhaps,
  };
  if (part === undefined) {
    // For anything but parsed shell text, only rules without a pattern apply.
    const whole = about.filter(({ pattern }) => pattern === undefined);
    const narrowed = ruleVerdict(whole, "deny") ?? ruleVerdict(whole, "ask") ?? unclear;
    return (
      narrowed ?? (doubt === undefined ? ruleVerdict(whole, "allow") : undefined) ?? ask(sentence(doubt ?? ""), FULL)
    );
  }
  const byWords = new Map<readonly string[], Rule>(about.map((rule) => [wordsOf(rule, scope), rule]));
  const patterns = (decision: Decision): (readonly string[])[] =>
    [...byWords].flatMap(([words, rule]) => (rule.decision === decision ? [words] : []));
  const sorted: ShellRules = { allow: patterns("allow"), ask: patterns("ask"), deny: patterns("deny") };
  const [judged] = verdictOf({ parts: [part] }, sorted, { write: () => "allow" }).parts;
  const rule = judged?.rule && byWords.get(judged.rule);
  if (judged && rule && judged.verdict === rule.decision) return ruleVerdict([rule], rule.decision) as PartVerdict;
  if (unclear && !rule) return unclear;
  const reason = sentence(judged?.reason ?? doubt ?? "It is not known what it does");
  return { decision: judged?.verdict ?? "ask", reason, allowWith: FULL, ...(rule ? { rule } : {}) };
}

/** Files that a rule denies are also denied to commands that name them. */
function deniedPath(item: CommandAccess, { rules, places }: Policy, scope: RuleScope): PartVerdict | undefined {
  const denying = rules.filter(
    ({ decision, subject }) =>
      decision === "deny" && (subject === "read" || (subject === "write" && item.part?.isReadOnly !== true)),
  );
  if (denying.length === 0) return undefined;
  const paths = pathWords(item, places).map(([, path]) => path);
  const searched = [...(item.part?.trees ?? []), ...(item.part?.tracked ?? []), ...packedBy(item.part)];
  const trees = searched.map((tree) => intendedPath(tree, item, places));
  const rule = denying.find(
    (candidate) =>
      [...paths, ...trees].some((path) => matchesPath(candidate, path, scope)) ||
      [...paths, ...trees].some((path) => mayMatchPath(candidate, path, scope)) ||
      trees.some((path) => matchesPath(candidate, `${path}/x`, scope)),
  );
  if (rule) return ruleVerdict([rule], "deny");
  const broad = item.part?.isHarmless && [...paths, ...trees].find((path) => fewAlternatives(path) === undefined);
  if (broad) return tooMany(broad);
  const [unknown] = item.part?.unknown ?? [];
  if (unknown !== undefined && !item.part?.isHarmless)
    return ask(`Which file ${item.part?.words[unknown]} means is not known before it runs.`, FULL);
  const follows = item.part?.followsLinks && denying[0];
  if (follows) return ask(`It follows links, and they may lead to what the rule ${follows.text} denies.`, FULL);
  const above = denying.find((candidate) => trees.some((path) => holdsPath(candidate, path, scope)));
  return above && ask(`The rule ${above.text} denies files in it.`, FULL);
}

/** Programs that copy or move whole folders; git copies its history. */
const PACKERS = /^(?:tar|bsdtar|zip|7z|cp|rsync|scp|cpio|pax|mv|ln)$/;
const GIT_PACKERS =
  /^(?:archive|format-patch|bundle|fast-export|cat-file|checkout-index|worktree|clone|diff|show|log|unpack-file|read-tree|mv)$/;

function packedBy(part: ShellPart | undefined): readonly string[] {
  const [program = "", ...words] = part?.words ?? [];
  if (part?.isHarmless !== false) return [];
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (name === "git") return words.some((word) => GIT_PACKERS.test(word)) ? ["."] : [];
  return PACKERS.test(name) ? words.filter((word) => !word.startsWith("-")) : [];
}

/** Sensitive files that the command names; an allow rule that names the same word settles the question. */
function sensitive(item: CommandAccess, places: Places, rule: Rule | undefined): PartVerdict | undefined {
  const named = rule?.decision === "allow" ? wordsOf(rule, places) : [];
  const { danger } = item.part ?? {};
  if (danger?.shape === SETUID_SHAPE && rule?.decision !== "allow") return ask(sentence(danger.reason), FULL);
  for (const [word, path] of pathWords(item, places)) {
    if (named.includes(word)) continue;
    // For an unknown program, a word with many braces is usually not a path.
    if (item.part?.isHarmless && fewAlternatives(path) === undefined) return tooMany(word);
    if (mayBeCredentialFile(path, places, "as in a shell")) return ask(`${path} may hold keys or passwords.`, FULL);
    const why = item.part?.isHarmless ? undefined : protectionOf(path, places);
    if (why !== undefined) return ask(why, FULL);
  }
  for (const tree of item.part?.trees ?? [])
    if (!named.includes(tree) && mayHoldCredentials(intendedPath(tree, item, places), places))
      return ask(`Files in ${intendedPath(tree, item, places)} may hold keys or passwords.`, FULL);
  const key = item.part && keyInTrees(item.part, named, places);
  if (key) return key;
  for (const pick of item.part?.picks ?? []) {
    if (named.includes(pick)) continue;
    if (fewAlternatives(pick) === undefined) return tooMany(pick);
    if (mayBeCredentialFile(intendedPath(pick, item, places), places, "hidden too"))
      return ask(`${pick} may pick files that hold keys or passwords.`, FULL);
  }
  return undefined;
}

/** A search through the working folders needs no question; a comparison there would show whole files. */
function keyInTrees(
  { treeKeys = [], readsTrees }: ShellPart,
  named: readonly string[],
  places: Places,
): PartVerdict | undefined {
  const isSearch = readsTrees?.how === "search";
  const key = treeKeys.find(({ tree, path }) => !named.includes(tree) && !(isSearch && isInRoots(path, places)));
  if (!key) return undefined;
  if (key.isUncertain) return ask(`${key.path} contains too many files to check them all for keys.`, FULL);
  return ask(`${key.path} may hold keys or passwords.`, FULL);
}

const tooMany = (word: string): PartVerdict =>
  ask(`${word.slice(0, 80)} matches more files than can be checked.`, FULL);

const inSandbox = ({ outside }: CommandAccess, { isSandboxed, mode }: Policy): PartVerdict | undefined =>
  isSandboxed && !outside && mode === "auto-edit"
    ? { decision: "allow", reason: "It runs in the sandbox.", isPlain: true }
    : undefined;

/** Anything the sandbox would block needs approval, whatever rules allow inside the sandbox. */
const outsideSandbox = ({ outside }: CommandAccess, { isSandboxed }: Policy): PartVerdict | undefined =>
  isSandboxed && outside ? ask("It wants to run outside the sandbox.", FULL) : undefined;

function byMode(item: CommandAccess, { mode, places }: Policy): PartVerdict {
  if (forbiddenIn(mode)) return { decision: "allow", reason: "The command is known to change nothing.", isPlain: true };
  if (item.part?.words.length === 0 && item.part.isHarmless)
    return { decision: "allow", reason: "It runs no program.", isPlain: true };
  if (mode === "auto-edit" && item.part?.isHarmless)
    return { decision: "allow", reason: "The command is on the list of harmless ones.", isPlain: true };
  const rule =
    item.part &&
    suggestedCommand(item.part, (named) => beyondRule(item, places, { named, isStrict: false }) === undefined);
  const strange = mode === "auto-edit" && item.part ? strangeIn(item.part) : undefined;
  const allowWith = rule === undefined ? FULL : `--allow '${rule}'`;
  return strange
    ? ask(sentence(strange.replace(/^a word/, "A word")), allowWith)
    : plainAsk(`Mode ${mode} asks before it runs commands.`, allowWith);
}

/** A pattern of files to leave out, as in `zip -x*.log`. */
const LEAVES_OUT = /^-x!?[^=]*\*/;

/** Words that may be paths, including `--option=path`, with the path that they refer to. */
function pathWords({ part, cwd }: CommandAccess, { userHome }: Places): [word: string, path: string][] {
  if (part === undefined) return [];
  // The analysis knows which words of known programs are files; for other programs, any word may be one.
  const words = [...(part.isHarmless ? [] : part.words), ...part.reads, ...part.writes];
  return words.flatMap((word, at) => {
    if (at === 0 && !part.isHarmless) return [];
    if (isCode(words, at))
      return pathsInCode(word).map((text): [string, string] => [word, meantPath(text, part, cwd, userHome)]);
    // `if=path`, `--option=path`, `name=@path`, `file:///path`
    const value = /^[^=/]*=@?(.+)$/.exec(word)?.[1] ?? /^(?:file:\/\/|@)(.+)$/.exec(word)?.[1];
    const whole = LEAVES_OUT.test(word) ? [] : word.startsWith("-") ? attachedValues(word) : [word];
    const candidates = value === undefined ? whole : [...whole, value];
    return candidates.map((text): [string, string] => [word, meantPath(text, part, cwd, userHome)]);
  });
}

/** Possible paths in code of another language. */
const pathsInCode = (code: string): string[] =>
  code.split(/[\s"'`(),;=<>{}[\]]+/).filter((text) => /^\.|\//.test(text) && !text.includes("*"));

function intendedPath(text: string, { part, cwd }: CommandAccess, { userHome }: Places): string {
  return part === undefined ? text : meantPath(text, part, cwd, userHome);
}

function meantPath(text: string, part: ShellPart, cwd: string, userHome: string): string {
  return posix.resolve(part.cwd ?? cwd, text.replace(/^@/, "").replace(/^~(?=\/|$)/, userHome));
}
