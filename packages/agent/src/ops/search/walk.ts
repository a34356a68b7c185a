// A sorted walk over the files of a tree that ripgrep would look at, for engines without it.

import { dirname, join } from "node:path/posix";
import { IgnoreRules } from "./gitignore.ts";

export type FileKind = "file" | "directory";

/** The little that searching needs of a file system. Links are neither files nor directories here. */
export interface SearchFs {
  /** Links are followed here. */
  kinds(paths: readonly string[]): Promise<(FileKind | undefined)[]>;
  entries(directory: string): Promise<readonly SearchEntry[]>;
  /** Contents in the order of `paths`; what cannot be read is empty. */
  read(paths: readonly string[]): Promise<Buffer[]>;
  mtimeMs(path: string): Promise<number>;
}

export interface SearchEntry {
  readonly name: string;
  readonly kind: FileKind;
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
  return IgnoreRules.extend(
    inherited,
    directory,
    (await fs.read([join(directory, ".gitignore")]))[0]!.toString("utf8"),
  );
}

/** Rules of the directories above `root`; a repository's root is the last that counts. */
async function rulesAbove(fs: SearchFs, root: string): Promise<IgnoreRules | undefined> {
  const directories = [root];
  for (let at = root; at !== dirname(at); at = dirname(at)) directories.push(dirname(at));
  const kinds = await fs.kinds(
    directories.flatMap((directory) => [join(directory, ".git"), join(directory, ".gitignore")]),
  );
  const repository = directories.findIndex((_, i) => kinds[2 * i] !== undefined);
  const last = repository === -1 ? directories.length - 1 : repository;
  const withFile = directories.filter((_, i) => i > 0 && i <= last && kinds[2 * i + 1] === "file").reverse();
  if (withFile.length === 0) return undefined;
  const texts = await fs.read(withFile.map((directory) => join(directory, ".gitignore")));
  let rules: IgnoreRules | undefined;
  for (const [i, directory] of withFile.entries()) {
    rules = IgnoreRules.extend(rules, directory, texts[i]!.toString("utf8"));
  }
  return rules;
}
