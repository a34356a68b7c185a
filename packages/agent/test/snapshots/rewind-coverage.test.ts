import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { resultText } from "../support/scripted-client.ts";
import { CHILD_TASK, World } from "./world.ts";

describe("what a rewind covers", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.write("a.txt", "one\n");
    world.write("src/b.txt", "b\n");
    world.commit();
  });
  afterEach(() => world.end());

  it("a file that is ignored comes back when the call said that it would write it, as far as the parse of a command knows", async () => {
    world.write("ignored/known.txt", "kept\n");
    world.write("ignored/other.txt", "other\n");
    const first = await world.turn([]);
    await world.turn([world.writeCall("ignored/known.txt", "changed"), world.writeCall("ignored/new.txt", "new")]);
    await world.turn([
      world.shell("echo again > ignored/known.txt; rm ignored/new.txt; echo x > $(echo ignored/other.txt)"),
    ]);
    expect((await world.rewind(first)).left).toEqual([]);
    expect([world.read("ignored/known.txt"), world.read("ignored/other.txt")]).toEqual(["kept\n", "x\n"]);
    expect(existsSync(join(world.root, "ignored/new.txt"))).toBe(false);
  });

  it("a file that is no longer ignored was there before and is not removed", async () => {
    world.write("secret.log", "mine\n");
    const first = await world.turn([]);
    await world.turn([world.shell("echo ignored/ > .gitignore")]);
    await world.turn([world.shell("echo more >> secret.log")]);
    await world.rewind(first);
    expect([world.read("secret.log"), world.read(".gitignore")]).toEqual(["mine\n", "ignored/\n*.log\n"]);
  });

  it("a file that has become ignored is still covered", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo 'src/' >> .gitignore")]);
    await world.turn([world.shell("rm -r src")]);
    await world.rewind(first);
    expect([world.read("src/b.txt"), world.read(".gitignore")]).toEqual(["b\n", "ignored/\n*.log\n"]);
  });

  it("links, modes, empty folders and a folder in the place of a file", async () => {
    symlinkSync("a.txt", join(world.root, "link"));
    mkdirSync(join(world.root, "empty"));
    chmodSync(join(world.root, "src/b.txt"), 0o755);
    const first = await world.turn([]);
    const then = world.record();
    await world.turn([
      world.act(() => {
        rmSync(join(world.root, "link"));
        writeFileSync(join(world.root, "link"), "no link");
        renameSync(join(world.root, "empty"), join(world.root, "renamed"));
        chmodSync(join(world.root, "src/b.txt"), 0o600);
        rmSync(join(world.root, "a.txt"));
        mkdirSync(join(world.root, "a.txt"));
        symlinkSync("/", join(world.root, "a.txt/root"));
        chmodSync(join(world.root, "src"), 0o500);
      }),
    ]);
    expect((await world.rewind(first)).left).toEqual([]);
    expect(world.record()).toEqual(then);
    expect(readlinkSync(join(world.root, "link"))).toBe("a.txt");
    expect(lstatSync(join(world.root, "src/b.txt")).mode & 0o777).toBe(0o755);
    await world.rewinder.takeBack();
    chmodSync(join(world.root, "src"), 0o700);
  });

  it("a folder that a call has closed is opened again, and its files are as they were", async () => {
    const first = await world.turn([]);
    const then = world.record();
    await world.turn([world.shell("echo two > src/b.txt; chmod 000 src")]);
    expect((await world.rewind(first)).left).toEqual([]);
    expect(world.record()).toEqual(then);
  });

  it("names that are not UTF-8 and contents that are not text", async () => {
    const odd = Buffer.concat([Buffer.from(`${world.root}/caf`), Buffer.from([0xe9, 0x20, 0xff])]);
    writeFileSync(odd, Buffer.from([0, 255, 254, 10, 13]));
    const first = await world.turn([]);
    await world.turn([world.act(() => rmSync(odd as unknown as string))]);
    expect(existsSync(odd)).toBe(false);
    await world.rewind(first);
    expect(existsSync(odd)).toBe(true);
  });

  it("a file that is too large is named and left", async () => {
    world.write("big.bin", "x".repeat(20_000));
    const first = await world.turn([world.shell("echo small > small.txt")]);
    await world.turn([world.shell("echo y >> big.bin; echo z > a.txt")]);
    expect(world.warnings).toEqual([`Too large to rewind: ${join(world.root, "big.bin")}.`]);
    expect((await world.rewind(first)).left).toEqual([{ path: join(world.root, "big.bin"), why: "uncovered" }]);
    expect([world.read("a.txt"), world.read("big.bin").length]).toEqual(["one\n", 20_002]);
  });

  it("a call that is interrupted is covered up to the moment it ended", async () => {
    const first = await world.turn([]);
    const turn = world.turn([world.shell("echo two > a.txt; sleep 60")]);
    while (world.read("a.txt") !== "two\n") await new Promise((resolve) => setImmediate(resolve));
    await world.session.interrupt();
    await turn;
    await world.snapshots.settle();
    expect((await world.rewind(first)).left).toEqual([]);
    expect(world.read("a.txt")).toBe("one\n");
  });

  it("what a child did comes back with the turn that started it", async () => {
    await world.end();
    world = new World({ tools: [spawnAgentTool, waitTool] as unknown as ToolDef[] });
    world.write("a.txt", "one\n");
    const first = await world.turn([]);
    world.childTurns = [{ calls: [world.shell("echo child > a.txt; echo child > c.txt")] }, { text: "helped" }];
    await world.turn(
      [{ name: "spawn_agent", args: { task: CHILD_TASK }, id: "s" }],
      (request) => [{ name: "wait", args: { agent_id: JSON.parse(resultText(request, "s")).agent_id }, id: "w" }],
      [world.shell("echo parent >> a.txt")],
    );
    expect(world.read("a.txt")).toBe("child\nparent\n");
    expect((await world.rewind(first)).left).toEqual([]);
    expect([world.read("a.txt"), existsSync(join(world.root, "c.txt"))]).toEqual(["one\n", false]);
  });

  it("what a hook does after a call, such as a formatter, comes back with it", async () => {
    world.session.use({
      name: "formatter",
      afterCall: (_call, result) => {
        world.write("src/b.txt", "formatted\n");
        return result;
      },
    });
    const first = await world.turn([]);
    await world.turn([world.writeCall("a.txt", "two\n")]);
    expect((await world.rewind(first)).left).toEqual([]);
    expect([world.read("a.txt"), world.read("src/b.txt")]).toEqual(["one\n", "b\n"]);
  });

  it("a fork can be rewound like the session it was copied from", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt")]);
    await world.session.close();
    world.fork();
    expect((await world.rewind(first)).left).toEqual([]);
    expect(world.read("a.txt")).toBe("one\n");
  });

  it("a call that was killed with its process: what it may have done is left and named", async () => {
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > src/b.txt")]);
    const { leaf: entryId } = world.journal;
    const { blob } = await world.snapshots.look();
    world.journal.write({ type: "snapshot", phase: "before", entryId, blob });
    world.write("a.txt", "half\n");
    await world.reopen();
    expect((await world.rewind(first)).left).toEqual([{ path: join(world.root, "a.txt"), why: "unsure" }]);
    expect([world.read("a.txt"), world.read("src/b.txt")]).toEqual(["half\n", "b\n"]);
  });

  it("another process finds the points of this one", async () => {
    world.write("ignored/known.txt", "kept\n");
    const first = await world.turn([]);
    await world.turn([world.shell("echo two > a.txt"), world.writeCall("ignored/known.txt", "changed")]);
    await world.reopen();
    expect((await world.rewind(first)).left).toEqual([]);
    expect([world.read("a.txt"), world.read("ignored/known.txt")]).toEqual(["one\n", "kept\n"]);
  });

  it("a round of reading calls looks at no file and writes no line", async () => {
    await world.turn([{ name: "look" }], [{ name: "look" }, { name: "look" }]);
    expect([...world.journal.outside("snapshot")]).toEqual([]);
    expect(existsSync(join(world.base, "home/cache/stat.time"))).toBe(false);
  });

  it("a harmless command gets no look of its own; what it changed all the same is found by the next look", async () => {
    mkdirSync(world.bin);
    writeFileSync(join(world.bin, "ls"), "#!/bin/sh\necho changed > a.txt\n", { mode: 0o755 });
    await world.turn([world.shell("ls")]);
    expect([world.read("a.txt"), [...world.journal.outside("snapshot")]]).toEqual(["changed\n", []]);
    const first = await world.turn([world.shell("echo b2 > src/b.txt")]);
    await world.turn([world.shell("ls src"), world.shell("echo three > src/b.txt")]);
    world.write("a.txt", "one more\n");
    await world.turn([world.shell("rm a.txt src/b.txt")]);
    await world.rewind(first, { force: true });
    expect([world.read("a.txt"), world.read("src/b.txt")]).toEqual(["changed\n", "b2\n"]);
  });

  it("a look at a tree in which nothing has changed writes nothing", async () => {
    await world.turn([world.act(() => {})]);
    const probe = join(world.base, "home/cache/stat.time");
    const lookWrites = async (): Promise<boolean> => {
      rmSync(probe, { force: true });
      await world.snapshots.look();
      return existsSync(probe);
    };
    while (await lookWrites()); // until the files are old enough to be distinguished by their times
    await world.snapshots.settle();
    const cache = lstatSync(join(world.base, "home/cache/stat"));
    const blobs = readdirSync(join(world.base, "home/blobs"));
    writeFileSync(join(world.base, "beside.txt"), "the folder around the project changes\n");
    expect(await lookWrites()).toBe(false);
    await world.snapshots.settle();
    expect(lstatSync(join(world.base, "home/cache/stat")).ino).toBe(cache.ino);
    expect(readdirSync(join(world.base, "home/blobs"))).toEqual(blobs);
  });

  it("bad requests say what is wrong", async () => {
    await expect(world.rewind("nothere1")).rejects.toThrow("There is no entry nothere1 in this session.");
    const first = await world.turn([]);
    await expect(world.rewind(first)).rejects.toThrow("There is nothing to rewind");
    await expect(world.rewinder.takeBack()).rejects.toThrow("There is no rewind to undo.");
    let refusal: unknown;
    world.acts.set("rewind", async () => {
      refusal = await world.rewind(null).catch((error: Error) => error.message);
      return "tried";
    });
    await world.turn([{ name: "act", args: { id: "rewind" } }]);
    expect(refusal).toBe("The agent is working. Stop it first, then rewind.");
  });

  it("a tree with too many files is said once, and what calls say that they write is covered", async () => {
    await world.end();
    world = new World({ limits: { maxFiles: 3 } });
    for (let i = 0; i < 5; i++) world.write(`f${i}.txt`, "x\n");
    const first = await world.turn([]);
    await world.turn([world.writeCall("f1.txt", "changed")], [world.shell("echo y > $(echo f2.txt)")]);
    expect(world.warnings).toHaveLength(1);
    expect(world.warnings[0]).toContain("holds more than 3 files");
    await world.rewind(first);
    expect([world.read("f1.txt"), world.read("f2.txt")]).toEqual(["x\n", "y\n"]);
  });
});
