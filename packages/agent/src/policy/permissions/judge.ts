// What may happen without approval: a pure function of the mode, the rules, the call's declared access, and where
// things are. Each thing that the call touches is decided separately, with its reason; deny beats ask beats allow.

import type { DecidedPart } from "../../contract/journal.ts";
import type { Access, Tier } from "../../contract/tool.ts";
import { mayBecomeOption } from "../shell/steering-names.ts";
import { isOrdinaryCommand, judgeCommand, runsInside } from "./judge-command.ts";
import { closedPortQuestion, networkByMode, networkInPlan } from "./judge-network.ts";
import { type Item, matchesItem, type RuleScope, tierOf } from "./match.ts";
import { rememberedRun } from "./remembered-runs.ts";
import type { Decision, Rule } from "./rule.ts";
import { isCredentialFile, isInside, protectionOf, searchesCredentials } from "./sensitive-paths.ts";
import {
  ADD_DIR,
  AUTO_EDIT,
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
  WAYS,
} from "./verdict.ts";

/** A call as permissions see it. */
export interface JudgedCall {
  /** Name of the tool; absent for a command that the user only asks about. */
  readonly tool?: string | undefined;
  readonly tier: Tier;
  /** Undefined if the tool does not declare what it touches. */
  readonly access: readonly Access[] | undefined;
}

/** The decision on a call, and on each thing that it touches. */
export interface Verdict {
  readonly decision: Decision;
  /** The reason of the strongest part; absent if the mode alone decides. */
  readonly reason?: string;
  /** The option that would have allowed it. */
  readonly allowWith?: string;
  readonly parts: readonly DecidedPart[];
}

const RANK: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

/** Decides on each thing that the call touches; the strongest decision applies to the call. */
export function judge(call: JudgedCall, policy: Policy): Verdict {
  const scope: RuleScope = {
    tool: call.tool,
    project: policy.places.roots[0] ?? "/",
    userHome: policy.places.userHome,
  };
  const judged = itemsOf(call).map((item) => ({ item, verdict: judgeItem(item, policy, scope) }));
  const parts = judged.map(({ item, verdict }) => partOf(item, verdict));
  const strongest = judged
    .map(({ verdict }) => verdict)
    .reduce<PartVerdict>((most, verdict) => (weight(verdict) > weight(most) ? verdict : most), NOTHING);
  const { decision, reason, allowWith, isPlain } = strongest;
  return {
    decision,
    parts,
    ...(isPlain ? {} : { reason }),
    ...(allowWith === undefined ? {} : { allowWith }),
  };
}

const NOTHING: PartVerdict = { decision: "allow", reason: "It changes nothing.", isPlain: true };

function partOf(item: Item, { decision, reason, rule }: PartVerdict): DecidedPart {
  return {
    tier: tierOf(item),
    what: nameOf(item),
    decision,
    reason,
    ...(rule === undefined ? {} : { rule: rule.text }),
  };
}

/**
 * Ranks questions: first those that need the broader option, then those with a reason. An answer to a higher one also
 * covers the lower.
 */
function weight({ decision, allowWith, isPlain }: PartVerdict): number {
  return RANK[decision] * 10 + (allowWith === undefined ? 0 : WAYS.indexOf(allowWith) + 1) + (isPlain ? 0 : 0.5);
}

/**
 * True if everything that the call touches is inside the roots and the sandbox, and nothing is sensitive, dangerous or
 * doubtful.
 */
export function staysInside(call: JudgedCall, places: Places, rules: readonly Rule[] = []): boolean {
  return call.access !== undefined && itemsOf(call).every((item) => isOrdinary(item, places, rules));
}

function isOrdinary(item: Item, places: Places, rules: readonly Rule[]): boolean {
  switch (item.kind) {
    case "undeclared":
      return false;
    case "read":
      return !readsCredentials(item, places);
    case "write":
      return isInRoots(item.path, places) && runsLater(item.path, places, rules) === undefined;
    case "exec":
      return !item.outside && runsInside(item, places) && isOrdinaryCommand(item, places, rules);
    case "secret":
      return false;
    case "network":
      return item.closedPort === undefined;
    case "address":
      return !item.write;
  }
}

/**
 * If the declared access does not account for the tier, the tier needs approval of its own: undeclared does not mean
 * harmless.
 */
export function itemsOf({ tier, access }: JudgedCall): readonly Item[] {
  if (tier === "read") return access ?? [];
  const isDeclared = access?.some((item) => tierOf(item) === tier) ?? false;
  return isDeclared ? (access ?? []) : [...(access ?? []), { kind: "undeclared", tier }];
}

function judgeItem(item: Item, policy: Policy, scope: RuleScope): PartVerdict {
  if (item.kind === "exec") return judgeCommand(item, policy, scope);
  // No rule applies to secrets.
  if (item.kind === "secret") return ask(item.reason, FULL);
  const spoken = policy.rules.filter((rule) => matchesItem(rule, item, scope));
  return (
    ruleVerdict(spoken, "deny") ??
    modeVerdict(item, policy) ??
    ruleVerdict(spoken, "ask") ??
    (policy.mode === "full" ? FULL_ALLOWS : undefined) ??
    sensitive(item, policy, spoken, scope) ??
    ruleVerdict(spoken, "allow") ??
    byMode(item, policy)
  );
}

/** Modes that change nothing do not ask; undefined if the mode does not forbid it. */
function modeVerdict(item: Item, policy: Policy): PartVerdict | undefined {
  const { mode, planFile } = policy;
  if (tierOf(item) === "read") return undefined;
  if (item.kind === "network" && mode === "plan") return networkInPlan(item, policy);
  if (mode === "plan" && item.kind === "write" && item.path === planFile)
    return { decision: "allow", reason: "It is the plan of this session.", isPlain: true };
  return forbiddenIn(mode);
}

/** What only a rule that names it can allow, however broad other rules are. */
function sensitive(
  item: Exclude<Item, { kind: "exec" | "secret" }>,
  { mode, rules, places, planFile }: Policy,
  spoken: readonly Rule[],
  scope: RuleScope,
): PartVerdict | undefined {
  if (item.kind === "network") return closedPortQuestion(item);
  if (item.kind === "address" || item.kind === "undeclared") return undefined;
  if (item.kind === "write" && item.path === planFile) return undefined;
  const isSensitive = (path: string): boolean =>
    item.kind === "read" ? isCredentialFile(path, places) : runsLater(path, places, rules) !== undefined;
  if (spoken.some((rule) => rule.decision === "allow" && namesSensitive(rule, scope, isSensitive))) return undefined;
  if (item.kind === "read")
    return readsCredentials(item, places) ? ask(`${item.path} may hold keys or passwords.`, FULL) : undefined;
  const why = runsLater(item.path, places, rules);
  if (why !== undefined) return ask(why, FULL);
  // If edits need approval as well, allowing another directory would not be enough.
  const isAllowed = spoken.some(({ decision }) => decision === "allow");
  if (!isInRoots(item.path, places) && !isAllowed)
    return ask(`${item.path} is outside the working folders.`, mode === "auto-edit" ? ADD_DIR : FULL);
  return undefined;
}

/** Why a change to this file is more than an edit, as a sentence. */
function runsLater(path: string, places: Places, rules: readonly Rule[]): string | undefined {
  const rule = rememberedRun(path, rules);
  const root = places.roots.find((one) => isInside(path, one));
  if (root !== undefined && mayBecomeOption(path.slice(root.length + 1)))
    return `Commands may take the name of ${path} for an option or other files.`;
  return protectionOf(path, places) ?? (rule && `You allowed ${rule}, and ${path} defines what it runs.`);
}

/** The pattern up to its first wildcard is itself a sensitive path. */
function namesSensitive(
  { pattern }: Rule,
  { project, userHome }: RuleScope,
  isSensitive: (path: string) => boolean,
): boolean {
  if (pattern === undefined) return false;
  const named = (pattern.split(/[*?[]/)[0] ?? "").replace(/\/$/, "").replace(/^~(?=\/)/, userHome);
  if (named === "") return false;
  return isSensitive(named.startsWith("/") ? named : `${project}/${named.replace(/^\.\//, "")}`);
}

function byMode(item: Exclude<Item, { kind: "exec" | "secret" }>, policy: Policy): PartVerdict {
  const { mode } = policy;
  switch (item.kind) {
    case "read":
      return { decision: "allow", reason: "Reading needs no question.", isPlain: true };
    case "write":
      return mode === "auto-edit"
        ? { decision: "allow", reason: "Edits inside the project need no question in auto-edit.", isPlain: true }
        : plainAsk(`Mode ${mode} asks before every change.`, AUTO_EDIT);
    case "address":
      if (!item.write) return { decision: "allow", reason: "Reading needs no question.", isPlain: true };
      return ask(`${item.url} is written by its provider, outside Lathe's control.`, FULL);
    case "network":
      return networkByMode(item, policy);
    case "undeclared":
      return ask("The tool does not declare what it accesses.", FULL);
  }
}

function readsCredentials(item: Access & { kind: "read" | "write" }, places: Places): boolean {
  if (isCredentialFile(item.path, places)) return true;
  return "search" in item && searchesCredentials(item.path, item.filter, places);
}

function nameOf(item: Item): string {
  switch (item.kind) {
    case "exec":
      return item.command;
    case "network":
      return item.host;
    case "secret":
      return item.name;
    case "address":
      return item.url;
    case "undeclared":
      return "what the tool does not say";
    default:
      return item.path;
  }
}
