// Which files of a tree git ignores: the .gitignore files along the path, the repository's exclude file, the user's
// global one. The rules of a folder remain the same object while nothing changes, so that results for a name can be
// reused.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { IgnoreRules } from "../../world/env/search/gitignore.ts";
import { textOfRegularFile } from "../../world/env/search/regular-file.ts";
import { isUnchanged, type StatMark, type Stats, statMark } from "./stat.ts";

export interface FolderRules {
  readonly files: IgnoreRules | undefined;
  readonly exclude: IgnoreRules | undefined;
  readonly everywhere: IgnoreRules | undefined;
  readonly madeOf: {
    readonly above: FolderRules | undefined;
    readonly file: StatMark | undefined;
    readonly exclude: string;
  };
}

/** Outside a repository, nothing marks generated files. */
const WITHOUT_GIT = "node_modules/\n.venv/\n__pycache__/\n";

export function rulesAbove(root: string, isRepository: boolean, personal: string | undefined): FolderRules {
  const text = `${isRepository ? "" : WITHOUT_GIT}${personal ?? ""}`;
  return {
    files: undefined,
    exclude: undefined,
    everywhere: IgnoreRules.extend(undefined, root, text),
    madeOf: { above: undefined, file: undefined, exclude: "" },
  };
}

export function isIgnored(rules: FolderRules, path: string, isFolder: boolean): boolean {
  const { files, exclude, everywhere } = rules;
  return (
    files?.ignores(path, isFolder) ?? exclude?.ignores(path, isFolder) ?? everywhere?.ignores(path, isFolder) ?? false
  );
}

export interface RuleFiles {
  /** The lstat result of the folder's .gitignore; undefined if there is none. */
  readonly gitignore: Stats | undefined;
  readonly hasGit: boolean;
  /**
   * The file system's time before the stat of .gitignore; undefined while nothing, including that file, has changed.
   */
  readonly lookedAt: number | undefined;
}

/** `known`: the result of an earlier scan, returned again while it is valid. */
export function rulesOf(
  folder: string,
  above: FolderRules,
  found: RuleFiles,
  known: FolderRules | undefined,
): FolderRules {
  if (!found.gitignore && !found.hasGit) return above;
  const exclude = found.hasGit ? (textOfRegularFile(excludeFile(folder)) ?? "") : above.madeOf.exclude;
  const isSame =
    known?.madeOf.above === above &&
    known.madeOf.exclude === exclude &&
    (found.gitignore ? isUnchanged(known.madeOf.file, found.gitignore) : known.madeOf.file === undefined);
  if (isSame) return known;
  // The ignore rules of an enclosing repository do not apply to this one.
  const inherited = found.hasGit ? undefined : above.files;
  const text = found.gitignore?.isFile() ? textOfRegularFile(join(folder, ".gitignore")) : undefined;
  return {
    files: text === undefined ? inherited : IgnoreRules.extend(inherited, folder, text),
    exclude: found.hasGit ? IgnoreRules.extend(undefined, folder, exclude) : above.exclude,
    everywhere: above.everywhere,
    madeOf: { above, file: markOf(found, known), exclude },
  };
}

function markOf({ gitignore, lookedAt }: RuleFiles, known: FolderRules | undefined): StatMark | undefined {
  if (gitignore === undefined) return undefined;
  return lookedAt === undefined ? known?.madeOf.file : statMark(gitignore, lookedAt);
}

/** In a linked worktree, `.git` is a file that names the directory. */
function excludeFile(folder: string): string {
  const git = join(folder, ".git");
  const linked = /^gitdir: (.*)$/m.exec(textOfRegularFile(git) ?? "")?.[1];
  if (linked === undefined) return join(git, "info/exclude");
  const own = resolve(folder, linked);
  const common = textOfRegularFile(join(own, "commondir"))?.trim();
  return join(common === undefined ? own : resolve(own, common), "info/exclude");
}

/** The folder of the repository that contains `path`; undefined if there is none. */
export function repositoryOf(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false })) return at;
    if (at === dirname(at)) return undefined;
  }
}
