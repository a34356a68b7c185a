// What commands leave that git would act on outside the sandbox: repositories of their own, links inside `.git` that
// git writes through, rebase steps that run programs. A mount cannot cover names that may appear anywhere, so we search
// for these afterwards.

import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../is-inside.ts";
import { bytesOf, findEntries } from "./find-entries.ts";
import type { GitMount } from "./git-places.ts";

/** What existed before the first command. Paths are byte strings (latin1). */
export interface GitBefore {
  /** `.git` files and folders, and bare repositories. */
  readonly repositories: ReadonlySet<string>;
  /** Links and pipes in the folders of protected repositories. */
  readonly links: ReadonlySet<string>;
  /** The remaining steps of a rebase, by its folder. */
  readonly steps: ReadonlyMap<string, string>;
}

const LARGEST_CONFIG = 65_536;
const LARGEST_STEPS = 2 ** 28;
const DISARMED = /\.git\.untrusted(?:-\d+)?\/HEAD$/;
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)?\s*$/;

/** Settings that name no program and include no file. Any other setting makes a repository untrusted. */
const HARMLESS_SETTINGS = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|symlinks|ignorecase|precomposeunicode|autocrlf|eol)$/,
  /^remote\.(?:url|pushurl|fetch|tagopt|prune)$/,
  /^branch\.(?:remote|merge|rebase|description)$/,
  /^submodule\.(?:url|active)$/,
  /^(?:user|author|committer)\.(?:name|email)$/,
  /^(?:pull\.rebase|push\.default|init\.defaultbranch|extensions\.objectformat)$/,
];

/** A folder that can be entered but not listed hides its content from us, but not from git. */
const OPEN_FOLDERS = ["-type", "d", "!", "-perm", "-500", "!", "-exec", "chmod", "u+rx", "{}", ";", "-o"];
const LINKS = ["(", "-type", "l", "-o", "-type", "p", ")"];

/** The repositories below folders: `.git` files and folders, and bare repositories. */
export async function findRepositories(
  folders: readonly string[],
  prepare: readonly string[] = [],
  onUnfinished?: () => void,
): Promise<string[]> {
  const names = ["-name", ".git", "-print0", "-prune", "-o", "-name", "HEAD"];
  const found = await findEntries(folders, [...prepare, ...names], onUnfinished);
  return found.flatMap((path) => {
    if (path.endsWith("/.git")) return [path];
    if (DISARMED.test(path)) return [];
    const has = (name: string): boolean => kindOf(`${path.slice(0, -"HEAD".length)}${name}`) !== undefined;
    return has("commondir") || (has("objects") && has("refs")) ? [path.slice(0, -"/HEAD".length)] : [];
  });
}

/** Links and pipes in the folders of protected repositories. */
export function findLinks(mounts: readonly GitMount[]): Promise<string[]> {
  const folders = mounts.filter((mount) => mount.isWritable).map((mount) => mount.path);
  return findEntries(folders, LINKS);
}

export function readSteps(mounts: readonly GitMount[]): Map<string, string> {
  const folders = mounts.filter((mount) => mount.isWritable).map((mount) => join(mount.path, "rebase-merge"));
  return new Map(folders.map((folder) => [folder, readSmall(stepsOf(folder), LARGEST_STEPS) ?? ""]));
}

/** Makes what commands left below the roots harmless; returns a sentence about each item. */
export async function disarmLeftovers(
  roots: readonly string[],
  mounts: readonly GitMount[],
  before: GitBefore,
): Promise<string[]> {
  const [repositories, links] = await Promise.all([findRepositories(roots, OPEN_FOLDERS), findLinks(mounts)]);
  const isOurs = (path: string): boolean => mounts.some((mount) => isInside(path, toLatin1(mount.path)));
  const fresh = repositories.filter((path) => !before.repositories.has(path) && !isOurs(path));
  const freshLinks = await findEntries(fresh.map(readablePath), LINKS);
  const isHarmful = (path: string): boolean => freshLinks.some((link) => isInside(link, path)) || !isHarmless(path);
  return [
    ...fresh.filter(isHarmful).map((path) => attempt(headOf(path), roots, disarmRepository)),
    ...links.filter((path) => !before.links.has(path)).map((path) => attempt(path, undefined, removeLink)),
  ].filter((said) => said !== undefined);
}

/** Called when the session ends; until then, a command may continue the rebase itself. */
export function disarmRebases(mounts: readonly GitMount[], before: GitBefore): string[] {
  return [...readSteps(mounts)].flatMap(([folder, steps]) => {
    const isUsers = steps === before.steps.get(folder);
    const disarmed = isUsers ? steps : steps.replaceAll(/^[ \t]*(?:exec|x)[ \t]/gm, "# $&");
    const strategy = join(folder, "strategy");
    const isKnown = STRATEGIES.test(readSmall(Buffer.from(strategy)) ?? "");
    if (isKnown && disarmed === steps) return [];
    const disarm = (): string => {
      if (!isKnown) rmSync(strategy);
      rmSync(stepsOf(folder), { force: true });
      writeFileSync(stepsOf(folder), disarmed, "latin1");
      return `The unfinished rebase in ${dirname(folder)} would run programs: these steps were commented out.`;
    };
    return attempt(toLatin1(join(folder, "git-rebase-todo")), undefined, disarm) ?? [];
  });
}

/** Continuing a cherry-pick or revert outside the sandbox starts the merge strategy that it names. */
export function disarmSequences(mounts: readonly GitMount[]): string[] {
  const files = mounts.filter((mount) => mount.isWritable).map(({ path }) => join(path, "sequencer/opts"));
  return files.flatMap((file) => {
    const named = [...(readSmall(Buffer.from(file)) ?? "").matchAll(/^\s*strategy\s*=\s*(.*)$/gim)];
    if (named.every(([, strategy = ""]) => STRATEGIES.test(strategy))) return [];
    const remove = (): string => {
      rmSync(file);
      return `The unfinished cherry-pick or revert in ${dirname(dirname(file))} would run a program: its options were removed.`;
    };
    return attempt(toLatin1(file), undefined, remove) ?? [];
  });
}

/** Whether nothing in a repository makes git run a program. */
function isHarmless(path: string): boolean {
  // A link, or a file that leads to a repository elsewhere; git creates such files only where commands may not write.
  if (kindOf(path) !== "folder") return false;
  return (
    ["commondir", "config.worktree", "rebase-merge"].every((name) => kindOf(`${path}/${name}`) === undefined) &&
    ["modules", "worktrees"].every((name) => entriesOf(`${path}/${name}`)?.length === 0) &&
    (entriesOf(`${path}/hooks`)?.every((name) => name.endsWith(".sample")) ?? false) &&
    hasHarmlessSettings(`${path}/config`)
  );
}

function hasHarmlessSettings(path: string): boolean {
  if (kindOf(path) === undefined) return true;
  let section = "";
  return (readSmall(bytesOf(path)) ?? "[unreadable]x").split("\n").every((line) => {
    const [, name] = /^\[([a-z]+)(?: "[^"\\\]]*")?\]$/i.exec(line.trim()) ?? [];
    if (name !== undefined) {
      section = name.toLowerCase();
      return true;
    }
    const [, key = "", value = ""] = /^\s*([a-z]+)\s*=\s*(.*[^\\])?$/i.exec(line) ?? [];
    if (key === "") return /^\s*(?:[#;].*)?$/.test(line);
    // An address such as `ext::…` names a program.
    return !value.includes("::") && HARMLESS_SETTINGS.some((known) => known.test(`${section}.${key.toLowerCase()}`));
  });
}

/** The file that makes a folder a repository. */
const headOf = (path: string): string => (path.endsWith("/.git") ? path : `${path}/HEAD`);

function disarmRepository(entry: string): string {
  const name = `${entry}.untrusted`;
  const free = [name, ...Array.from({ length: 99 }, (_, index) => `${name}-${index + 2}`)].find((to) => !kindOf(to));
  renameSync(bytesOf(entry), bytesOf(free ?? `${name}-100`));
  return `A command in the sandbox created a repository that can make git run programs: ${readablePath(entry)} is now ${readablePath(free ?? name)}.`;
}

function removeLink(path: string): string {
  unlinkSync(bytesOf(path));
  return `A command in the sandbox left a link or pipe where git writes: ${readablePath(path)} was removed.`;
}

/** A folder may have been made read-only, or replaced by a link that leads out of the roots. */
function attempt(
  path: string,
  roots: readonly string[] | undefined,
  act: (path: string) => string,
): string | undefined {
  try {
    const folder = realpathSync.native(bytesOf(dirname(path)), "latin1");
    if (roots && !roots.some((root) => isInside(folder, toLatin1(root)))) return undefined;
    const { mode } = statSync(bytesOf(folder));
    if ((mode & 0o700) !== 0o700) chmodSync(bytesOf(folder), (mode & 0o777) | 0o700);
    return act(path);
  } catch (error) {
    return `${readablePath(path)} was left by a command in the sandbox and may make git run programs: ${String(error)}`;
  }
}

const toLatin1 = (path: string): string => Buffer.from(path).toString("latin1");
const readablePath = (path: string): string => bytesOf(path).toString("utf8");
const stepsOf = (folder: string): Buffer => Buffer.from(join(folder, "git-rebase-todo"));

function kindOf(path: string): "folder" | "other" | undefined {
  try {
    const kind = lstatSync(bytesOf(path), { throwIfNoEntry: false });
    return kind && (kind.isDirectory() ? "folder" : "other");
  } catch {
    return "other"; // not readable by us, which is no reason to trust it
  }
}

/** Undefined if it is not a folder, or cannot be listed. */
function entriesOf(path: string): string[] | undefined {
  if (kindOf(path) === undefined) return [];
  try {
    return kindOf(path) === "folder" ? readdirSync(bytesOf(path), "latin1") : undefined;
  } catch {
    return undefined;
  }
}

function readSmall(path: Buffer, most = LARGEST_CONFIG): string | undefined {
  try {
    const kind = lstatSync(path);
    return kind.isFile() && kind.size <= most ? readFileSync(path, "latin1") : undefined;
  } catch {
    return undefined; // missing
  }
}
