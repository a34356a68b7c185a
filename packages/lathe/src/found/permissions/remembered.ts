// Rules that the user has allowed in a project beyond one session, until they expire: a small file in Lathe's home, by
// project.

import { statSync } from "node:fs";
import { type Rule, readRule } from "@lathe/agent/policy";
import { isJsonObject } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { readJsonFile, updateJsonFile } from "../../platform/home/json-file.ts";

/** One rule of one project. */
export interface RememberedRule {
  readonly rule: string;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Identity of the folder it was granted for: another one may be at the same path later. */
  readonly folder: string;
}

interface RememberedOptions {
  readonly file: string;
  /** Real path of the working directory. */
  readonly project: string;
  /** Identifies the working directory, as opposed to another one at the same path. */
  readonly folder: () => string;
  readonly now: () => number;
  /** How long an answer lasts; 0 means until the session ends. */
  readonly days: number;
}

const DAY_MS = 24 * 60 * 60_000;
const FOR_THIS_SESSION = Number.MAX_SAFE_INTEGER;

/** Each write replaces the file, so another version has another inode or time. Empty if there is none. */
function versionOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

export class RememberedRules {
  readonly #options: RememberedOptions;
  /** Read on first use: most sessions never ask. */
  #kept: readonly RememberedRule[] | undefined;
  /** Which version of the file `#kept` agrees with. */
  #version = "";
  /** Changes of the file by this session that are under way: until then, `#kept` is newer than the file. */
  #writes = 0;

  constructor(options: RememberedOptions) {
    this.#options = options;
  }

  get days(): number {
    return this.#options.days;
  }

  rules(): readonly Rule[] {
    return this.list().flatMap(({ rule }) => ruleOf(rule));
  }

  list(): readonly RememberedRule[] {
    if (this.#kept === undefined) {
      const { file, project, now } = this.#options;
      this.#version = versionOf(file);
      const kept = keptIn(readJsonFile(file), project);
      const folder = kept.length === 0 ? "" : this.#options.folder();
      this.#kept = kept.filter((rule) => rule.until > now() && rule.folder === folder);
    } else if (this.#writes === 0) this.#dropForgotten(this.#kept);
    return this.#kept;
  }

  /**
   * Rules that are no longer in the file were withdrawn elsewhere, with `lathe policy forget` or in another session.
   * Rules that only this session has were never in it.
   */
  #dropForgotten(known: readonly RememberedRule[]): void {
    const { file, project } = this.#options;
    const version = known.length === 0 ? this.#version : versionOf(file);
    if (version === this.#version) return;
    const kept = new Set(keptIn(readJsonFile(file), project).map(({ rule }) => rule));
    this.#kept = known.filter(({ rule, until }) => until === FOR_THIS_SESSION || kept.has(rule));
    this.#version = version;
  }

  async #write(change: (kept: readonly RememberedRule[]) => readonly RememberedRule[]): Promise<void> {
    const { file, project } = this.#options;
    this.#writes++;
    try {
      await updateJsonFile(file, (value) => withProject(value, project, change));
    } finally {
      this.#writes--;
    }
  }

  /** Takes effect at once, and in later sessions of the project until it expires. */
  async add(rule: string): Promise<void> {
    const { now, days } = this.#options;
    const folder = this.#options.folder();
    const added = { rule, until: days > 0 ? now() + days * DAY_MS : FOR_THIS_SESSION, folder };
    const others = this.list().filter((known) => known.rule !== rule);
    this.#kept = [...others, added];
    if (days > 0)
      await this.#write((kept) => [
        ...kept.filter((known) => known.rule !== rule && known.until > now() && known.folder === folder),
        added,
      ]);
  }

  async clear(): Promise<void> {
    if (this.list().length === 0) return;
    this.#kept = [];
    await this.#write(() => []);
  }
}

export const rememberedIn = ({ paths, cwd, machine, settings }: Workspace): RememberedRules =>
  new RememberedRules({
    file: paths.permissions,
    project: cwd,
    folder: () => folderIdentity(cwd),
    now: () => machine.deps.now(),
    days: settings["permissions.rememberDays"],
  });

/** Its inode, plus its creation time if the file system knows it, because inodes of deleted folders are reused. */
function folderIdentity(path: string): string {
  const { ino, birthtimeMs, ctimeMs } = statSync(path);
  return birthtimeMs === 0 || birthtimeMs === ctimeMs ? `${ino}` : `${ino}-${Math.floor(birthtimeMs)}`;
}

function withProject(
  value: unknown,
  project: string,
  change: (kept: readonly RememberedRule[]) => readonly RememberedRule[],
): Record<string, unknown> {
  const all = isJsonObject(value) ? value : {};
  const { [project]: _before, ...others } = all;
  const kept = change(keptIn(value, project));
  return kept.length === 0 ? others : { ...others, [project]: kept };
}

function keptIn(value: unknown, project: string): readonly RememberedRule[] {
  const kept: unknown = isJsonObject(value) && Object.hasOwn(value, project) ? value[project] : [];
  return Array.isArray(kept) ? kept.filter(isRemembered) : [];
}

function isRemembered(value: unknown): value is RememberedRule {
  if (!isJsonObject(value)) return false;
  return ["rule", "folder"].every((key) => typeof value[key] === "string") && typeof value["until"] === "number";
}

function ruleOf(text: string): Rule[] {
  const read = readRule(text);
  return "problem" in read ? [] : [{ ...read, decision: "allow", origin: "remembered", insideOnly: true }];
}
