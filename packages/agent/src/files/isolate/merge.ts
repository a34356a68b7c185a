// Three-way merges of trees by git, in a separate store. Git needs commits to find a common ancestor, so we create some
// that only Lathe sees.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { conflictRegions } from "../edit/conflict-regions.ts";
import { GitFailed, type GitStore } from "./git-store.ts";
import { readObjects } from "./tree.ts";
import type { LandingConflict, LandingRegion } from "./types.ts";

/** The change from one tree to another. */
export interface TreeChange {
  readonly id: string;
  readonly base: string;
  readonly tree: string;
}

export interface Merged {
  readonly tree: string;
  /** Paths are relative to the tree. */
  readonly conflicts: readonly LandingConflict[];
}

/**
 * Applies the changes one after the other. A change with conflicts is left out, and the next ones are still tried, so
 * that all conflicts are reported.
 */
export async function mergeChanges(git: GitStore, ours: string, changes: readonly TreeChange[]): Promise<Merged> {
  const bases = new Map<string, string>();
  for (const { base } of changes) if (!bases.has(base)) bases.set(base, await commit(git, base, []));
  let tree = ours;
  let head = await commit(git, ours, [...bases.values()]);
  const conflicts: LandingConflict[] = [];
  for (const change of changes) {
    if (change.base === change.tree) continue;
    const theirs = await commit(git, change.tree, [bases.get(change.base)!]);
    const merged = await mergeTwo(git, head, theirs, change.id);
    conflicts.push(...merged.conflicts);
    if (merged.conflicts.length > 0) continue;
    tree = merged.tree;
    head = await commit(git, tree, [head, theirs]);
  }
  return { tree, conflicts };
}

/**
 * Applies one change to the current tree. The result contains git's markers where both sides changed the same lines.
 */
export async function mergeWithMarkers(git: GitStore, ours: string, { id, base, tree }: TreeChange): Promise<Merged> {
  const from = await commit(git, base, []);
  return mergeTwo(git, await commit(git, ours, [from]), await commit(git, tree, [from]), id);
}

export async function commit(
  git: GitStore,
  tree: string,
  parents: readonly string[],
  message = "lathe",
): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return (await git.run(args, { stdin: Buffer.from(`${message}\n`) })).toString("utf8").trim();
}

async function mergeTwo(git: GitStore, ours: string, theirs: string, id: string): Promise<Merged> {
  // Names for messages and conflict markers.
  const [ourName, theirName] = ["project", `views/${id}`];
  nameCommit(git, ourName, ours);
  nameCommit(git, theirName, theirs);
  const args = ["merge-tree", "--write-tree", "-z", "--messages", "--allow-unrelated-histories", ourName, theirName];
  const answer = await git.ask(args);
  if (answer.exitCode !== 0 && answer.exitCode !== 1) throw tooOld(answer.stderr) ?? new GitFailed(args, answer);
  const { tree, messages } = parseMerge(answer.stdout);
  if (answer.exitCode === 0) return { tree, conflicts: [] };
  const conflicts = messages.flatMap(({ type, paths, message }): LandingConflict[] => {
    if (!type.startsWith("CONFLICT")) return [];
    const kind = type === "CONFLICT (contents)" ? "content" : "structure";
    return [{ id, path: paths[0] ?? "", kind, message: message.trim().split("\n")[0]!, regions: [] }];
  });
  const withRegions = await Promise.all(
    conflicts.map(async (conflict) =>
      conflict.kind === "content" ? { ...conflict, regions: await regionsOf(git, tree, conflict.path) } : conflict,
    ),
  );
  return { tree, conflicts: withRegions };
}

function nameCommit({ gitDir }: GitStore, name: string, object: string): void {
  const file = join(gitDir, "refs/heads", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${object}\n`);
}

function tooOld(stderr: string): Error | undefined {
  return /usage: git merge-tree|unknown option|not a git command/.test(stderr)
    ? new Error("Landing needs git 2.38 or newer. Install it, and land again.")
    : undefined;
}

interface MergeMessage {
  readonly type: string;
  readonly paths: readonly string[];
  readonly message: string;
}

/**
 * The tree, the conflicted files up to an empty field, then messages: number of paths, the paths, a type and a text.
 */
function parseMerge(bytes: Buffer): { tree: string; messages: MergeMessage[] } {
  const fields = bytes.toString("utf8").split("\0");
  const tree = fields[0]!.trim();
  let at = fields.indexOf("", 1) + 1;
  const messages: MergeMessage[] = [];
  while (at > 0 && at < fields.length && /^\d+$/.test(fields[at]!)) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const [type = "", message = ""] = fields.slice(at + 1 + count, at + 3 + count);
    messages.push({ type, paths, message });
    at += count + 3;
  }
  return { tree, messages };
}

async function regionsOf(git: GitStore, tree: string, path: string): Promise<LandingRegion[]> {
  const entry = (await git.run(["ls-tree", "-z", tree, "--", path])).toString("utf8");
  const [, object] = /^\d+ blob ([0-9a-f]+)\t/.exec(entry) ?? [];
  if (object === undefined) return [];
  const text = (await readObjects(git, [object])).get(object)!.toString("utf8");
  let marked = 0;
  return conflictRegions(text.replaceAll("\r\n", "\n")).map(({ start, end, ours, theirs }) => {
    // The markers and the other side of earlier regions are not in the project's file, so their lines are subtracted.
    const line = start + 1 - marked;
    marked += end - start - linesIn(ours.text);
    return { line, ours: ours.text, theirs: theirs.text };
  });
}

const linesIn = (text: string): number => text.split("\n").length - 1;
