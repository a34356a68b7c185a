// Which folders may bring settings, models, an .env and commands of their own. Instruction text always counts; everything
// that could run something or send a key elsewhere counts only below a trusted folder.

import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { readJsonFile, updateJsonFile } from "../home/json-file.ts";

interface TrustFile {
  readonly folders: Readonly<Record<string, { readonly since: string }>>;
}

export function isTrusted(trustFile: string, folder: string, userHome: string): boolean {
  return trustedAbove(trustFile, realpathSync.native(folder), userHome) !== undefined;
}

/** The folder itself or the nearest above it that is trusted. */
export function trustedAbove(trustFile: string, folder: string, userHome: string): string | undefined {
  const { folders } = read(readJsonFile(trustFile));
  for (let path = folder; ; path = dirname(path)) {
    if (Object.hasOwn(folders, path) && (path === folder || !holdsStrangers(path, userHome))) return path;
    if (path === dirname(path)) return undefined;
  }
}

/** The user's home and what is above it hold whatever was ever fetched: trust in them does not reach what is below. */
export function holdsStrangers(folder: string, userHome: string): boolean {
  const home = existsSync(userHome) ? realpathSync.native(userHome) : userHome;
  return home === folder || home.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
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

function read(value: unknown): TrustFile {
  const folders = (value as TrustFile | undefined)?.folders;
  return { folders: folders && typeof folders === "object" ? folders : {} };
}
