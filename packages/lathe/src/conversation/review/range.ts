// Resolves what to review: a range, a commit, a commit to start from, or the default.

import { usageError } from "../../platform/usage/exit.ts";
import type { Git } from "./git.ts";

/** The two sides of the comparison: a commit or the empty tree, and a commit or (`end` undefined) the files on disk. */
export interface Range {
  readonly title: string;
  readonly base: string;
  readonly end: string | undefined;
}

/** `A..B` or `A...B`; either side may be left out. */
const TWO_ENDS = /^(.*?)(\.\.\.?)(.*)$/;
/** `<commit>^!` or a commit id: the changes of that one commit. */
const ALONE = /^(?:(.+)\^!|([0-9a-f]{6,64}))$/;

export async function rangeOf(git: Git, wanted: string): Promise<Range> {
  const commit = async (name: string): Promise<string> => {
    const found = await commitNamed(git, name);
    if (found !== undefined) return found;
    throw usageError(
      `There is no commit ${JSON.stringify(name)} here. Name a range (main...HEAD), a start (HEAD~3) or a commit; without one, uncommitted changes are reviewed.`,
    );
  };
  const [, from = "", dots, to = ""] = TWO_ENDS.exec(wanted) ?? [];
  if (dots !== undefined) {
    const [start, end] = [await commit(from || "HEAD"), await commit(to || "HEAD")];
    const base = dots === "..." ? await mergeBase(git, start, end) : start;
    if (base === undefined) throw usageError(`${from || "HEAD"} and ${to || "HEAD"} have no commit in common.`);
    return { title: wanted, base, end };
  }
  const [, marked, byName] = ALONE.exec(wanted) ?? [];
  const alone = marked ?? byName;
  if (alone !== undefined) {
    const end = await commit(alone);
    const base = (await commitNamed(git, `${end}^1`)) ?? (await emptyTree(git));
    return { title: `commit ${end.slice(0, 12)}`, base, end };
  }
  const start = await commit(wanted);
  const base = (await mergeBase(git, start, await commit("HEAD"))) ?? start;
  return { title: `changes since ${wanted}`, base, end: undefined };
}

/** The uncommitted changes. */
export async function uncommittedRange(git: Git): Promise<Range> {
  const base = (await commitNamed(git, "HEAD")) ?? (await emptyTree(git));
  return { title: "uncommitted changes", base, end: undefined };
}

const TRUNKS = ["@{upstream}", "origin/HEAD", "main", "master", "origin/main", "origin/master"];

/** The present branch's commits since the first of these trunks that lacks some of them; undefined if there is none. */
export async function branchChanges(git: Git): Promise<Range | undefined> {
  const head = await commitNamed(git, "HEAD");
  if (head === undefined) return undefined;
  for (const trunk of TRUNKS) {
    const other = await commitNamed(git, trunk);
    const base: string | undefined = other === undefined ? undefined : await mergeBase(git, other, head);
    if (base === undefined || base === head) continue;
    const name = trunk.includes("@") ? ((await git.text(["rev-parse", "--abbrev-ref", trunk])) ?? trunk) : trunk;
    return { title: `${name}...HEAD`, base, end: head };
  }
  return undefined;
}

const commitNamed = (git: Git, name: string): Promise<string | undefined> =>
  git.text(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);

const mergeBase = (git: Git, a: string, b: string): Promise<string | undefined> => git.text(["merge-base", a, b]);

/** The empty tree's id depends on the repository's hash function. */
async function emptyTree(git: Git): Promise<string> {
  return (await git.text(["hash-object", "-t", "tree", "/dev/null"])) ?? "";
}
