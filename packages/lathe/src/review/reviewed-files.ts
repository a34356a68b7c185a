// The files of the reviewed tree: those on the disk, or those of a commit.

import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "@lathe/agent";
import type { ReadReviewed } from "./findings.ts";
import type { Git } from "./git.ts";
import type { Change } from "./types.ts";

const MOST_BYTES = 8 * 1024 * 1024;

/** Each file is read once. */
export function reviewedFiles(git: Git, { top, end }: Change): ReadReviewed {
  const read = (path: string): Promise<string | undefined> =>
    end === undefined ? fromDisk(top, path) : fromCommit(git, end, path);
  const known = new Map<string, Promise<string | undefined>>();
  return (path) => {
    const text = known.get(path) ?? read(path);
    known.set(path, text);
    return text;
  };
}

/** Links may not lead out of the repository. */
async function fromDisk(top: string, path: string): Promise<string | undefined> {
  try {
    const real = realpathSync(join(top, path));
    const stat = statSync(real);
    if (!isInside(real, realpathSync(top)) || !stat.isFile() || stat.size > MOST_BYTES) return undefined;
    return readFileSync(real, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

async function fromCommit(git: Git, commit: string, path: string): Promise<string | undefined> {
  const { exitCode, stdout, isCut } = await git.ask(["cat-file", "blob", `${commit}:${path}`], MOST_BYTES);
  return exitCode === 0 && !isCut ? stdout.toString("utf8") : undefined;
}

/** How the files on the disk differ from those of a commit: what it does not have, and what it has otherwise. */
export async function differencesFrom(
  git: Git,
  commit: string,
): Promise<{ readonly absent: readonly string[]; readonly other: readonly string[] }> {
  const { stdout } = await git.ask(["diff", "--no-ext-diff", "--no-renames", "--name-status", "-z", commit, "--"]);
  const fields = stdout.toString("utf8").split("\0");
  const absent: string[] = [];
  const other: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) (fields[i] === "A" ? absent : other).push(fields[i + 1] ?? "");
  const { stdout: untracked } = await git.ask(["ls-files", "--others", "--exclude-standard", "-z"]);
  absent.push(
    ...untracked
      .toString("utf8")
      .split("\0")
      .filter((path) => path !== "" && !path.endsWith("/")),
  );
  return { absent, other };
}
