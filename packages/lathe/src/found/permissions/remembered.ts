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

export class RememberedRules {
  readonly #options: RememberedOptions;
  /** Read on first use: most sessions never ask. */
  #kept: readonly RememberedRule[] | undefined;

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
      const kept = keptIn(readJsonFile(file), project);
      const folder = kept.length === 0 ? "" : this.#options.folder();
      this.#kept = kept.filter((rule) => rule.until > now() && rule.folder === folder);
    }
    return this.#kept;
  }

  /** Takes effect at once, and in later sessions of the project until it expires. */
  async add(rule: string): Promise<void> {
    const { file, project, now, days } = this.#options;
    const folder = this.#options.folder();
    const added = { rule, until: days > 0 ? now() + days * DAY_MS : Number.MAX_SAFE_INTEGER, folder };
    const others = this.list().filter((known) => known.rule !== rule);
    this.#kept = [...others, added];
    if (days > 0)
      await updateJsonFile(file, (value) =>
        withProject(value, project, (kept) => [
          ...kept.filter((known) => known.rule !== rule && known.until > now() && known.folder === folder),
          added,
        ]),
      );
  }

  async clear(): Promise<void> {
    const { file, project } = this.#options;
    if (this.list().length === 0) return;
    this.#kept = [];
    await updateJsonFile(file, (value) => withProject(value, project, () => []));
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
