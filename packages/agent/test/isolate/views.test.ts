// What a view shows, what it keeps apart, and what it leaves behind.

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { byteLines } from "../../src/world/process/byte-lines.ts";
import { checkGate } from "../gate-conformance.ts";
import { freePort } from "../sshd.ts";
import { CAN_ISOLATE, makeProject, NEEDS, type Project, pictureOf } from "./project.ts";

describe.skipIf(!CAN_ISOLATE)(`views ${NEEDS}`, () => {
  let project: Project;
  afterEach(() => project.dispose());

  describe.each(["overlay", "worktree"] as const)("%s", (kind) => {
    it("SA-07 G-77 shows uncommitted and untracked files at the project's own path, and keeps changes apart", async () => {
      project = makeProject({ "a.txt": "one\n", "b/c.txt": "two\n", "gone.txt": "x\n" });
      project.write("a.txt", "dirty\n");
      project.write("new.txt", "untracked\n");
      const before = pictureOf(project.root);
      const view = await project.open(kind);
      expect(view.kind).toBe(kind);
      expect(view.env.workingDirectory()).toBe(project.root);
      expect(await view.env.readFile("a.txt")).toBe("dirty\n");
      const absolute = await view.env.execCommand(`cat ${project.root}/new.txt; git status --short`, 30_000);
      expect(absolute.stdout).toContain("untracked\n");
      expect(absolute.stdout).toContain("M a.txt");
      await view.env.writeFile(join(project.root, "a.txt"), "by a tool\n");
      await view.env.execCommand(
        `echo by a command > ${project.root}/b/c.txt; rm gone.txt; mkdir d; echo d > d/d.txt`,
        30_000,
      );
      const delta = await view.delta();
      expect(delta.parts.map(({ changes }) => changes)).toEqual([
        [
          { path: "a.txt", kind: "changed" },
          { path: "b/c.txt", kind: "changed" },
          { path: "d/d.txt", kind: "added" },
          { path: "gone.txt", kind: "deleted" },
        ],
      ]);
      expect(pictureOf(project.root)).toEqual(before);
      await view.close();
      expect(readdirSync(project.store)).toEqual([]);
      expect(pictureOf(project.root)).toEqual(before);
    });

    it("EE-01 a view has an identity and reaches ports of its own commands", async () => {
      project = makeProject();
      const sandbox = { home: "/nonexistent" };
      const [shared, own] = [await project.open(kind), await project.open(kind, { sandbox })];
      const local = new LocalEnvironment({ cwd: project.root, baseEnv: process.env });
      expect(new Set([shared.env, own.env, local].map(({ identity }) => identity)).size).toBe(3);
      // What a view shares with the machine is the same in every kind.
      const tried = kind === "overlay" || process.env["LATHE_LONG"] !== undefined ? [shared, own] : [own];
      for (const { env } of tried) {
        const port = await freePort();
        const serve = `require("http").createServer((_, answer) => answer.end("own")).listen(${port}, "127.0.0.1", () => console.log("up"))`;
        const server = await env.startProcess!(["node", "-e", serve]);
        expect((await byteLines(server.stdout).next()).value).toBe("up");
        await checkGate(env, port);
        await (env === own.env
          ? expect(local.connect(port)).rejects.toMatchObject({ code: "unavailable" })
          : undefined);
      }
    });

    it("libraries that open files themselves get none of the project's files for those of the view", async () => {
      project = makeProject({ "a.db": "one\n" });
      const view = await project.open(kind);
      expect(await view.env.localPath?.(join(project.root, "a.db"), "write")).toBeUndefined();
    });

    it("works without a repository", async () => {
      project = makeProject({ "a.txt": "one\n" });
      const { rmSync } = await import("node:fs");
      rmSync(join(project.root, ".git"), { recursive: true });
      const view = await project.open(kind);
      await view.env.writeFile("a.txt", "two\n");
      expect((await view.delta()).parts[0]!.changes).toEqual([{ path: "a.txt", kind: "changed" }]);
      expect(project.read("a.txt")).toBe("one\n");
    });
  });

  it("SA-07 an overlay notices what the user changes below, and does not claim it", async () => {
    project = makeProject({ "a.txt": "one\n", "b.txt": "two\n" });
    const view = await project.open("overlay");
    await view.env.writeFile("a.txt", "child\n");
    project.write("b.txt", "user\n");
    const delta = await view.delta();
    expect(delta.changedBelow).toEqual([join(project.root, "b.txt")]);
    expect(delta.parts[0]!.changes).toEqual([{ path: "a.txt", kind: "changed" }]);
  });

  it("an overlay of a folder that was removed and made again has the deletions", async () => {
    project = makeProject({ "d/a.txt": "one\n", "d/b.txt": "two\n" });
    const view = await project.open("overlay");
    await view.env.execCommand("rm -r d && mkdir d && echo new > d/c.txt", 30_000);
    expect((await view.delta()).parts[0]!.changes).toEqual([
      { path: "d/a.txt", kind: "deleted" },
      { path: "d/b.txt", kind: "deleted" },
      { path: "d/c.txt", kind: "added" },
    ]);
  });

  it("auto says what it passed over and why", async () => {
    project = makeProject();
    const view = await project.open("auto");
    expect(view.kind).toBe("overlay");
    expect(view.passedOver).toEqual([]);
    await expect(project.open("reflink")).rejects.toThrow("reflink needs a file system that shares blocks");
  });

  it("an id that leads out of the store is refused in one line", async () => {
    project = makeProject();
    for (const id of ["../x", "..", "a/b", "", ".hidden", "a..b/../c"]) {
      await expect(project.open("overlay", { id })).rejects.toThrow("cannot name an isolated copy");
    }
    expect(existsSync(join(project.folder, "x"))).toBe(false);
  });

  it("a store inside of the project is refused", async () => {
    project = makeProject();
    await expect(project.open("overlay", { store: join(project.root, "views") })).rejects.toThrow(
      "one is inside the other",
    );
    expect(lstatSync(join(project.root, "views"), { throwIfNoEntry: false })).toBeUndefined();
  });
});
