// Which rules apply to one thing that a call would touch. Paths are globs as in an ignore file: with a slash they are
// relative to the project, `/` is the root of the disk, `~/` the home directory, a bare name matches at any depth; a
// folder includes everything in it.

import type { Access, Tier } from "../../contract/tool.ts";
import { globSource } from "../../world/env/search/gitignore.ts";
import type { Rule } from "./rule.ts";
import { isInside } from "./sensitive-paths.ts";

/** One thing that a call would do. */
export type Item = Access | { readonly kind: "undeclared"; readonly tier: Tier };

/** A command that a call would run. */
export type CommandAccess = Extract<Access, { kind: "exec" }>;

/** The context in which rules apply. */
export interface RuleScope {
  /** Name of the tool that is called; absent if there is none, as for a command that the user asks about. */
  readonly tool?: string | undefined;
  /** The base of relative paths in rules. */
  readonly project: string;
  readonly userHome: string;
}

/** Whether the rule is about this kind of item; it does not compare the words of a command. */
export function isAbout(rule: Rule, item: Item, { tool }: RuleScope): boolean {
  const { subject } = rule;
  if (tool !== undefined && (subject.endsWith("*") ? isAmong(tool, rule) : subject === tool)) return true;
  const tier = tierOf(item);
  if (subject === "shell") return item.kind === "exec";
  return subject === tier;
}

/** `mcp__files__*` allows the tools of `files`, not those of a server called `files__other`. */
function isAmong(tool: string, { subject, decision }: Rule): boolean {
  const prefix = subject.slice(0, -1);
  const isOfOne = prefix.startsWith("mcp__") && prefix.endsWith("__") && decision === "allow";
  return tool.startsWith(prefix) && !(isOfOne && tool.slice(prefix.length).includes("__"));
}

/** Matches everything except commands and secrets. */
export function matchesItem(rule: Rule, item: Exclude<Item, { kind: "exec" | "secret" }>, scope: RuleScope): boolean {
  if (!isAbout(rule, item, scope)) return false;
  if (rule.pattern === undefined) return true;
  switch (item.kind) {
    case "read":
    case "write":
      return matchesPath(rule, item.path, scope);
    case "network":
      return matchesHost(rule.pattern, item.host);
    case "address":
      return new RegExp(`^${globSource(rule.pattern)}$`, "s").test(item.url);
    case "undeclared":
      // The tool does not declare what it will touch, so no pattern can cover it.
      return false;
  }
}

export function tierOf(item: Item): Tier {
  if (item.kind === "undeclared") return item.tier;
  if (item.kind === "address") return item.write ? "write" : "read";
  if (item.kind === "secret") return "exec";
  return item.kind;
}

/** A restricting rule also covers names in other letter case and, without a slash, outside the project. */
export function matchesPath({ pattern = "**", decision }: Rule, path: string, scope: RuleScope): boolean {
  const narrows = decision !== "allow";
  const plain = pattern.replace(/^~(?=\/|$)/, scope.userHome).replace(/(?<=.)\/+$/, "");
  const flags = narrows ? "si" : "s";
  if (plain.startsWith("/")) return new RegExp(`^/${globSource(plain.slice(1))}(?:/.*)?$`, flags).test(path);
  const isName = !plain.includes("/");
  const source = `${isName ? "(?:.*/)?" : ""}${globSource(plain.replace(/^\.\//, ""))}(?:/.*)?$`;
  const below = isInside(path, scope.project) ? path.slice(scope.project.replace(/\/$/, "").length + 1) : undefined;
  if (below !== undefined && new RegExp(`^${source}`, flags).test(below)) return true;
  return isName && narrows && plain !== "*" && plain !== "**" && new RegExp(`^${source}`, flags).test(path);
}

function matchesHost(pattern: string, host: string): boolean {
  const [wanted, there] = [pattern.toLowerCase(), host.toLowerCase()];
  return wanted.startsWith("*.") ? there.endsWith(wanted.slice(1)) : wanted === there;
}
