// Which parts of a repository commands may change. Git must work inside the sandbox, but what it runs by itself (hooks, and
// programs named in its configuration) would later run outside, when a person uses git: that stays as it is.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface GitPlaces {
  /** Writable. Each has to be a mount of its own, or it could be renamed and another be put in its place. */
  readonly directories: readonly string[];
  /** Read-only, inside of those or of a root. */
  readonly fixed: readonly string[];
}

const NONE: GitPlaces = { directories: [], fixed: [] };
const DEEPEST_MODULE = 4;

/**
 * Of the repository that holds a directory. To be asked before the first command runs: a command could write a `.git` that
 * points anywhere.
 */
export function gitPlaces(directory: string): GitPlaces {
  const dotGit = nearest(directory);
  if (dotGit === undefined) return NONE;
  const kind = lstatSync(dotGit);
  if (kind.isDirectory()) return placesOf([realpathSync(dotGit)]);
  if (!kind.isFile()) return { directories: [], fixed: [dirname(dotGit)] };
  const target = linkedDirectory(dotGit);
  if (target === undefined) return { directories: [], fixed: [dotGit] };
  const common = readOneLine(join(target, "commondir"));
  const places = placesOf(common === undefined ? [target] : [realpathSync(resolve(target, common)), target]);
  return { ...places, fixed: [dotGit, ...places.fixed] };
}

function nearest(directory: string): string | undefined {
  const dotGit = join(directory, ".git");
  if (lstatSync(dotGit, { throwIfNoEntry: false })) return dotGit;
  const parent = dirname(directory);
  return parent === directory ? undefined : nearest(parent);
}

/** Where a `.git` file leads, when the place there says that this is its work tree. */
function linkedDirectory(dotGit: string): string | undefined {
  const [, path] = /^gitdir: (.+)$/.exec(readOneLine(dotGit) ?? "") ?? [];
  if (path === undefined) return undefined;
  const target = resolve(dirname(dotGit), path);
  if (!existsSync(join(target, "HEAD"))) return undefined;
  const real = realpathSync(target);
  const back = readOneLine(join(real, "gitdir"));
  if (back !== undefined) return samePlace(resolve(real, back), dotGit) ? real : undefined;
  const [, tree] = /^\s*worktree\s*=\s*(.+)$/m.exec(readText(join(real, "config")) ?? "") ?? [];
  return tree !== undefined && samePlace(resolve(real, tree), dirname(dotGit)) ? real : undefined;
}

function placesOf(directories: readonly string[]): GitPlaces {
  const places = directories.map((directory, index) => {
    const linked = index > 0; // of a work tree: hooks and configuration are those of the first
    const parts = [...(linked ? [] : fixedParts(directory)), ...worktreeConfig(directory)];
    // A link can be replaced, and nothing can be mounted on it: then nothing of this repository may be changed.
    const isReplaceable = parts.some((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
    if (isReplaceable) return { directories: [], fixed: [directory] };
    for (const path of parts) makeMissing(path);
    return { directories: [directory], fixed: [...parts, ...modules(join(directory, "modules"), DEEPEST_MODULE)] };
  });
  return { directories: places.flatMap((of) => of.directories), fixed: places.flatMap((of) => of.fixed) };
}

const fixedParts = (directory: string): string[] => [join(directory, "hooks"), join(directory, "config")];

const worktreeConfig = (directory: string): string[] =>
  [join(directory, "config.worktree")].filter((path) => existsSync(path));

/** What is missing could be created by a command; a mount needs something to stand on. */
function makeMissing(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) return;
  if (path.endsWith("hooks")) mkdirSync(path);
  else writeFileSync(path, "", { flag: "wx" });
}

function modules(directory: string, depth: number): string[] {
  if (depth === 0 || !existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const module = join(directory, name);
      if (!existsSync(join(module, "HEAD"))) return modules(module, depth - 1);
      return fixedParts(module).filter(
        (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false,
      );
    });
}

function samePlace(a: string, b: string): boolean {
  return existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b);
}

const readOneLine = (path: string): string | undefined => readText(path)?.split("\n")[0]?.trim();

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // not there, or not ours to read: then it tells nothing
  }
}
