// Skills: folders with a SKILL.md that says what the skill is good for. The model knows their names and reads them when
// it needs them (EX-08).

import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { oneLine } from "@lathe/agent/base";
import { compileFilter } from "@lathe/agent/world";
import { parseMarkdown } from "../discovery/frontmatter.ts";
import { ownName } from "../discovery/item-name.ts";
import type { DiscoveryWarning, Found, MarkdownValue, Source } from "../discovery/types.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The text after the frontmatter. */
  readonly body: string;
  readonly source: Source;
  /** Real path of the folder; files next to SKILL.md belong to the skill. */
  readonly folder: string;
  /** Not listed for the model; a user or an agent's definition can still name it. */
  readonly isHidden: boolean;
}

export interface SkillFilters {
  /** Names, with wildcards; an empty list means all. */
  readonly include: readonly string[];
  readonly ignore: readonly string[];
  /** Where skills may come from. */
  readonly allows: (source: Source) => boolean;
}

export interface SkillSet {
  readonly skills: readonly Skill[];
  readonly warnings: readonly DiscoveryWarning[];
}

/**
 * In the given order: of two with the same name the first is used, and a folder that is reached by two paths is one
 * skill.
 */
export function chooseSkills(found: readonly Found<MarkdownValue>[], filters: SkillFilters): SkillSet {
  const skills = new Map<string, Skill>();
  const folders = new Set<string>();
  const warnings: DiscoveryWarning[] = [];
  for (const item of found) {
    if (!filters.allows(item.source) || !isWanted(item.name, filters)) continue;
    const folder = realpathSync.native(item.value.folder);
    if (folders.has(folder)) continue;
    const skill = skillOf(item, folder);
    const first = skills.get(skill.name);
    if (first) {
      warnings.push({
        path: item.source.path,
        message: `the skill ${skill.name} is not used: ${first.source.path} has the same name`,
      });
      continue;
    }
    folders.add(folder);
    skills.set(skill.name, skill);
  }
  return { skills: [...skills.values()], warnings };
}

function isWanted(name: string, { include, ignore }: SkillFilters): boolean {
  const matches = (patterns: readonly string[]): boolean => patterns.some((pattern) => compileFilter(pattern)(name));
  return (include.length === 0 || matches(include)) && !matches(ignore);
}

function skillOf({ name, source, value }: Found<MarkdownValue>, folder: string): Skill {
  const { description, "disable-model-invocation": isOff } = value.frontmatter;
  const text = typeof description === "string" ? oneLine(description) : "";
  return { name, description: text, body: value.body, source, folder, isHidden: isOff === true || text === "" };
}

/** Skills in the folders that the settings name, one level deep. */
export function customSkills(
  folders: readonly string[],
  { cwd, userHome }: { cwd: string; userHome: string },
): {
  readonly found: readonly Found<MarkdownValue>[];
  readonly warnings: readonly DiscoveryWarning[];
} {
  const found: Found<MarkdownValue>[] = [];
  const warnings: DiscoveryWarning[] = [];
  for (const given of folders) {
    const folder = resolve(cwd, given.replace(/^~(?=\/|$)/, userHome));
    if (!existsSync(folder)) {
      warnings.push({ path: folder, message: "this folder of skills.customDirectories does not exist" });
      continue;
    }
    for (const folderName of readdirSync(folder).sort()) {
      const path = join(folder, folderName, "SKILL.md");
      if (folderName.startsWith(".") || !existsSync(path)) continue;
      const { frontmatter, body, problem } = parseMarkdown(readFileSync(path, "utf8"));
      if (problem) warnings.push({ path, ...problem });
      const { name, problem: nameProblem } = ownName(frontmatter["name"], folderName);
      if (nameProblem !== undefined) warnings.push({ path, message: nameProblem });
      if (name === undefined) continue;
      found.push({
        kind: "skill",
        name,
        source: { provider: "custom", providerName: "custom:user", level: "custom", path },
        value: { frontmatter, body, folder: join(folder, folderName) },
      });
    }
  }
  return { found, warnings };
}
