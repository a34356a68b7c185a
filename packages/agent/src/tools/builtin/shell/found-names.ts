// The files whose names one command passes to another: which ones exist on the disk, and whether one of the names
// becomes an option, or several files, when it is split at blanks.

import { posix } from "node:path";
import { type FoundFiles, foundKey, type ShellPart } from "../../../contract/shell.ts";
import type { CallScope } from "../../../contract/tool.ts";
import { fitsName } from "../../../policy/permissions/credential-globs.ts";
import { isCredentialFile } from "../../../policy/permissions/sensitive-paths.ts";
import { beginsWithDash, isCutApart } from "../../../policy/shell/steering-names.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { expandGlob } from "./expand-globs.ts";
import { listedByGit } from "./git-repositories.ts";

/** We examine at most this many; beyond that the user is asked about the command. */
const MOST_ENTRIES = 20_000;
const MOST_WRITES = 1000;

interface PlacedFiles {
  readonly found: FoundFiles;
  /** The folder in which the command that gets the names runs. */
  readonly cwd: string | undefined;
}

/** Keys of those files whose names mean the same even if they are split at blanks. */
export async function plainAmong(all: readonly PlacedFiles[], env: ExecutionEnvironment): Promise<ReadonlySet<string>> {
  const plain = new Set<string>();
  for (const { found, cwd } of all)
    if (cwd !== undefined && (await isPlain(found, cwd, env))) plain.add(foundKey(found, cwd));
  return plain;
}

async function isPlain(found: FoundFiles, cwd: string, env: ExecutionEnvironment): Promise<boolean> {
  if (found.isTracked && !(await hasPlainIndex(cwd, env))) return false;
  if (found.isFromTop && (await env.stat(posix.join(cwd, ".git"))) === undefined) return false;
  for (const root of found.roots) {
    const folder = posix.resolve(cwd, root.replace(/[^/]*[*?[{].*$/s, ""));
    const session = env.workingDirectory();
    if (folder !== session && !folder.startsWith(`${session}/`)) return false;
    if (!(await hasPlainNames(folder, env)) || !(await hasPlainTree(folder, env))) return false;
  }
  return true;
}

/** The index may come from anyone and contain any text: an option, several words, a path that leads out. */
async function hasPlainIndex(cwd: string, env: ExecutionEnvironment): Promise<boolean> {
  const paths = await listedByGit(cwd, env);
  return paths?.every((path) => !/^\/|(?:^|\/)(?:-|\.\.(?:\/|$))/.test(path) && !isCutApart(path)) ?? false;
}

/** True if no name in the folder begins with a dash. */
export async function hasPlainNames(folder: string, env: ExecutionEnvironment): Promise<boolean> {
  // A folder that is created later may contain any names.
  const kind = (await env.stat(folder))?.kind;
  if (kind !== "directory") return kind === "file" || folder === env.workingDirectory();
  return (await env.listDirectory(folder, 1)).every(({ name }) => !beginsWithDash(name));
}

async function hasPlainTree(folder: string, env: ExecutionEnvironment): Promise<boolean> {
  if ((await env.stat(folder))?.kind !== "directory") return true;
  const all = { hidden: true, gitignore: false, directories: true, maxResults: 1000 };
  const cut = await env.glob("**/*[\\s'\"\\\\]*", folder, all);
  return !cut.truncated && !cut.paths.some((path) => isCutApart(posix.relative(folder, path)));
}

interface FoundName {
  readonly path: string;
  readonly isDir: boolean;
  readonly isLink: boolean;
}

/** Undefined if there are too many, or if they cannot be determined. */
async function namesOf(found: FoundFiles, cwd: string, env: ExecutionEnvironment): Promise<FoundName[] | undefined> {
  const names: FoundName[] = [];
  let entries = 0;
  const enter = async (folder: string, way: string, left: number): Promise<boolean> => {
    const listed = await env.listDirectory(folder, 1);
    entries += listed.length;
    if (entries > MOST_ENTRIES) return false;
    for (const { name, isDir, isLink = false } of listed) {
      if (found.skipsHidden && name.startsWith(".")) continue;
      const path = posix.join(found.isBare ? cwd : folder, name);
      const isFolder = isDir && !isLink;
      const isLeftOut = isFolder && found.without?.some((glob) => isAt(glob, `${way}/${name}`));
      if (isLeftOut || (isLink && found.skipsLinks)) continue;
      if (found.only === undefined || fitsName(found.only, name, "hidden too")) names.push({ path, isDir, isLink });
      if (isFolder && left > 1 && !(await enter(posix.join(folder, name), `${way}/${name}`, left - 1))) return false;
    }
    return true;
  };
  for (const root of found.roots) {
    const absolute = posix.resolve(cwd, root.replace(/^~(?=\/|$)/, env.home ?? "~"));
    const meant = /[*?[{]/.test(root) ? await expandGlob(absolute, env) : [absolute];
    if (meant === undefined) return undefined;
    for (const path of meant) {
      const stat = await env.stat(path);
      if (stat === undefined) continue;
      const isDir = stat.kind === "directory";
      names.push({ path, isDir, isLink: stat.realPath !== path });
      const depth = found.depth ?? Number.POSITIVE_INFINITY;
      if (isDir && depth > 0 && !(await enter(path, ".", depth))) return undefined;
    }
  }
  return names;
}

/** `./a` is a folder directly below the root; a leading star matches a folder at any depth. */
const isAt = (glob: string, path: string): boolean =>
  glob.startsWith("*") ? path.endsWith(glob.slice(1)) : path === glob;

/** What a part does with files that another command passes to it. */
export interface FoundAccess {
  readonly part: ShellPart;
  readonly files: readonly { readonly kind: "read" | "write"; readonly path: string }[];
}

/**
 * Adds the folders that the part reads behind links. Of files that are only read, we list those with keys, and links;
 * the folders are enough for deny rules.
 */
export async function withFoundFiles(
  part: ShellPart,
  start: string,
  { env, paths }: Pick<CallScope, "env" | "paths">,
): Promise<FoundAccess> {
  if (!part.isHarmless || part.foundUse === "name") return { part, files: [] };
  const cwd = part.cwd ?? start;
  const kind = part.foundUse ?? "read";
  const trees: string[] = [];
  const files: { kind: "read" | "write"; path: string }[] = [];
  const places = { userHome: env.home ?? "/", latheHome: "/" };
  for (const found of part.found ?? []) {
    const names = await namesOf(found, cwd, env);
    const meant = names?.filter(
      ({ path, isDir, isLink }) => isLink || (kind === "write" ? !isDir : isCredentialFile(path, places)),
    );
    const isOpen = !meant || (kind === "write" && meant.length > MOST_WRITES);
    if (isOpen || names?.some(({ path }) => isCutApart(posix.relative(cwd, path))))
      return { part: { ...part, isHarmless: false, isReadOnly: false, strange: NOT_TOLD }, files: [] };
    for (const { path, isDir } of meant) {
      const { real } = await paths.locate(path);
      if (isDir) trees.push(real);
      files.push({ kind, path: real });
    }
  }
  return { part: { ...part, trees: [...part.trees, ...trees] }, files };
}

const NOT_TOLD = "What the other command finds";
