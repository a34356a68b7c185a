// Which change a person means: a range, a commit, a name to begin from, or nothing at all.

import { usageError } from "../../platform/usage/exit.ts";
import type { Git } from "./git.ts";

/** What is compared: a commit or the empty tree with a commit or the files on disk. */
export interface Range {
  readonly title: string;
  readonly base: string;
  readonly end: string | undefined;
}

/** `A..B`, `A...B`; either side may be left out. */
const TWO_ENDS = /^(.*?)(\.\.\.?)(.*)$/;
/** `<commit>^!`, or the commit's own name: what that commit changed. */
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

/** The changes that are not committed. */
export async function uncommittedRange(git: Git): Promise<Range> {
  const base = (await commitNamed(git, "HEAD")) ?? (await emptyTree(git));
  return { title: "uncommitted changes", base, end: undefined };
}

const TRUNKS = ["@{upstream}", "origin/HEAD", "main", "master", "origin/main", "origin/master"];

/** What the present branch has before the first of these that is behind it; undefined when none is. */
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

/** Its name depends on how the repository names objects. */
async function emptyTree(git: Git): Promise<string> {
  return (await git.text(["hash-object", "-t", "tree", "/dev/null"])) ?? "";
}
