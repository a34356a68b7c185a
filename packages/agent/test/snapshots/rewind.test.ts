import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import type { BlobStore } from "../../src/base/blobs/store.ts";
import { Rewinder } from "../../src/files/snapshots/rewind.ts";
import { World } from "./world.ts";

describe("rewind of conversation and files", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.write("a.txt", "one\n");
    world.write("src/b.txt", "b\n");
    world.commit();
  });
  afterEach(() => world.end());

  it("what a shell command changed, made and deleted comes back, and the conversation with it", async () => {
    const first = await world.turn([world.shell("echo two > a.txt")]);
    const then = world.record();
    await world.turn([
      world.shell("echo three > a.txt; rm -r src; mkdir -p new/deep; echo n > new/deep/n.txt; chmod 600 a.txt"),
    ]);
    const done = await world.rewind(first);
    expect(world.record()).toEqual(then);
    expect(world.journal.leaf).toBe(first);
    expect(done.left).toEqual([]);
    expect(done.restored.map((path) => path.slice(world.root.length + 1)).sort()).toEqual([
      "a.txt",
      "new",
      "new/deep",
      "new/deep/n.txt",
      "src",
      "src/b.txt",
    ]);
  });

  it.each([
    ["git reset --hard", "git reset -q --hard"],
    ["git clean", "git clean -fdq"],
    ["rm", "rm -rf *"],
    ["mv over a file", "mv src/b.txt a.txt"],
    ["a truncating redirect", "> a.txt; > untracked.txt"],
    ["git stash", "git stash -qu"],
  ])("uncommitted work that %s destroyed comes back", async (_name, command) => {
    world.write("a.txt", "uncommitted\n");
    world.write("untracked.txt", "never added\n");
    const first = await world.turn([]);
    const then = world.record();
    await world.turn([world.shell(command)]);
    expect(world.record()).not.toEqual(then);
    await world.rewind(first);
    expect(world.record()).toEqual(then);
  });

  it("a file that somebody changed after the session did is left and named", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt; echo two > src/b.txt")]);
    world.write("a.txt", "mine\n");
    const { left } = await world.rewind(first);
    expect(left).toEqual([{ path: join(world.root, "a.txt"), why: "changed" }]);
    expect([world.read("a.txt"), world.read("src/b.txt")]).toEqual(["mine\n", "b\n"]);
  });

  it("a change of somebody between two of the session's is not overwritten", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt")]);
    world.write("a.txt", "mine\n");
    await world.turn([world.shell("echo more >> a.txt")]);
    const { left } = await world.rewind(first);
    expect(left).toEqual([{ path: join(world.root, "a.txt"), why: "changed" }]);
    expect(world.read("a.txt")).toBe("mine\nmore\n");
  });

  it("what somebody wrote before the session's first change is what comes back", async () => {
    const first = await world.turn([world.shell("echo two > src/b.txt")]);
    world.write("a.txt", "mine\n");
    await world.turn([world.shell("echo theirs > a.txt")]);
    expect((await world.rewind(first)).left).toEqual([]);
    expect(world.read("a.txt")).toBe("mine\n");
  });

  it("with force somebody's changes go back too, and taking it back brings them again", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt")]);
    world.write("a.txt", "mine\n");
    expect((await world.rewind(first, { force: true })).left).toEqual([]);
    expect(world.read("a.txt")).toBe("one\n");
    await world.rewinder.takeBack();
    expect(world.read("a.txt")).toBe("mine\n");
  });

  it("what a rewind has left can be brought back by a second one with force", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt; echo two > src/b.txt")]);
    world.write("a.txt", "mine\n");
    await world.rewind(first);
    await world.rewind(first, { force: true });
    expect([world.read("a.txt"), world.read("src/b.txt"), world.journal.leaf]).toEqual(["one\n", "b\n", first]);
  });

  it("somebody's change stays theirs after a forced rewind was taken back, or its branch was gone to", async () => {
    const first = await world.turn([]);
    const second = await world.turn([world.shell("echo two > a.txt")]);
    world.write("a.txt", "mine\n");
    const left = [{ path: join(world.root, "a.txt"), why: "changed" }];
    for (const comeBack of [() => world.rewinder.takeBack(), () => world.rewind(second)]) {
      await world.rewind(first, { force: true });
      expect(world.read("a.txt")).toBe("one\n");
      await comeBack();
      expect(world.read("a.txt")).toBe("mine\n");
      expect((await world.rewind(first)).left).toEqual(left);
      expect(world.read("a.txt")).toBe("mine\n");
      await world.rewinder.takeBack();
    }
  });

  it("what a redo has left, a redo with force brings again; without force the rewind before is taken back", async () => {
    const first = await world.turn([]);
    const second = await world.turn([world.shell("echo two > src/b.txt")]);
    await world.turn([world.shell("echo three > a.txt; echo three > src/b.txt")]);
    await world.rewind(second);
    await world.rewind(first);
    world.write("src/b.txt", "mine\n");
    expect((await world.rewinder.takeBack()).left).toEqual([{ path: join(world.root, "src/b.txt"), why: "changed" }]);
    expect([world.read("src/b.txt"), world.journal.leaf]).toEqual(["mine\n", second]);
    expect((await world.rewinder.takeBack({ force: true })).left).toEqual([]);
    expect([world.read("src/b.txt"), world.journal.leaf]).toEqual(["two\n", second]);
    expect((await world.rewinder.takeBack({ force: true })).left).toEqual([]);
    expect([world.read("a.txt"), world.read("src/b.txt")]).toEqual(["three\n", "three\n"]);
    await expect(world.rewinder.takeBack({ force: true })).rejects.toThrow("There is no rewind to undo.");
  });

  it("reads each list of files once, however many files go back", async () => {
    const many = 600;
    for (let i = 0; i < many; i++) world.write(`many/${i}.txt`, `${i}\n`);
    const first = await world.turn([]);
    await world.turn([world.shell("cd many; for i in *; do echo changed > $i; done")]);
    const blobs = new FileBlobs(join(world.base, "home/blobs"), "test");
    let reads = 0;
    const counted: BlobStore = {
      put: (bytes) => blobs.put(bytes),
      size: (hash) => blobs.size(hash),
      sync: () => blobs.sync(),
      get: (hash) => {
        reads++;
        return blobs.get(hash);
      },
    };
    const planned: number[] = [];
    const rewinder = new Rewinder(world.session, world.snapshots, counted);
    const onPlan = (files: number): number => planned.push(files);
    expect((await rewinder.rewind({ to: first, parts: "both", onPlan })).restored).toHaveLength(many);
    expect(planned).toEqual([many]);
    // One for the content of each file; the folder is stored in 64 parts and read for differences and for values.
    expect(reads).toBeLessThan(many + 1_000);
  });

  it("a folder that stays because something else is in it is not said to be restored", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("mkdir -p x/y empty; echo 1 > x/y/z")]);
    world.write("x/y/mine.txt", "mine\n");
    const { restored, left } = await world.rewind(first);
    expect(left).toEqual([]);
    expect(restored).toEqual([join(world.root, "empty"), join(world.root, "x/y/z")]);
    expect(world.read("x/y/mine.txt")).toBe("mine\n");
  });

  it("a file is not written through a link that took the place of its folder, and force does not change that", async () => {
    world.write("src/deep/c.txt", "c\n");
    world.write("src/deep/d.txt", "d\n");
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > src/b.txt; rm src/deep/c.txt")]);
    renameSync(join(world.root, "src"), join(world.root, "moved"));
    symlinkSync(join(world.root, "moved"), join(world.root, "src"));
    const { left } = await world.rewind(first, { force: true });
    expect(left).toEqual([
      { path: join(world.root, "src/b.txt"), why: "obstructed" },
      { path: join(world.root, "src/deep/c.txt"), why: "obstructed" },
    ]);
    expect([world.read("moved/b.txt"), existsSync(join(world.root, "moved/deep/c.txt"))]).toEqual(["two\n", false]);
  });

  it("files that a call makes and ignores at once are removed again", async () => {
    const first = await world.turn([]);
    await world.turn([
      world.shell("echo s > later.txt; mkdir deep; echo s > deep/later.txt; echo later.txt >> .gitignore"),
    ]);
    const then = world.record();
    expect((await world.rewind(first)).left).toEqual([]);
    expect([existsSync(join(world.root, "later.txt")), existsSync(join(world.root, "deep"))]).toEqual([false, false]);
    await world.rewinder.takeBack();
    expect(world.record()).toEqual(then);
  });

  it("calls whose changes could not be recorded are said to be so, also by another process", async () => {
    const first = await world.turn([world.shell("echo two > a.txt")]);
    await world.snapshots.settle();
    const blobs = join(world.base, "home/blobs");
    renameSync(blobs, `${blobs}.away`);
    writeFileSync(blobs, "in the way");
    await world.turn([world.shell("echo three > a.txt")]);
    await world.snapshots.settle();
    expect(world.warnings).toEqual([expect.stringContaining("Changes of files are no longer recorded")]);
    const second = await world.turn([world.shell("echo four > a.txt")]);
    rmSync(blobs);
    renameSync(`${blobs}.away`, blobs);
    await world.reopen();
    const third = await world.turn([world.shell("echo five > src/b.txt")]);
    expect(await world.rewind(second)).not.toHaveProperty("unrecorded");
    await world.rewind(third);
    // Whether the file is also among those left depends on how far the record had come when the disk failed.
    expect(await world.rewind(first)).toMatchObject({ unrecorded: expect.stringContaining("ENOTDIR") });
    expect([world.read("a.txt"), world.read("src/b.txt")]).toEqual(["four\n", "b\n"]);
  });

  it("redo takes rewinds back one by one, with the conversation", async () => {
    const points = [await world.turn([])];
    const trees = [world.record()];
    for (const text of ["two", "three"]) {
      points.push(await world.turn([world.shell(`echo ${text} > a.txt; echo ${text} > ${text}.txt`)]));
      trees.push(world.record());
    }
    await world.rewind(points[1]!);
    await world.rewind(points[0]!);
    expect(world.record()).toEqual(trees[0]);
    await world.rewinder.takeBack();
    expect([world.record(), world.journal.leaf]).toEqual([trees[1], points[1]]);
    await world.rewinder.takeBack();
    expect([world.record(), world.journal.leaf]).toEqual([trees[2], points[2]]);
    await expect(world.rewinder.takeBack()).rejects.toThrow("There is no rewind to undo.");
  });

  it("a rewind is not taken back over a conversation that has gone on", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt")]);
    await world.rewind(first);
    await world.turn([]);
    await expect(world.rewinder.takeBack()).rejects.toThrow("The conversation has continued");
  });

  it("files alone, or the conversation alone", async () => {
    const first = await world.turn([]);
    const second = await world.turn([world.shell("echo two > a.txt")]);
    await world.rewind(first, { parts: "files" });
    expect([world.read("a.txt"), world.journal.leaf]).toEqual(["one\n", second]);
    await world.rewinder.takeBack();
    expect([world.read("a.txt"), world.journal.leaf]).toEqual(["two\n", second]);
    await world.rewind(first, { parts: "conversation" });
    expect([world.read("a.txt"), world.journal.leaf]).toEqual(["two\n", first]);
    await world.rewinder.takeBack();
    expect([world.read("a.txt"), world.journal.leaf]).toEqual(["two\n", second]);
  });

  it("a point on a branch that was left can be gone to, with its files", async () => {
    const first = await world.turn([]);
    const left = await world.turn([world.shell("echo two > a.txt")]);
    await world.rewind(first);
    await world.turn([world.shell("echo other > other.txt")]);
    await world.rewind(left);
    expect([world.read("a.txt"), existsSync(join(world.root, "other.txt"))]).toEqual(["two\n", false]);
  });
});
