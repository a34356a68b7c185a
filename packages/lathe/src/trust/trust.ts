// Which folders may bring settings, models, an .env and commands of their own. Instruction text always counts; everything
// that could run something or send a key elsewhere counts only below a trusted folder.

import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { readJsonFile, updateJsonFile } from "../home/json-file.ts";
import { projectPaths } from "../home/paths.ts";

interface TrustFile {
  readonly folders: Readonly<Record<string, { readonly since: string }>>;
}

export function isTrusted(trustFile: string, folder: string): boolean {
  return trustedAbove(trustFile, realpathSync.native(folder)) !== undefined;
}

/** The folder itself or the nearest above it that is trusted. */
export function trustedAbove(trustFile: string, folder: string): string | undefined {
  const { folders } = read(readJsonFile(trustFile));
  for (let path = folder; ; path = dirname(path)) {
    if (Object.hasOwn(folders, path)) return path;
    if (path === dirname(path)) return undefined;
  }
}

export async function trustFolder(trustFile: string, folder: string, now: Date): Promise<string> {
  const path = await realpath(folder);
  await updateJsonFile(trustFile, (value) => ({
    folders: { ...read(value).folders, [path]: { since: now.toISOString() } },
  }));
  return path;
}

/** Also one that is gone by now. */
export async function untrustFolder(trustFile: string, folder: string): Promise<boolean> {
  const path = await realpath(folder).catch(() => folder);
  let found = false;
  await updateJsonFile(trustFile, (value) => {
    const { [path]: removed, ...rest } = read(value).folders;
    found = removed !== undefined;
    return { folders: rest };
  });
  return found;
}

export function trustedFolders(trustFile: string): readonly string[] {
  return Object.keys(read(readJsonFile(trustFile)).folders);
}

/** What an untrusted folder would have brought; names for the one line the user sees. */
export function ignoredProjectFiles(cwd: string): readonly string[] {
  const paths = projectPaths(cwd);
  const found = [
    [".lathe/config.yml", paths.config],
    [".lathe/models.yml", paths.models],
    [".env", paths.env],
  ] as const;
  return found.filter(([, path]) => existsSync(path)).map(([name]) => name);
}

function read(value: unknown): TrustFile {
  const folders = (value as TrustFile | undefined)?.folders;
  return { folders: folders && typeof folders === "object" ? folders : {} };
}
