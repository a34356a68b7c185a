// Which files say what a search skips, and which of them takes precedence, as in ripgrep: .rgignore over .ignore over
// .gitignore over the repository's own exclude file over the user's global one.

import { dirname, join } from "node:path/posix";
import { IgnoreRules } from "./gitignore.ts";
import type { SearchEntry, SearchFs } from "./search-fs.ts";

/** Ignore files in order of precedence. */
const KINDS = [".rgignore", ".ignore", ".gitignore", "exclude", "global"] as const;
const IN_TREE = [".rgignore", ".ignore", ".gitignore"] as const;

/** `borders`: rules of .gitignore files end at a repository's root, unless the search begins outside any repository. */
export type Ignores = { readonly borders: boolean } & {
  readonly [Kind in (typeof KINDS)[number]]?: IgnoreRules | undefined;
};

export function isIgnored(ignores: Ignores, path: string, isDirectory: boolean): boolean {
  for (const kind of KINDS) {
    const verdict = ignores[kind]?.ignores(path, isDirectory);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** The rules for the content of `directory`, whose entries are known. */
export async function ignoresOf(
  fs: SearchFs,
  directory: string,
  entries: readonly SearchEntry[],
  above: Ignores,
): Promise<Ignores> {
  const found = new Set(
    entries.filter(({ name, kind }) => name === ".git" || isRuleFile(name, kind)).map((e) => e.name),
  );
  return found.size === 0 ? above : extend(fs, directory, found, above);
}

/** The rules of the parent directories of `root`. */
export async function ignoresAbove(fs: SearchFs, root: string): Promise<Ignores> {
  const directories: string[] = [];
  for (let at = root; at !== dirname(at); at = dirname(at)) directories.unshift(dirname(at));
  const names = [".git", ...IN_TREE];
  const paths = [...directories, root].flatMap((directory) => names.map((name) => join(directory, name)));
  const kinds = await fs.kinds(paths);
  const borders = kinds.some((kind, i) => kind !== undefined && i % names.length === 0);
  const global = await fs.globalIgnore?.();
  let ignores: Ignores = { borders, ...(global ? { global: IgnoreRules.extend(undefined, root, global) } : {}) };
  for (const [i, directory] of directories.entries()) {
    const found = names.filter((name, k) => {
      const kind = kinds[i * names.length + k];
      return name === ".git" ? kind !== undefined : kind === "file";
    });
    if (found.length > 0) ignores = await extend(fs, directory, new Set(found), ignores);
  }
  return ignores;
}

async function extend(fs: SearchFs, directory: string, found: ReadonlySet<string>, above: Ignores): Promise<Ignores> {
  const isRepository = found.has(".git");
  const inherited: Ignores =
    isRepository && above.borders ? { ...above, ".gitignore": undefined, exclude: undefined } : above;
  const result: { -readonly [Kind in keyof Ignores]: Ignores[Kind] } = { ...inherited };
  for (const kind of IN_TREE) {
    if (found.has(kind))
      result[kind] = IgnoreRules.extend(inherited[kind], directory, await text(fs, join(directory, kind)));
  }
  if (isRepository) {
    const exclude = join(directory, ".git/info/exclude");
    const [kind] = await fs.kinds([exclude]);
    if (kind === "file") result.exclude = IgnoreRules.extend(undefined, directory, await text(fs, exclude));
  }
  return result;
}

function isRuleFile(name: string, kind: SearchEntry["kind"]): boolean {
  return kind === "file" && (IN_TREE as readonly string[]).includes(name);
}

async function text(fs: SearchFs, path: string): Promise<string> {
  return (await fs.read([path]))[0]!.toString("utf8");
}
