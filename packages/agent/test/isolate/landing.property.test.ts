// Random overlapping edits in eight views and by a user who edits, stages and commits meanwhile. What has to come out is asked of
// git itself, in a repository apart that merges the same trees as branches.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { land } from "../../src/isolate/land.ts";
import type { Delta } from "../../src/isolate/types.ts";
import { CAN_ISOLATE, makeProject, NEEDS, pictureOf } from "./project.ts";

const VIEWS = 8;
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
const edits = fc.oneof(fc.constant<Edit[]>([]), fc.array(edit, { minLength: 1, maxLength: 2 }));

function change(folder: string, { what, file, line }: Edit, who: string): void {
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

const FILES_ONLY = (path: string): boolean => path === ".git";
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== ".git")
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

/** What git makes of it: the files, and which change conflicts in which files. */
function byGit(
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

it.skipIf(!CAN_ISOLATE)(
  `SA-07 G-77 landing equals git's own merge, or changes nothing and names each conflict ${NEEDS}`,
  async () => {
    const first = Object.fromEntries(
      Array.from({ length: FILES }, (_, file) => [
        `f${file}.txt`,
        Array.from({ length: LINES }, (__, line) => `${file} ${line}\n`).join(""),
      ]),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(edits, { minLength: VIEWS, maxLength: VIEWS }),
        edits,
        fc.constantFrom("edit", "stage", "commit"),
        async (children, user, how) => {
          const project = makeProject(first);
          try {
            project.write("f0.txt", `dirty\n${first["f0.txt"]}`);
            const base = contentOf(project.root);
            const deltas: Delta[] = [];
            const theirs: (readonly [string, Record<string, string>])[] = [];
            for (const [number, list] of children.entries()) {
              // What a child does is done to a copy first, for git; then the view gets the same files.
              const copy = join(project.folder, `copy-${number}`);
              cpSync(project.root, copy, { recursive: true, filter: (path) => !path.endsWith(".git") });
              for (const one of list) change(copy, one, `child${number}`);
              const view = await project.open("overlay");
              await view.env.execCommand(`find . -maxdepth 1 -type f -delete; cp ${copy}/* .`, 60_000);
              theirs.push([view.id, contentOf(copy)]);
              deltas.push(await view.delta());
            }
            for (const one of user) change(project.root, one, "user");
            if (how !== "edit") project.git("add", "-A");
            if (how === "commit") project.git("commit", "-q", "--allow-empty", "-m", "user");
            const [before, gitBefore] = [pictureOf(project.root, FILES_ONLY), pictureOf(join(project.root, ".git"))];
            const expected = byGit(base, contentOf(project.root), theirs);
            const request = {
              root: project.root,
              id: "all",
              store: project.store,
              host: { baseEnv: process.env },
              signal: new AbortController().signal,
            };
            const result = await land({ ...request, deltas, mode: "patch", verify: undefined });
            if (expected.conflicts.length > 0) {
              expect(result.kind).toBe("conflict");
              expect(result.kind === "conflict" && [...new Set(result.conflicts.map(({ id }) => id))]).toEqual(
                expected.conflicts,
              );
              expect(pictureOf(project.root, FILES_ONLY)).toEqual(before);
            } else {
              expect(["landed", "nothing"]).toContain(result.kind);
              expect(contentOf(project.root)).toEqual(expected.files);
            }
            expect(pictureOf(join(project.root, ".git"))).toEqual(gitBefore);
          } finally {
            await project.dispose();
          }
        },
      ),
      { numRuns: process.env["LATHE_LONG"] ? 200 : 2 },
    );
  },
  process.env["LATHE_LONG"] ? 3_600_000 : 60_000,
);
