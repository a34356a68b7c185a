// Which files the project of a directory has, and which of them take effect: settings and models from the nearest
// folder of the repository that has any, and the .env of the directory itself. Files in an untrusted folder are only
// reported.

import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { HomePaths } from "../../platform/home/paths.ts";
import { statIfThere } from "../../platform/home/small-file.ts";
import { isTrusted, isUnchangedSinceTrust } from "./trust.ts";

export interface ProjectFiles {
  /** Settings in the format of other agents; `config` takes precedence. */
  readonly settings?: string;
  readonly config?: string;
  readonly models?: string;
  readonly env?: string;
}

export interface Project {
  /** The files that take effect here; they need not exist. */
  readonly files: ProjectFiles;
  /** One line for the user about files that exist but are ignored. */
  readonly ignored?: string;
}

export function projectOf(cwd: string, paths: HomePaths, userHome: string): Project {
  const folder = projectFolder(cwd);
  const isFolderTrusted = isTrusted(paths.trust, folder, userHome);
  const isCwdTrusted = folder === cwd ? isFolderTrusted : isTrusted(paths.trust, cwd, userHome);
  const files: Record<string, string> = {};
  const untrusted: Refused[] = [];
  const changed: Refused[] = [];
  for (const [kind, file] of Object.entries(filesOf(cwd, folder, paths, userHome))) {
    const [holder, isHolderTrusted] = kind === "env" ? [cwd, isCwdTrusted] : [folder, isFolderTrusted];
    const name = relative(cwd, file);
    if (!isHolderTrusted) {
      if (existsSync(file)) untrusted.push({ name, folder: relative(cwd, holder) });
    } else if (isUnchangedSinceTrust(paths.trust, file)) files[kind] = file;
    else changed.push({ name, folder: relative(cwd, holder) });
  }
  const lines = [
    ...(untrusted.length === 0
      ? []
      : [
          `This folder is not trusted; ignored: ${namesOf(untrusted)}. To let ${pronoun(untrusted)} take effect: ${trustCommands(untrusted)}`,
        ]),
    ...(changed.length === 0
      ? []
      : [
          `New or changed since this folder was trusted, and ignored: ${namesOf(changed)}. Look at ${pronoun(changed)}, then run: ${trustCommands(changed)}`,
        ]),
  ];
  return lines.length === 0 ? { files } : { files, ignored: lines.join(". ") };
}

interface Refused {
  readonly name: string;
  /** Relative to the directory; empty for the directory itself. */
  readonly folder: string;
}

const pronoun = (refused: readonly Refused[]): string => (refused.length === 1 ? "it" : "them");
const namesOf = (refused: readonly Refused[]): string => refused.map(({ name }) => name).join(", ");

/** Trust covers the files of one folder, so each folder that holds some needs its own command. */
const trustCommands = (refused: readonly Refused[]): string =>
  [...new Set(refused.map(({ folder }) => `lathe trust ${folder}`.trim()))].join(" && ");

/** The nearest folder with a .lathe, up to the repository's root; outside of a repository only the directory itself. */
function projectFolder(cwd: string): string {
  let nearest: string | undefined;
  for (let path = cwd; ; path = dirname(path)) {
    if (nearest === undefined && existsSync(`${path}/.lathe`)) nearest = path;
    if (existsSync(`${path}/.git`)) return nearest ?? cwd;
    if (path === dirname(path)) return cwd;
  }
}

/** Leaves out the user's own files: in the home folder they have the same paths. */
function filesOf(cwd: string, folder: string, { home }: HomePaths, userHome: string): ProjectFiles {
  const own = `${folder}/.lathe`;
  return {
    ...(isSame(own, home)
      ? {}
      : { settings: `${own}/settings.json`, config: `${own}/config.yml`, models: `${own}/models.yml` }),
    ...(isSame(cwd, userHome) ? {} : { env: `${cwd}/.env` }),
  };
}

/** Compares the paths after following links. */
function isSame(path: string, other: string): boolean {
  if (path === other) return true;
  const [a, b] = [path, other].map(statIfThere);
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
