// Random overlapping edits in several views and by a user who edits, stages and commits in the meantime. Git itself
// provides the expected result.

import { cpSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { land } from "../../src/files/isolate/land.ts";
import type { Delta } from "../../src/files/isolate/types.ts";
import { CAN_ISOLATE, makeProject, NEEDS, pictureOf } from "./project.ts";
import { byGit, change, contentOf, edits, firstFiles } from "./random-edits.ts";

const VIEWS = process.env["LATHE_LONG"] ? 8 : 3;
const FILES_ONLY = (path: string): boolean => path === ".git";

it.skipIf(!CAN_ISOLATE)(
  `SA-07 G-77 landing equals git's own merge, or changes nothing and names each conflict ${NEEDS}`,
  async () => {
    const first = firstFiles();
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
              // A child's edits are first made in a copy, for git; then the view gets the same files.
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
      { numRuns: process.env["LATHE_LONG"] ? 200 : 1 },
    );
  },
  process.env["LATHE_LONG"] ? 3_600_000 : 60_000,
);
