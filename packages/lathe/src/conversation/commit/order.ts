// The order of commits: a commit that defines a name comes before those that use it. Names are guessed from the diff
// lines, so this only moves commits or joins them; commits that need each other become one.

import type { Part, StagedFile } from "./change.ts";

interface PartNames {
  /** Names that the new lines define, and files that the part adds. */
  readonly defines: ReadonlySet<string>;
  readonly uses: ReadonlySet<string>;
  /** The same for the removed lines. */
  readonly undefines: ReadonlySet<string>;
  readonly drops: ReadonlySet<string>;
}

/** Matches only unindented lines: names inside a function or a class are local to it. */
const DEFINITION =
  /^(?:(?:export|default|declare|abstract|async|pub(?:\([^)]*\))?|public|static|final)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|def|fn|func|const|let|var|module|namespace|macro_rules!|#\s*define)\s+([A-Za-z_$][\w$]{3,})/gm;
const WORD = /[A-Za-z_$][\w$]{3,}/g;

function namesOf(file: StagedFile, { text }: Part): PartNames {
  const lines = (sign: string): string =>
    text
      .split("\n")
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join("\n");
  const [added, removed, kept] = [lines("+"), lines("-"), lines(" ")];
  const definitionsIn = (of: string): Set<string> => new Set([...of.matchAll(DEFINITION)].map(([, name = ""]) => name));
  // A word that also appears in other lines was in use before and after.
  const words = (of: string, others: string): Set<string> => {
    const elsewhere = new Set(others.match(WORD) ?? []);
    return new Set((of.match(WORD) ?? []).filter((word) => !elsewhere.has(word)));
  };
  const [defines, undefines] = [definitionsIn(added), definitionsIn(removed)];
  // `import "./name"` and `#include "name.h"` need the file.
  const stem = (path: string): string => (path.split("/").pop() ?? "").replace(/\..*$/, "");
  if (file.status === "A" || file.status === "R") defines.add(`file:${stem(file.path)}`);
  if (file.status === "D") undefines.add(`file:${stem(file.path)}`);
  return {
    defines,
    undefines,
    uses: withFiles(words(added, removed + kept), added),
    drops: withFiles(words(removed, added + kept), removed),
  };
}

const IMPORT = /(?:import|from|require|include|use|mod)\b[^\n]*?["'<(\s]([\w./@-]+)/g;

function withFiles(words: Set<string>, text: string): Set<string> {
  for (const [, path = ""] of text.matchAll(IMPORT)) {
    const stem = (path.split("/").pop() ?? "").replace(/\..*$/, "");
    if (stem !== "") words.add(`file:${stem}`);
  }
  return words;
}

/**
 * Returns groups of indexes into `plan` in the order to commit them; a group has several only if they need each other.
 */
export function commitOrder(plan: readonly (readonly number[])[], files: readonly StagedFile[]): number[][] {
  const names = new Map<number, PartNames>();
  for (const file of files) for (const part of file.parts) names.set(part.number, namesOf(file, part));
  const union = (commit: readonly number[], key: keyof PartNames): Set<string> =>
    new Set(commit.flatMap((number) => [...(names.get(number)?.[key] ?? [])]));
  const commits = plan.map((commit) => ({
    defines: union(commit, "defines"),
    undefines: union(commit, "undefines"),
    uses: union(commit, "uses"),
    drops: union(commit, "drops"),
  }));
  // Any commit may use a name that was defined before the change.
  const known = new Set(commits.flatMap(({ undefines }) => [...undefines]));
  const gone = new Set(commits.flatMap(({ defines }) => [...defines]));
  const needs = (user: number, other: number): boolean => {
    if (user === other) return false;
    const [a, b] = [commits[user]!, commits[other]!];
    const isNew = [...b.defines].some((name) => !known.has(name) && !a.defines.has(name) && a.uses.has(name));
    // A definition is removed after its uses.
    const isOld = [...a.undefines].some((name) => !gone.has(name) && !b.undefines.has(name) && b.drops.has(name));
    return isNew || isOld;
  };
  return joinAndSort(plan.length, needs);
}

/** Keeps the given order except where dependencies require otherwise. */
function joinAndSort(count: number, needs: (user: number, other: number) => boolean): number[][] {
  const reach = Array.from({ length: count }, (_, i) => Array.from({ length: count }, (_, j) => needs(i, j)));
  for (let k = 0; k < count; k++)
    for (let i = 0; i < count; i++) if (reach[i]![k]) for (let j = 0; j < count; j++) reach[i]![j] ||= reach[k]![j]!;
  const isJoined = (i: number, j: number): boolean => i === j || (reach[i]![j]! && reach[j]![i]!);
  const groups: number[][] = [];
  for (let i = 0; i < count; i++) {
    const group = groups.find(([first = 0]) => isJoined(first, i));
    if (group) group.push(i);
    else groups.push([i]);
  }
  const sorted: number[][] = [];
  const rest = [...groups];
  while (rest.length > 0) {
    const at = rest.findIndex((group) => !rest.some((other) => other !== group && reach[group[0]!]![other[0]!]));
    sorted.push(...rest.splice(Math.max(0, at), 1));
  }
  return sorted;
}
