// The files of the reviewed tree: those on disk, or those of a commit.

import { join } from "node:path";
import { isInside } from "@lathe/agent/policy";
import { INERT_DIFF } from "@lathe/agent/world";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { ReadReviewed } from "./findings.ts";
import { type Git, NOT_COMPARED } from "./git.ts";
import type { Change } from "./types.ts";

const MOST_BYTES = 8 * 1024 * 1024;

/** Reads each file once. */
export function reviewedFiles(git: Git, { top, end }: Change): ReadReviewed {
  const read = (path: string): Promise<string | undefined> =>
    end === undefined ? fromDisk(git, top, path) : fromCommit(git, end, path);
  const known = new Map<string, Promise<string | undefined>>();
  return (path) => {
    const text = known.get(path) ?? read(path);
    known.set(path, text);
    return text;
  };
}

/** A link must not lead out of the repository. */
async function fromDisk({ disk }: Git, top: string, path: string): Promise<string | undefined> {
  const [found, root] = [await disk.find(join(top, path)), await disk.find(top)];
  if (!found?.isFile || !root || !isInside(found.real, root.real) || found.size > MOST_BYTES) return undefined;
  return (await disk.read(found.real)).toString("utf8");
}

async function fromCommit(git: Git, commit: string, path: string): Promise<string | undefined> {
  const { exitCode, stdout, isCut } = await git.ask(["cat-file", "blob", `${commit}:${path}`], MOST_BYTES);
  return exitCode === 0 && !isCut ? stdout.toString("utf8") : undefined;
}

/** How the files on disk differ from a commit: `absent` are not in it, `other` are different in it. */
export async function differencesFrom(
  git: Git,
  commit: string,
): Promise<{ readonly absent: readonly string[]; readonly other: readonly string[] }> {
  const { stdout, exitCode } = await git.ask([
    "diff",
    ...INERT_DIFF,
    "--no-renames",
    "--name-status",
    "-z",
    commit,
    "--",
  ]);
  if (exitCode !== 0) throw new CliError(EXIT.failed, NOT_COMPARED);
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
