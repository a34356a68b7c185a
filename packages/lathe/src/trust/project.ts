// Which files the project of a directory has, and which of them take effect: settings and models from the nearest folder of the
// repository that has some, an .env of the directory itself. Without trust in the folder that holds them they are only named.

import { existsSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { HomePaths } from "../home/paths.ts";
import { isAsTrusted, isTrusted } from "./trust.ts";

export interface ProjectFiles {
  readonly config?: string;
  readonly models?: string;
  readonly env?: string;
}

export interface Project {
  /** The file that takes effect here; it need not exist. */
  readonly files: ProjectFiles;
  /** One line for the user about files that exist but are ignored. */
  readonly ignored?: string;
}

export function projectOf(cwd: string, paths: HomePaths, userHome: string): Project {
  const folder = projectFolder(cwd);
  const isFolderTrusted = isTrusted(paths.trust, folder, userHome);
  const isCwdTrusted = folder === cwd ? isFolderTrusted : isTrusted(paths.trust, cwd, userHome);
  const { env, ...settings } = filesOf(cwd, folder, paths, userHome);
  const changed = Object.values(settings).filter((file) => isFolderTrusted && !isAsTrusted(paths.trust, file));
  if (changed.length > 0) {
    const names = changed.map((file) => relative(cwd, file)).join(", ");
    const where = folder === cwd ? "" : ` ${relative(cwd, folder)}`;
    const unchanged = Object.fromEntries(Object.entries(settings).filter(([, file]) => !changed.includes(file)));
    return {
      files: { ...unchanged, ...(isCwdTrusted && env !== undefined ? { env } : {}) },
      ignored: `Changed since this folder was trusted, and ignored: ${names}. Look at ${pronoun(changed)}, then run: lathe trust${where}`,
    };
  }
  const refused = [
    ...(isFolderTrusted ? [] : [settings.config, settings.models]),
    ...(isCwdTrusted ? [] : [env]),
  ].filter((file) => file !== undefined && existsSync(file)) as string[];
  const files = { ...(isFolderTrusted ? settings : {}), ...(isCwdTrusted && env !== undefined ? { env } : {}) };
  if (refused.length === 0) return { files };
  const names = refused.map((file) => relative(cwd, file)).join(", ");
  const where = isFolderTrusted || folder === cwd ? "" : ` ${relative(cwd, folder)}`;
  return {
    files,
    ignored: `This folder is not trusted; ignored: ${names}. To let ${pronoun(refused)} take effect: lathe trust${where}`,
  };
}

const pronoun = (files: readonly string[]): string => (files.length === 1 ? "it" : "them");

/** The nearest folder with a .lathe, not above the repository; outside of one only the directory itself. */
function projectFolder(cwd: string): string {
  let nearest: string | undefined;
  for (let path = cwd; ; path = dirname(path)) {
    if (nearest === undefined && existsSync(`${path}/.lathe`)) nearest = path;
    if (existsSync(`${path}/.git`)) return nearest ?? cwd;
    if (path === dirname(path)) return cwd;
  }
}

/** Without those that are the user's own: in the home folder they have the same paths. */
function filesOf(cwd: string, folder: string, { home }: HomePaths, userHome: string): ProjectFiles {
  const own = `${folder}/.lathe`;
  return {
    ...(isSame(own, home) ? {} : { config: `${own}/config.yml`, models: `${own}/models.yml` }),
    ...(isSame(cwd, userHome) ? {} : { env: `${cwd}/.env` }),
  };
}

/** Wherever links lead. */
function isSame(path: string, other: string): boolean {
  if (path === other) return true;
  const [a, b] = [path, other].map((one) => statSync(one, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
