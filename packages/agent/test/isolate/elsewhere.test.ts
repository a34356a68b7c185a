// Projects whose repository is somewhere else: a linked work tree, and a subfolder of a repository.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { land } from "../../src/files/isolate/land.ts";
import { CAN_ISOLATE, makeProject, NEEDS, type Project, pictureOf } from "./project.ts";

const CHANGES =
  "echo 2 > a.txt; git tag evil; git stash; git stash pop; git -c user.name=x -c user.email=x@y commit -qam evil";

describe.skipIf(!CAN_ISOLATE)(`SA-07 G-77 a repository elsewhere ${NEEDS}`, () => {
  let project: Project;
  afterEach(() => project.dispose());

  it.each(["linked work tree", "subfolder"])(
    "%s: what git does in a view stays there, and the files land",
    async (what) => {
      project = makeProject({ "sub/a.txt": "1\n", "b.txt": "1\n" });
      const linked = join(project.folder, "linked");
      if (what === "subfolder") mkdirSync(join(project.root, "other"));
      else project.git("worktree", "add", "-q", linked);
      const root = what === "subfolder" ? join(project.root, "sub") : join(linked, "sub");
      writeFileSync(join(root, "untracked.txt"), "u\n");
      const view = await project.open("overlay", { root });
      await view.env.execCommand(CHANGES, 30_000);
      const before = pictureOf(join(project.root, ".git"));
      const delta = await view.delta();
      expect(delta.parts[0]!.changes).toEqual([{ path: "sub/a.txt", kind: "changed" }]);
      const request = {
        root,
        store: project.store,
        host: { baseEnv: process.env },
        signal: new AbortController().signal,
      };
      expect((await land({ ...request, id: "x", deltas: [delta], mode: "patch" })).kind).toBe("landed");
      expect(pictureOf(join(project.root, ".git"))).toEqual(before);
    },
  );
});
