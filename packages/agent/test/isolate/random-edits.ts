// Random edits of a few files, and what git makes of them in a separate repository that merges the same trees as
// branches.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";

const FILES = 6;
const LINES = 24;

const edit = fc.record({
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant("replace" as const) },
    { weight: 2, arbitrary: fc.constantFrom("insert" as const, "cut" as const) },
    { weight: 1, arbitrary: fc.constantFrom("delete" as const, "rename" as const, "add" as const) },
  ),
  file: fc.nat(FILES - 1),
  line: fc.nat(LINES - 1),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
/** Few enough that some rounds have no conflict. */
export const edits = fc.oneof(fc.constant<Edit[]>([]), fc.array(edit, { minLength: 1, maxLength: 2 }));

export function change(folder: string, { what, file, line }: Edit, who: string): void {
  const path = join(folder, `f${file}.txt`);
  if (what === "add") writeFileSync(join(folder, `new-${who}-${file}.txt`), `${who}\n`);
  else if (existsSync(path)) changeFile(path, what, line, who);
}

function changeFile(path: string, what: Edit["what"], line: number, who: string): void {
  if (what === "delete") rmSync(path);
  if (what === "rename") renameSync(path, path.replace(/f(\d)\.txt$/, `moved-${who}-$1.txt`));
  if (what === "delete" || what === "rename") return;
  const lines = readFileSync(path, "utf8").split("\n");
  if (what === "replace") lines[line] = `${who} ${line}`;
  else if (what === "insert") lines.splice(line, 0, `${who} added ${line}`);
  else lines.splice(line, 2);
  writeFileSync(path, lines.join("\n"));
}

/** Edits of the files at the top. */
export const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith(".txt"))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

/** Git's result: the files, and which change conflicts in which files. */
export function byGit(
  base: Record<string, string>,
  ours: Record<string, string>,
  theirs: readonly (readonly [string, Record<string, string>])[],
) {
  const folder = mkdtempSync(join(tmpdir(), "lathe-merge-"));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    }).toString();
  const fill = (files: Record<string, string>): void => {
    for (const name of readdirSync(folder)) if (name !== ".git") rmSync(join(folder, name));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", "x");
  };
  try {
    git("init", "-q", "-b", "base");
    fill(base);
    git("checkout", "-qb", "ours");
    fill(ours);
    const conflicts: string[] = [];
    for (const [id, files] of theirs) {
      git("checkout", "-q", "-b", id, "base");
      fill(files);
      git("checkout", "-q", "ours");
      try {
        git("merge", "-q", "--no-edit", id);
      } catch {
        conflicts.push(id);
        git("reset", "-q", "--hard");
      }
    }
    return { files: contentOf(folder), conflicts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that everyone starts with. */
export const firstFiles = (): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, file) => [
      `f${file}.txt`,
      Array.from({ length: LINES }, (__, line) => `${file} ${line}\n`).join(""),
    ]),
  );
