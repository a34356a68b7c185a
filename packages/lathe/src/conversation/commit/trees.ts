// The content of each commit of a plan: the index entries of every changed path after it. Content is made of whole
// lines of both versions, so nothing is applied with fuzz, and the last commit is exactly what was staged.

import type { Entry, HunkLines, StagedChange, StagedFile } from "./change.ts";
import type { CommitGit } from "./git.ts";

/** Maps a path to its index entry; undefined: the path is not in the index. */
export type Contents = ReadonlyMap<string, Entry | undefined>;

/** The entries of all changed paths after each commit. `plan` lists the part numbers of each commit. */
export async function contentsOf(
  git: CommitGit,
  { files }: StagedChange,
  plan: readonly (readonly number[])[],
): Promise<Contents[]> {
  const done = new Set<number>();
  const states: Contents[] = [];
  const versions = new Versions(git);
  for (const numbers of plan) {
    for (const number of numbers) done.add(number);
    const state = new Map<string, Entry | undefined>();
    for (const file of files) {
      const taken = file.parts.filter(({ number }) => done.has(number));
      if (file.from !== undefined && file.status === "R")
        state.set(file.from, taken.length > 0 ? undefined : file.before);
      const lines = taken.flatMap((part) => (part.lines ? [part.lines] : []));
      const isMixed = taken.length > 0 && taken.length < file.parts.length;
      const mixed = isMixed ? { mode: file.after!.mode, oid: await versions.writeMixed(file, lines) } : undefined;
      const untouched = file.from === undefined ? file.before : undefined;
      state.set(file.path, mixed ?? (taken.length > 0 ? file.after : untouched));
    }
    states.push(state);
  }
  return states;
}

/** The lines of file versions, each read once. */
class Versions {
  readonly #git: CommitGit;
  readonly #lines = new Map<string, readonly string[]>();

  constructor(git: CommitGit) {
    this.#git = git;
  }

  /** Writes the old version with these hunks of the new one, and returns the object's name. */
  async writeMixed({ before, after }: StagedFile, hunks: readonly HunkLines[]): Promise<string> {
    const old = await this.#linesOf(before!.oid);
    const now = await this.#linesOf(after!.oid);
    const text = mixLines(old, now, hunks);
    const stdin = Buffer.from(text, "latin1");
    return (await this.#git.must(["hash-object", "-w", "--stdin", "--no-filters"], { stdin })).toString("utf8").trim();
  }

  async #linesOf(oid: string): Promise<readonly string[]> {
    const known = this.#lines.get(oid);
    if (known) return known;
    // latin1 maps each byte to one character, because files need not be UTF-8.
    const text = (await this.#git.must(["cat-file", "blob", oid])).toString("latin1");
    const lines = text.split(/(?<=\n)/);
    this.#lines.set(oid, lines);
    return lines;
  }
}

/** The old lines with some hunks replaced by the new lines; hunks are in file order. */
export function mixLines(old: readonly string[], now: readonly string[], hunks: readonly HunkLines[]): string {
  const mixed: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, newStart, newLines } of hunks) {
    const from = oldLines === 0 ? oldStart : oldStart - 1;
    mixed.push(...old.slice(at, from));
    const start = newLines === 0 ? newStart : newStart - 1;
    mixed.push(...now.slice(start, start + newLines));
    at = from + oldLines;
  }
  mixed.push(...old.slice(at));
  return mixed.join("");
}

/** Writes the entries into an index file that already holds the other paths. Returns the tree. */
export async function writeTreeWith(git: CommitGit, index: string, contents: Contents): Promise<string> {
  const width = [...contents.values()].find((entry) => entry)?.oid.length ?? 40;
  const none = "0".repeat(width);
  const rows = [...contents].map(([path, entry]) =>
    entry ? `${entry.mode} ${entry.oid}\t${path}\0` : `0 ${none}\t${path}\0`,
  );
  // Removals come first, because a folder may take the name of a removed file.
  rows.sort((a, b) => Number(!a.startsWith("0 ")) - Number(!b.startsWith("0 ")));
  await git.must(["update-index", "-z", "--index-info"], { index, stdin: rows.join("") });
  return (await git.must(["write-tree"], { index })).toString("utf8").trim();
}
