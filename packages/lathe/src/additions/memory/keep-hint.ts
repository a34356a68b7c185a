// Writes the hint for new sessions of a project and the pages for its user, from its memories. Each file is replaced as
// a whole.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DigestView, digestView } from "./digest-view.ts";
import type { Hint } from "./hint.ts";
import { inTransaction } from "./memory-file.ts";
import type { MemoryStore } from "./memory-store.ts";
import { folderOf } from "./places.ts";

export const hintFile = (home: string, project: string): string => join(folderOf(home, project), "hint.json");

/** In a transaction, so that no other process can change the memories meanwhile and leave older files behind. */
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
  // Written last, because it names the revision of the others.
  writeWhole(join(folder, "hint.json"), `${JSON.stringify(hint)}\n`);
}

/** The page for the user: all memories with their files. */
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
