// What only the disk can tell about a command: which repository git works in, which names a glob matches.

import { posix } from "node:path";
import type { ShellAnalysis, ShellContext, ShellPart } from "../../../contract/shell.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { hasPlainNames, plainAmong } from "./found-names.ts";
import { gitProgramInside, gitSteering } from "./git-repositories.ts";
import { npmSteering } from "./npm-settings.ts";

export interface DiskFacts extends Required<Pick<ShellContext, "plainNames" | "plainFound">> {
  readonly sameRepository: ReadonlySet<string>;
  readonly top?: string | undefined;
  /** Programs that are not harmless here, with what in the folder changes their behaviour. */
  readonly steered: ReadonlyMap<string, string>;
}

/** Undefined if nothing in the text depends on the disk. */
export async function diskFacts(
  { parts }: ShellAnalysis,
  env: ExecutionEnvironment,
  isTrusted: boolean,
): Promise<DiskFacts | undefined> {
  const gitFolders = foldersOf(parts.filter(isGit));
  const npmFolders = new Set(parts.filter((part) => programOf(part) === "npm").map(({ cwd }) => cwd));
  const root = env.workingDirectory();
  const globs = foldersOf(parts.filter(({ words }) => words.some((word) => /^[*?[]/.test(word))));
  const found = parts.flatMap((part) => (part.found ?? []).map((one) => ({ found: one, cwd: part.cwd })));
  if (gitFolders.size + npmFolders.size + globs.size + found.length === 0) return undefined;
  const steered = new Map<string, string>();
  const forGit = gitFolders.size === 0 ? undefined : await (isTrusted ? gitProgramInside : gitSteering)(root, env);
  if (forGit !== undefined) steered.set("git", forGit);
  for (const folder of npmFolders) {
    const forNpm = await npmSteering(folder, env, isTrusted ? [env.home, root] : [env.home]);
    if (forNpm !== undefined) steered.set("npm", forNpm);
  }
  return {
    steered,
    ...(gitFolders.size > 0 && { top: await topOf(root, env) }),
    sameRepository: await keep(gitFolders, async (folder) => forGit === undefined && isOurs(folder, root, env)),
    plainNames: await keep(globs, (folder) => hasPlainNames(folder, env)),
    plainFound: await plainAmong(found, env),
  };
}

/** The program's name without its folder. */
export function programOf({ words }: ShellPart): string {
  return posix.basename(words[0] ?? "");
}

export const isGit = (part: ShellPart): boolean => programOf(part) === "git";

function foldersOf(parts: readonly ShellPart[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ cwd }) => cwd ?? []));
}

async function keep(
  folders: ReadonlySet<string>,
  test: (folder: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  for (const folder of folders) if (await test(folder)) kept.add(folder);
  return kept;
}

/**
 * True for the session's own folder or one below it, if neither it nor a folder on the way is a separate repository or
 * a link.
 */
async function isOurs(folder: string, root: string, env: ExecutionEnvironment): Promise<boolean> {
  if (folder === root) return true;
  if (!folder.startsWith(root === "/" ? root : `${root}/`)) return false;
  const stat = await env.stat(folder);
  if (stat?.kind !== "directory" || stat.realPath !== folder) return false;
  for (const name of [".git", "HEAD"]) if ((await env.stat(posix.join(folder, name))) !== undefined) return false;
  return isOurs(posix.dirname(folder), root, env);
}

/** The nearest folder above that is a repository; the folder itself if there is none. */
async function topOf(root: string, env: ExecutionEnvironment): Promise<string> {
  for (let folder = root; ; folder = posix.dirname(folder)) {
    if ((await env.stat(posix.join(folder, ".git"))) !== undefined) return folder;
    if (folder === posix.dirname(folder)) return root;
  }
}
