// Layouts that several agents share: folders of markdown files, folders of skills, folders of code.

import { basename } from "node:path";
import type { Frontmatter } from "./frontmatter.ts";
import { ownName } from "./item-name.ts";
import type { Scan, Search } from "./search.ts";
import type { Level, TextValue } from "./types.ts";

type MarkdownKind = "instruction" | "rule" | "skill" | "command" | "prompt" | "agent";
type TextKind = "context-file" | "system-prompt";

interface MarkdownLayout {
  readonly endings?: readonly string[];
  /** Whether the file may give itself another name. */
  readonly renames?: boolean;
  /** Whether subfolders are part of the name: `git/commit.md` becomes `git:commit`. */
  readonly nested?: boolean;
  /** Translates another agent's frontmatter keys into ours. */
  readonly translate?: (frontmatter: Frontmatter) => Frontmatter;
  /** Replaces another agent's names for folders. */
  readonly resolve?: (text: string) => string;
}

/** Nobody nests commands deeper than this, and the limit ends circular links. */
const DEEPEST = 5;

/** Each file of a folder is one item, named after the file. The path may also be a single file. */
export function markdownFolder<K extends MarkdownKind>(
  search: Search<K>,
  folder: string,
  level: Level,
  layout: MarkdownLayout = {},
  prefix = "",
): void {
  const { endings = [".md"], renames = false, nested = false, translate, resolve = (text) => text } = layout;
  const files = search.files.isFile(folder)
    ? [{ path: folder, base: basename(folder).replace(/\.md$/, "") }]
    : search.filesIn(folder, endings);
  for (const { path, base } of files) {
    const value = search.markdown(path, level);
    if (!value) continue;
    const { name } = value.frontmatter;
    const own = renames && typeof name === "string" && name.trim() !== "" ? name.trim() : base;
    const frontmatter = translate?.(value.frontmatter) ?? value.frontmatter;
    search.add(prefix + own, { level, path }, { ...value, frontmatter, body: resolve(value.body) });
  }
  if (!nested || prefix.split(":").length > DEEPEST) return;
  for (const { name, path, isFolder } of search.files.entries(folder))
    if (isFolder) markdownFolder(search, path, level, layout, `${prefix}${name}:`);
}

/** A file such as `.cursorrules`, from before there were folders of rules: always sent. Only the nearest one counts. */
export function oldRuleFile(search: Search<"rule">, name: string): void {
  for (const folder of search.place.folders) {
    const path = `${folder}/${name}`;
    const value = search.markdown(path, "project");
    if (!value) continue;
    search.add(name.slice(1), { level: "project", path }, { ...value, frontmatter: { alwaysApply: true } });
    return;
  }
}

/** Reads `<folder>/<name>/SKILL.md`, named by its frontmatter or else by its folder. */
export function skillFolder(
  search: Search<"skill">,
  folder: string,
  level: Level,
  prefix = "",
  resolve = (text: string): string => text,
): void {
  for (const { path, isFolder } of search.files.entries(folder))
    if (isFolder) addSkill(search, path, level, prefix, resolve);
}

/** Adds the skill in this very folder. */
export function addSkill(
  search: Search<"skill">,
  folder: string,
  level: Level,
  prefix: string,
  resolve: (text: string) => string,
): void {
  const file = `${folder}/SKILL.md`;
  const value = search.markdown(file, level);
  if (!value) return;
  const { name, problem } = ownName(value.frontmatter["name"], basename(folder));
  if (problem !== undefined) search.warn(file, problem);
  if (name !== undefined) search.add(prefix + name, { level, path: file }, { ...value, body: resolve(value.body) });
}

/** Adds a file whose whole text is the value. */
export function textFile<K extends TextKind>(
  search: Search<K>,
  path: string,
  level: Level,
  { name = basename(path), family }: { readonly name?: string; readonly family?: TextValue["family"] } = {},
): void {
  const text = search.text(path, level)?.trim();
  if (text === undefined || text === "") return;
  (search as Search<TextKind>).add(name, { level, path }, { text, ...(family === undefined ? {} : { family }) });
}

/** Adds code: `<name>.ts` and the like, or a folder with an entry file. */
export function moduleFolder<K extends "tool" | "extension">(
  search: Search<K>,
  folder: string,
  level: Level,
  endings: readonly string[],
  entryOf: (search: Scan, folder: string) => readonly string[],
): void {
  const add = (name: string, path: string, inside?: string): void =>
    (search as Search<"tool" | "extension">).add(
      name,
      { level, path },
      inside === undefined ? { entry: path } : { entry: path, folder: inside },
    );
  for (const { path, base } of search.filesIn(folder, endings)) add(base, path);
  for (const { path, name, isFolder } of search.files.entries(folder)) {
    if (!isFolder) continue;
    for (const entry of entryOf(search, path)) add(name, entry, path);
  }
}

/** The first of these files that a folder has. */
export function firstFile(search: Scan, folder: string, names: readonly string[]): readonly string[] {
  const found = names.map((name) => `${folder}/${name}`).find((path) => search.files.isFile(path));
  return found === undefined ? [] : [found];
}
