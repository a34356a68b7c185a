// Which denied files a glob may match, and which are below a folder.

import { posix } from "node:path";
import { alternatives, fitsName, isGlob, segments } from "./credential-globs.ts";
import { matchesPath, type RuleScope } from "./match.ts";
import type { Rule } from "./rule.ts";
import { isInside } from "./sensitive-paths.ts";

/** Whether the glob may match a path that the rule covers. */
export function mayMatchPath(rule: Rule, glob: string, scope: RuleScope): boolean {
  if (!isGlob(glob)) return false;
  return alternatives(glob).some((path) => {
    if (!isGlob(path)) return matchesPath(rule, path, scope);
    const pattern = rule.pattern ?? "**";
    if (!pattern.includes("/")) {
      const name = posix.basename(path);
      return !/^[*?]+$/.test(name) && fitsName(name, pattern.replaceAll("*", "x"), "as in a shell");
    }
    const [parts, lead] = [segments(path), fixedLead(pattern, scope)];
    const isFolder = /\/(?:\*+\/?)*$/.test(pattern);
    const fits = lead.every((name, index) => fitsName(parts[index] ?? "", name, "as in a shell"));
    return fits && parts.length >= lead.length + (isFolder ? 1 : 0);
  });
}

/** Whether files that the rule covers are below the folder. */
export function holdsPath({ pattern = "**" }: Rule, folder: string, scope: RuleScope): boolean {
  if (!pattern.includes("/")) return false;
  return isInside(`/${fixedLead(pattern, scope).join("/")}`, folder);
}

/** The folders and the name before the pattern's first wildcard. */
function fixedLead(pattern: string, { project, userHome }: RuleScope): string[] {
  const absolute = posix.resolve(project, pattern.replace(/^~(?=\/|$)/, userHome));
  const parts = segments(absolute);
  const open = parts.findIndex(isGlob);
  return open < 0 ? parts : parts.slice(0, open);
}
