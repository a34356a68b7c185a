// The repository around a folder, found without git: where its work tree begins, and where its objects and index are.

import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Absolute real paths. */
export interface Repository {
  /** The top of the work tree. */
  readonly top: string;
  /** `.git`, or the folder named in the `.git` file of a linked work tree. */
  readonly gitDir: string;
  /** Contains objects, refs and configuration; the same as `gitDir` except for linked work trees. */
  readonly commonDir: string;
  readonly objectFormat: "sha1" | "sha256";
}

/** Undefined if no parent folder has a repository either. */
export function repositoryAround(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const found = repositoryAt(top);
    if (found || top === dirname(top)) return found;
  }
}

/** The repository whose work tree begins exactly here. */
export function repositoryAt(top: string): Repository | undefined {
  const gitDir = gitDirOf(join(top, ".git"));
  if (gitDir === undefined || !existsSync(join(gitDir, "HEAD"))) return undefined;
  const common = readGitFile(join(gitDir, "commondir"))?.trim();
  const commonDir = common === undefined ? gitDir : realpathSync(resolve(gitDir, common));
  if (!existsSync(join(commonDir, "objects"))) return undefined;
  const isSha256 = /^\s*objectformat\s*=\s*sha256/im.test(readGitFile(join(commonDir, "config")) ?? "");
  return { top, gitDir, commonDir, objectFormat: isSha256 ? "sha256" : "sha1" };
}

function gitDirOf(dotGit: string): string | undefined {
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isFile()) return existsSync(dotGit) ? realpathSync(dotGit) : undefined;
  const [, path] = /^gitdir: (.+)$/m.exec(readGitFile(dotGit) ?? "") ?? [];
  const target = path === undefined ? undefined : resolve(dirname(dotGit), path.trim());
  return target !== undefined && existsSync(target) ? realpathSync(target) : undefined;
}

/**
 * Whether git may store bytes other than those on disk: attributes or configuration set line endings, encodings and
 * filters. Its index then says nothing about the files themselves.
 */
export function mayConvert({ commonDir }: Repository, attributes: readonly string[]): boolean {
  const config = readGitFile(join(commonDir, "config")) ?? "";
  if (/^\s*(?:autocrlf|eol|attributesfile)\s*=/im.test(config)) return true;
  const texts = [join(commonDir, "info/attributes"), ...attributes].map((path) => readGitFile(path) ?? "");
  return texts.some((text) => /^[^#\n]*\s[!-]?(?:text|crlf|eol|ident|filter|working-tree-encoding)\b/m.test(text));
}

export function readGitFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}
