// A disk that is full while a view is opened, read or landed: one line of error, nothing half done, nothing left
// behind.

import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { land } from "@lathe/agent/files";
import { afterEach, describe, expect, it } from "vitest";
import { CAN_ISOLATE, makeProject, type Project, pictureOf } from "../../agent/test/isolate/project.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

const FULL = "No space is left on the disk with the isolated copies. Free some space and try again.";

describe.skipIf(!CAN_ISOLATE || !canMount)(
  "SA-07 views on a full disk (needs bwrap, nsenter, and the right to mount)",
  () => {
    let project: Project;
    afterEach(() => project.dispose());

    it("a view that has no room is not opened; work that has no room to be read is said to be so; a landing undoes itself", async () => {
      project = makeProject({ "a.txt": "one\n", "large.bin": "x".repeat(600_000) });
      const before = pictureOf(project.root);
      await withTmpfs(join(project.folder, "small"), "500k", async (folder) => {
        const store = join(folder, "store");
        await expect(project.open("worktree", { store })).rejects.toThrow(FULL);
        expect(readdirSync(store)).toEqual([]);
        const view = await project.open("overlay", { store });
        const done = await view.env.execCommand("head -c 300000 /dev/urandom > new.bin; sync", 30_000);
        expect(done.exitCode).toBe(0);
        await expect(view.delta()).rejects.toThrow(FULL);
        await view.close();
        expect(readdirSync(store)).toEqual([]);
      });
      expect(pictureOf(project.root)).toEqual(before);
      await project.dispose();
      await withTmpfs(join(tmpdir(), `lathe-full-${process.pid}`), "1m", async (folder) => {
        project = makeProject({ "a.txt": "one\n", "b.txt": "b\n" }, folder);
        const store = `${folder}-store`;
        const view = await project.open("overlay", { store });
        await view.env.execCommand("echo two > a.txt; head -c 3000000 /dev/urandom > big.bin; rm b.txt", 30_000);
        const delta = await view.delta();
        const here = pictureOf(project.root);
        const request = { root: project.root, id: "x", store, host: { baseEnv: process.env }, mode: "patch" as const };
        const result = await land({ ...request, deltas: [delta], signal: new AbortController().signal });
        expect(result).toMatchObject({ kind: "conflict" });
        expect(JSON.stringify(result)).toMatch(/big\.bin could not be written: .*no space/i);
        expect(pictureOf(project.root)).toEqual(here);
        await view.close();
        expect(readdirSync(store)).toEqual([]);
      });
    });
  },
);
