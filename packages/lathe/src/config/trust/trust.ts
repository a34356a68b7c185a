// Which folders may bring their own settings, models, .env and commands. Instruction text is always read; everything
// that could run something or send a key elsewhere only takes effect below a trusted folder.

import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { readJsonFile, updateJsonFile } from "../../platform/home/json-file.ts";
import { readIfReadable } from "../../platform/home/small-file.ts";

interface TrustFile {
  readonly folders: Readonly<Record<string, TrustedFolder>>;
}

interface TrustedFolder {
  readonly since: string;
  /** SHA-256 of the folder's files when it was trusted, by path. */
  readonly seen?: Readonly<Record<string, string>>;
}

export function isTrusted(trustFile: string, folder: string, userHome: string): boolean {
  return trustedAbove(trustFile, realpathSync.native(folder), userHome) !== undefined;
}

/** The trusted folder: the given one, or the nearest one above it. */
export function trustedAbove(trustFile: string, folder: string, userHome: string): string | undefined {
  const { folders } = read(readJsonFile(trustFile));
  for (let path = folder; ; path = dirname(path)) {
    if (Object.hasOwn(folders, path) && (path === folder || !isHomeOrAbove(path, userHome))) return path;
    if (path === dirname(path)) return undefined;
  }
}

/**
 * The user's home and the folders above it contain everything ever downloaded, so trust in them does not cover what is
 * below.
 */
export function isHomeOrAbove(folder: string, userHome: string): boolean {
  const home = existsSync(userHome) ? realpathSync.native(userHome) : userHome;
  return home === folder || home.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/**
 * Trusts the current contents of the folder's files. `more` are further files that run code, relative to the folder;
 * `files` in the result are those that now take effect.
 */
export async function trustFolder(
  trustFile: string,
  folder: string,
  now: Date,
  more: readonly string[] = [],
): Promise<{ readonly path: string; readonly files: readonly string[] }> {
  const path = await realpath(folder);
  const found = [...FILES, ...more].flatMap((name) => entryOf(`${path}/${name}`).map((entry) => ({ name, entry })));
  const seen = Object.fromEntries(found.map(({ entry }) => entry));
  await updateJsonFile(trustFile, (value) => ({
    folders: { ...read(value).folders, [path]: { since: now.toISOString(), seen } },
  }));
  return { path, files: found.map(({ name }) => name) };
}

/** The files that a folder may bring. */
const FILES = [
  ...[".lathe/settings.json", ".lathe/config.yml", ".lathe/models.yml", ".env"],
  ...[".lathe/ssh.json", "ssh.json", ".ssh.json"],
];

/** Whether the file still has the contents it had when its folder was trusted. True if the file does not exist. */
export function isUnchangedSinceTrust(trustFile: string, file: string): boolean {
  const [entry] = entryOf(file);
  if (!entry) return true;
  const [path, digest] = entry;
  const { folders } = read(readJsonFile(trustFile));
  return Object.values(folders).some(({ seen = {} }) => Object.hasOwn(seen, path) && seen[path] === digest);
}

function entryOf(file: string): [path: string, digest: string][] {
  const text = readIfReadable(file);
  if (text === undefined) return [];
  // Most folders have no settings, so a start should not wait for node:crypto.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return [[realpathSync.native(file), createHash("sha256").update(text).digest("hex")]];
}

/** Also works for a folder that no longer exists. */
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
