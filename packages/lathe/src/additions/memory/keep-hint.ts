// Writes what new sessions of a project are told, and the pages for its user: from its memories, and whole or not at all.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DigestView, digestView } from "./digest-view.ts";
import type { Hint } from "./hint.ts";
import { inTransaction } from "./memory-file.ts";
import type { MemoryStore } from "./memory-store.ts";
import { folderOf } from "./places.ts";

export const hintFile = (home: string, project: string): string => join(folderOf(home, project), "hint.json");

/** No other process changes the memories meanwhile, so that the files are never of an older state than the last change. */
export function keepHint(store: MemoryStore, home: string, project: string): void {
  const folder = folderOf(home, project);
  inTransaction(store.db, () => {
    const view = digestView(store, project);
    const hint = hintOf(view, project, store.revision(project));
    if (hint.notes.length === 0) rmSync(folder, { recursive: true, force: true });
    else writePages(folder, hint, view);
  });
}

const hintOf = ({ summary, playbooks, newer }: DigestView, project: string, revision: number): Hint => ({
  version: 1,
  project,
  revision,
  notes: [...summary, ...newer.map(({ text, files }) => ({ text, files }))],
  playbooks: playbooks.map(({ name, about, files }) => ({ name, about, files })),
});

function writePages(folder: string, hint: Hint, view: DigestView): void {
  writeWhole(join(folder, "MEMORY.md"), pageOf(view));
  writeWhole(join(folder, "memory_summary.md"), `${hint.notes.map(({ text }) => `- ${text}`).join("\n")}\n`);
  for (const { name, about, body } of view.playbooks)
    writeWhole(
      join(folder, "skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: ${JSON.stringify(about)}\n---\n${body}\n`,
    );
  const skills = join(folder, "skills");
  const kept = new Set(view.playbooks.map(({ name }) => name));
  for (const name of existsSync(skills) ? readdirSync(skills) : [])
    if (!kept.has(name)) rmSync(join(skills, name), { recursive: true, force: true });
  // The last one: it says which state the others are of.
  writeWhole(join(folder, "hint.json"), `${JSON.stringify(hint)}\n`);
}

/** For people: everything, with the files that it rests on. */
export function pageOf({ sections, newer }: Pick<DigestView, "sections" | "newer">): string {
  const blocks = sections
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => [`## ${title}`, "", ...items.map(lineOf)]);
  const more = newer.length === 0 ? [] : [["## Notes", "", ...newer.map(lineOf)]];
  return `${["# Memories", ...[...blocks, ...more].flatMap((lines) => ["", ...lines])].join("\n")}\n`;
}

const lineOf = ({
  text,
  files,
}: {
  readonly text: string;
  readonly files: readonly { readonly path: string }[];
}): string => (files.length === 0 ? `- ${text}` : `- ${text} (${files.map(({ path }) => path).join(", ")})`);

function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}.tmp`;
  writeFileSync(aside, text, { mode: 0o600 });
  renameSync(aside, file);
}
