// What views bring back to the project: merged, checked, all or nothing.

import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type LandRequest, land } from "../../src/files/isolate/land.ts";
import { patchOf } from "../../src/files/isolate/patch.ts";
import { landingCheck } from "../../src/verify/landing-check.ts";
import { CAN_ISOLATE, makeProject, NEEDS, type Project, pictureOf } from "./project.ts";

/** The views in which a conflict is resolved: the gate tries only the usual one. */
const KINDS = (["overlay", "worktree"] as const).slice(0, process.env["LATHE_LONG"] === undefined ? 1 : 2);

describe.skipIf(!CAN_ISOLATE)(`landing ${NEEDS}`, () => {
  let project: Project;
  afterEach(() => project.dispose());

  const landing = (deltas: LandRequest["deltas"], more: Partial<LandRequest> = {}) =>
    land({
      root: project.root,
      id: "one",
      store: project.store,
      host: { baseEnv: process.env },
      signal: new AbortController().signal,
      deltas,
      mode: "patch",
      ...more,
    });
  const check = (command: string): LandRequest["verify"] =>
    landingCheck({
      place: { ...project, host: { baseEnv: process.env }, id: "check", kinds: ["overlay", "worktree"] },
      checks: [{ command, timeoutMs: 60_000, source: "verify" }],
      signal: new AbortController().signal,
    });
  const gitState = () => pictureOf(join(project.root, ".git"));

  it("SA-07 G-77 two views that changed different files both land, and the user's own changes stay", async () => {
    project = makeProject({ "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n", "run.sh": "exit 0\n" });
    project.write("c.txt", "dirty\n");
    const [first, second] = [await project.open("overlay"), await project.open("worktree")];
    // Only the view's repository knows what is committed in a view.
    await first.env.execCommand("echo first > a.txt; git -c user.name=x -c user.email=x@y commit -qam inside", 30_000);
    await second.env.execCommand(
      "echo second > b.txt; chmod +x run.sh; mkdir -p n/m; echo n > n/m/new.txt; ln -s ../a.txt n/link",
      30_000,
    );
    const before = gitState();
    const result = await landing([await first.delta(), await second.delta()]);
    expect(result.kind).toBe("landed");
    expect(["a.txt", "b.txt", "c.txt", "n/m/new.txt"].map((path) => project.read(path))).toEqual([
      "first\n",
      "second\n",
      "dirty\n",
      "n\n",
    ]);
    expect(lstatSync(join(project.root, "run.sh")).mode & 0o111).toBe(0o111);
    expect(readlinkSync(join(project.root, "n/link"))).toBe("../a.txt");
    expect(gitState()).toEqual(before);
  });

  it("SA-07 G-77 two views that changed the same line: nothing is written, the conflict is named, the work is there as a patch", async () => {
    project = makeProject({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
    const [first, second] = [await project.open("overlay"), await project.open("overlay")];
    await first.env.writeFile("a.txt", "one\nFIRST\nthree\n");
    await second.env.writeFile("a.txt", "one\nSECOND\nthree\n");
    await second.env.writeFile("b.txt", "second\n");
    const before = pictureOf(project.root);
    const deltas = [await first.delta(), await second.delta()];
    expect(await landing(deltas)).toEqual({
      kind: "conflict",
      conflicts: [
        {
          id: second.id,
          path: join(project.root, "a.txt"),
          kind: "content",
          message: "CONFLICT (content): Merge conflict in a.txt",
          regions: [{ line: 2, ours: "FIRST\n", theirs: "SECOND\n" }],
        },
      ],
    });
    expect(pictureOf(project.root)).toEqual(before);
    const patch = (await patchOf(deltas[1]!, project.root, { baseEnv: process.env })).toString();
    expect(patch).toContain("+SECOND");
    writeFileSync(join(project.folder, "x.patch"), patch);
    project.git("apply", join(project.folder, "x.patch"));
    expect(project.read("b.txt")).toBe("second\n");
  });

  it("what the user edits meanwhile is merged, and a line that both changed is a conflict", async () => {
    const lines = Array.from({ length: 20 }, (_, number) => `line ${number}\n`);
    project = makeProject({ "a.txt": lines.join("") });
    const view = await project.open("overlay");
    await view.env.writeFile("a.txt", lines.with(18, "child\n").join(""));
    project.write("a.txt", lines.with(1, "user\n").join(""));
    const delta = await view.delta();
    expect((await landing([delta])).kind).toBe("landed");
    expect(project.read("a.txt")).toBe(lines.with(1, "user\n").with(18, "child\n").join(""));
    project.write("a.txt", lines.with(18, "user again\n").join(""));
    expect((await landing([delta])).kind).toBe("conflict");
    expect(project.read("a.txt")).toBe(lines.with(18, "user again\n").join(""));
  });

  it("a check that fails in the merged files lands nothing, and one that passes lands", async () => {
    project = makeProject({ "a.txt": "1\n", "b.txt": "1\n" });
    const view = await project.open("overlay");
    await view.env.writeFile("a.txt", "2\n");
    const delta = await view.delta();
    const before = pictureOf(project.root);
    const red = await landing([delta], {
      verify: check("cat a.txt > seen.txt; echo broken; exit 3"),
    });
    expect(red).toEqual({ kind: "red", exitCode: 3, output: "broken\n" });
    expect(pictureOf(project.root)).toEqual(before);
    const green = await landing([delta], {
      verify: check('test "$(cat a.txt b.txt)" = "$(printf "2\\n1")"'),
    });
    expect(green.kind).toBe("landed");
    expect(existsSync(join(project.root, "seen.txt"))).toBe(false);
  });

  it("a file that the user changes while the check runs is a conflict", async () => {
    project = makeProject({ "a.txt": "1\n" });
    const view = await project.open("overlay");
    await view.env.writeFile("a.txt", "2\n");
    const ready = join(project.folder, "ready");
    const command = `touch ${ready}; until test -e ${ready}.go; do sleep 0.05; done`;
    const running = landing([await view.delta()], { verify: check(command) });
    await expect.poll(() => existsSync(ready)).toBe(true);
    project.write("a.txt", "user\n");
    writeFileSync(`${ready}.go`, "");
    expect(await running).toMatchObject({
      kind: "conflict",
      conflicts: [{ kind: "changed", path: join(project.root, "a.txt") }],
    });
    expect(project.read("a.txt")).toBe("user\n");
  });

  it("SA-07 G-77 a nested repository is merged apart and its own data stays", async () => {
    project = makeProject({ "a.txt": "1\n", ".gitignore": "ignored/\n" });
    for (const nested of ["vendor/x", "ignored/y"]) {
      project.write(`${nested}/n.txt`, "n\n");
      project.git("-C", nested, "init", "-q");
      project.git("-C", nested, "add", "-A");
      project.git("-C", nested, "commit", "-qm", "nested");
    }
    for (const kind of ["overlay", "worktree"] as const) {
      const view = await project.open(kind);
      await view.env.execCommand(
        `echo ${kind} > vendor/x/n.txt; echo ${kind} > ignored/y/n.txt; echo ${kind} > a.txt`,
        30_000,
      );
      const before = [".git", "vendor/x/.git", "ignored/y/.git"].map((path) => pictureOf(join(project.root, path)));
      expect((await landing([await view.delta()])).kind).toBe("landed");
      expect(["a.txt", "vendor/x/n.txt", "ignored/y/n.txt"].map((path) => project.read(path))).toEqual([
        `${kind}\n`,
        `${kind}\n`,
        `${kind}\n`,
      ]);
      expect([".git", "vendor/x/.git", "ignored/y/.git"].map((path) => pictureOf(join(project.root, path)))).toEqual(
        before,
      );
    }
  });

  it("SA-07 G-77 as a branch: one commit on HEAD without the user's uncommitted work; files, index and HEAD stay", async () => {
    project = makeProject({ "a.txt": "1\n", "b.txt": "1\n" });
    project.write("b.txt", "dirty\n");
    const view = await project.open("overlay");
    await view.env.writeFile("a.txt", "2\n");
    const delta = await view.delta();
    const [files, index] = [
      pictureOf(project.root, (path) => path === ".git"),
      pictureOf(join(project.root, ".git")).get("index"),
    ];
    const head = project.git("rev-parse", "HEAD");
    expect(await landing([delta], { mode: "branch" })).toEqual({
      kind: "landed",
      files: [],
      branches: [`lathe/task/${view.id}`],
    });
    const branch = `lathe/task/${view.id}`;
    expect(project.git("show", `${branch}:a.txt`)).toBe("2\n");
    expect(project.git("show", `${branch}:b.txt`)).toBe("1\n");
    expect(project.git("rev-parse", `${branch}^`)).toBe(head);
    expect(project.git("rev-parse", "HEAD")).toBe(head);
    expect(pictureOf(project.root, (path) => path === ".git")).toEqual(files);
    expect(pictureOf(join(project.root, ".git")).get("index")).toBe(index);
    expect(await landing([delta], { mode: "branch" })).toMatchObject({ kind: "conflict" });
  });

  it("a branch is made without a program that the repository's configuration names, also from a worktree view", async () => {
    project = makeProject({ "a.txt": "1\n" });
    const ran = join(project.store, "..", "ran");
    mkdirSync(join(project.root, ".git/hooks"), { recursive: true });
    writeFileSync(join(project.root, ".git/hooks/reference-transaction"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    project.git("config", "protocol.ext.allow", "always");
    project.git("config", `url.ext::touch ${ran} .insteadOf`, "/");
    const view = await project.open("worktree");
    await view.env.writeFile("a.txt", "2\n");
    const delta = await view.delta();
    expect(await landing([delta], { mode: "branch" })).toMatchObject({ kind: "landed" });
    expect(project.git("show", `lathe/task/${view.id}:a.txt`)).toBe("2\n");
    expect(existsSync(ran)).toBe(false);
    // The trap is real.
    expect(() => project.git("fetch", "-q", "/nowhere")).toThrow();
    expect(existsSync(ran)).toBe(true);
  });

  it("a link that leads out of the project never lands, nor what would be written through one", async () => {
    project = makeProject({ "a.txt": "1\n", "d/x.txt": "x\n" });
    const outside = join(project.folder, "outside");
    mkdirSync(outside);
    const view = await project.open("overlay");
    await view.env.execCommand(
      "ln -s /etc/passwd out; ln -s ../outside up; ln -s .git/config config; echo 2 > d/x.txt",
      30_000,
    );
    const delta = await view.delta();
    project.git("rm", "-rq", "--cached", "d");
    const { rmSync } = await import("node:fs");
    rmSync(join(project.root, "d"), { recursive: true });
    symlinkSync(outside, join(project.root, "d"));
    const result = await landing([delta]);
    expect(result.kind).toBe("conflict");
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(project.root, "out"))).toBe(false);
    rmSync(join(project.root, "d"));
    project.git("reset", "-q", "--hard");
    const second = await landing([delta]);
    expect(
      second.kind === "conflict" &&
        second.conflicts.map(({ path, kind }) => [path.slice(project.root.length + 1), kind]),
    ).toEqual([
      ["config", "forbidden"],
      ["out", "forbidden"],
      ["up", "forbidden"],
    ]);
  });

  it("files whose bytes git converts land byte for byte", async () => {
    project = makeProject({
      ".gitattributes": "* text=auto eol=crlf\n*.id ident\n",
      "a.txt": "one\r\ntwo\r\n",
      "b.id": "$Id$\n",
    });
    const view = await project.open("overlay");
    await view.env.execCommand("printf 'three\\r\\n' >> a.txt", 30_000);
    const delta = await view.delta();
    expect(delta.parts[0]!.changes).toEqual([{ path: "a.txt", kind: "changed" }]);
    expect((await landing([delta])).kind).toBe("landed");
    expect(project.read("a.txt")).toBe("one\r\ntwo\r\nthree\r\n");
  });

  it("a landing that is not permitted writes nothing and runs no check", async () => {
    project = makeProject({ "a.txt": "1\n", "b.txt": "1\n" });
    const view = await project.open("overlay");
    await view.env.execCommand("echo 2 > a.txt; echo 2 > b.txt", 30_000);
    const before = pictureOf(project.folder, (path) => path.startsWith("store"));
    const asked: string[] = [];
    const result = await landing([await view.delta()], {
      permit: async (files) => {
        asked.push(...files);
        return "not here";
      },
      verify: check(`touch ${project.folder}/ran`),
    });
    expect(result).toEqual({ kind: "refused", why: "not here" });
    expect(asked).toEqual([join(project.root, "a.txt"), join(project.root, "b.txt")]);
    expect(pictureOf(project.folder, (path) => path.startsWith("store"))).toEqual(before);
  });

  it("SA-07 a red check keeps a branch from being made", async () => {
    project = makeProject({ "a.txt": "1\n" });
    const view = await project.open("overlay");
    await view.env.execCommand("echo 2 > a.txt", 30_000);
    project.write("a.txt", "not committed\n");
    const asBranch = (command: string) => ({ mode: "branch" as const, verify: check(command) });
    const delta = await view.delta();
    expect(await landing([delta], asBranch("grep 1 a.txt"))).toMatchObject({ kind: "red", exitCode: 1 });
    expect(project.git("branch", "--list", "lathe/*")).toBe("");
    // The check sees what the branch will contain, not the user's uncommitted changes.
    expect(await landing([delta], asBranch("grep 2 a.txt"))).toMatchObject({ kind: "landed" });
    expect(project.read("a.txt")).toBe("not committed\n");
  });

  it.each(KINDS)(
    "SA-07 a conflict is put into the %s view as markers, and what its author makes of it lands",
    async (kind) => {
      project = makeProject({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
      const view = await project.open(kind);
      await view.env.execCommand("sed -i s/two/child/ a.txt; echo new > c.txt", 30_000);
      project.write("a.txt", "one\nperson\nthree\n");
      project.write("b.txt", "person\n");
      expect(await landing([await view.delta()])).toMatchObject({
        kind: "conflict",
        conflicts: [{ path: join(project.root, "a.txt"), regions: [{ line: 2, ours: "person\n", theirs: "child\n" }] }],
      });
      expect(await view.rebase()).toMatchObject([{ path: join(project.root, "a.txt") }]);
      const { stdout } = await view.env.execCommand("cat a.txt b.txt", 30_000);
      expect(stdout).toMatch(/^one\n<<<<<<< project\nperson\n=======\nchild\n>>>>>>> views\/.*\nthree\nperson\n$/);
      await view.env.execCommand("printf 'one\\nperson and child\\nthree\\n' > a.txt", 30_000);
      expect((await landing([await view.delta()])).kind).toBe("landed");
      expect(project.read("a.txt")).toBe("one\nperson and child\nthree\n");
      expect([project.read("b.txt"), project.read("c.txt")]).toEqual(["person\n", "new\n"]);
    },
  );
});
