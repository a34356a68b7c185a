// A sorted walk over the files of a tree that ripgrep would look at, for engines without it.

import { dirname, join } from "node:path/posix";
import { IgnoreRules } from "./gitignore.ts";

/** The little that searching needs of a file system. Links are neither files nor directories here. */
export interface SearchFs {
  kind(path: string): Promise<"file" | "directory" | undefined>;
  entries(directory: string): Promise<readonly SearchEntry[]>;
  /** Contents in the order of `paths`; what cannot be read is empty. */
  read(paths: readonly string[]): Promise<Buffer[]>;
  mtimeMs(path: string): Promise<number>;
}

export interface SearchEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
}

/** Absolute paths of files under `root`, gitignored ones and `.git` left out, hidden ones on request. */
export async function* walkFiles(fs: SearchFs, root: string, hidden: boolean): AsyncGenerator<string> {
  yield* walk(fs, root, hidden, await rulesAbove(fs, root));
}

async function* walk(
  fs: SearchFs,
  directory: string,
  hidden: boolean,
  above: IgnoreRules | undefined,
): AsyncGenerator<string> {
  const entries = [...(await fs.entries(directory))];
  const rules = await rulesOf(fs, directory, entries, above);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name === ".git" || (!hidden && entry.name.startsWith("."))) continue;
    const path = join(directory, entry.name);
    if (rules?.ignores(path, entry.kind === "directory")) continue;
    if (entry.kind === "directory") yield* walk(fs, path, hidden, rules);
    else yield path;
  }
}

async function rulesOf(
  fs: SearchFs,
  directory: string,
  entries: readonly SearchEntry[],
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  const inherited = entries.some(({ name }) => name === ".git") ? undefined : above;
  const hasFile = entries.some(({ name, kind }) => name === ".gitignore" && kind === "file");
  if (!hasFile) return inherited;
  return IgnoreRules.extend(inherited, directory, await readText(fs, join(directory, ".gitignore")));
}

/** Rules of the directories above `root`; a repository's root is the last that counts. */
async function rulesAbove(fs: SearchFs, root: string): Promise<IgnoreRules | undefined> {
  if ((await fs.kind(join(root, ".git"))) !== undefined) return undefined;
  const directories: string[] = [];
  for (let at = dirname(root), last = root; at !== last; last = at, at = dirname(at)) {
    directories.unshift(at);
    if ((await fs.kind(join(at, ".git"))) !== undefined) break;
  }
  let rules: IgnoreRules | undefined;
  for (const directory of directories) {
    const file = join(directory, ".gitignore");
    if ((await fs.kind(file)) !== "file") continue;
    rules = IgnoreRules.extend(rules, directory, await readText(fs, file));
  }
  return rules;
}

async function readText(fs: SearchFs, path: string): Promise<string> {
  return (await fs.read([path]))[0]!.toString("utf8");
}
