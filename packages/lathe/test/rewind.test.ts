// `lathe rewind` and /undo as users run them, in a repository, with a scripted model.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { record } from "../../agent/test/snapshots/world.ts";
import { collect } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

let scene: Stage;
afterEach(() => scene.close());

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const full = ["--permission-mode", "full"];
const file = (path: string): string => join(scene.box.dir, path);
const read = (path: string): string => readFileSync(file(path), "utf8");

function repository(): void {
  mkdirSync(file("src"));
  writeFileSync(file("a.txt"), "one\n");
  writeFileSync(file("src/b.txt"), "b\n");
  writeFileSync(file(".gitignore"), "out/\n");
  symlinkSync("a.txt", file("link"));
  chmodSync(file("src/b.txt"), 0o755);
  execFileSync("git", ["init", "-q", "--template="], { cwd: scene.box.dir });
  execFileSync("git", ["add", "-A"], { cwd: scene.box.dir });
}

const DESTROY = "echo two > a.txt; rm -r src; mkdir new; echo c > new/c.txt; ln -sfn src link";

describe("lathe rewind", () => {
  it("takes back what the last message did, and redo brings it again", async () => {
    scene = await stage([shell(DESTROY), turn.text("done"), turn.text("it is one again")]);
    repository();
    const before = record(scene.box.dir);
    await scene.run([...full, "destroy it"]);
    const after = record(scene.box.dir);
    expect(await scene.box.run(["rewind", "--undo"])).toEqual({
      code: 0,
      stdout: "Rewound to before: destroy it\n6 files restored.\n",
      stderr: "",
    });
    expect(record(scene.box.dir)).toEqual(before);
    expect(await scene.box.run(["rewind", "--redo"])).toMatchObject({ code: 0, stderr: "" });
    expect(record(scene.box.dir)).toEqual(after);
    await scene.box.run(["rewind", "--undo"]);
    await scene.run(["-c", "what is in a.txt?"]);
    expect(JSON.stringify(scene.server.requests.at(-1)?.view.messages)).not.toContain("destroy it");
  });

  it("lists the messages, and goes back to before one of them", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok"), shell("echo three > a.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "first"]);
    await scene.run([...full, "-c", "second"]);
    const { stdout } = await scene.box.run(["rewind"]);
    const ids = [...stdout.matchAll(/^ {2}(\w{8}) {2}(\w+) {2}\(1 file\)$/gm)].map(([, id, text]) => [text, id]);
    expect(ids.map(([text]) => text)).toEqual(["first", "second"]);
    await scene.box.run(["rewind", ids[1]![1]!, "--files"]);
    expect(read("a.txt")).toBe("two\n");
    await scene.box.run(["rewind", ids[0]![1]!]);
    expect(read("a.txt")).toBe("one\n");
  });

  it("leaves what the person has changed since, says so, and overwrites it only when asked", async () => {
    scene = await stage([shell("echo two > a.txt; rm src/b.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "go"]);
    writeFileSync(file("a.txt"), "mine\n");
    expect(await scene.box.run(["rewind", "--undo"])).toEqual({
      code: 1,
      stdout: "Rewound to before: go\n1 file restored.\n",
      stderr: expect.stringMatching(
        /^lathe: Left as they are \(changed outside this session since\): a\.txt\.\nlathe: To overwrite them as well: lathe rewind \w{8} --files --force\n$/,
      ),
    });
    expect([read("a.txt"), read("src/b.txt")]).toEqual(["mine\n", "b\n"]);
    await scene.box.run(["rewind", "--redo"]);
    expect(await scene.box.run(["rewind", "--undo", "--force"])).toMatchObject({ code: 0 });
    expect(read("a.txt")).toBe("one\n");
  });

  /** The command that a line offers. */
  const offered = (stderr: string): string[] => /: lathe (rewind .*)/.exec(stderr)![1]!.split(" ");

  it("the command that is offered for files that were left brings back these, and no message more", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok"), shell("echo three > a.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "first"]);
    await scene.run([...full, "-c", "second"]);
    writeFileSync(file("a.txt"), "mine\n");
    const undone = await scene.box.run(["rewind", "--undo"]);
    expect(undone).toMatchObject({ code: 1, stdout: "Rewound to before: second\nNo file was restored.\n" });
    expect(await scene.box.run(offered(undone.stderr))).toEqual({ code: 0, stdout: "1 file restored.\n", stderr: "" });
    expect(read("a.txt")).toBe("two\n");
    expect((await scene.box.run(["rewind"])).stdout).toContain("first");
    writeFileSync(file("a.txt"), "mine again\n");
    const redone = await scene.box.run(["rewind", "--redo"]);
    expect(redone).toMatchObject({ code: 1, stdout: "The rewind was undone.\nNo file was restored.\n" });
    expect(await scene.box.run(offered(redone.stderr))).toMatchObject({ code: 0, stderr: "" });
    expect(read("a.txt")).toBe("mine\n");
  });

  it("what the person has changed is left again after undo --force and redo", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "go"]);
    writeFileSync(file("a.txt"), "mine\n");
    await scene.box.run(["rewind", "--undo", "--force"]);
    await scene.box.run(["rewind", "--redo"]);
    expect(read("a.txt")).toBe("mine\n");
    expect(await scene.box.run(["rewind", "--undo"])).toMatchObject({ code: 1 });
    expect(read("a.txt")).toBe("mine\n");
  });

  it("does not offer force when it was given and does not help", async () => {
    scene = await stage([shell("echo two > src/b.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "go"]);
    renameSync(file("src"), file("moved"));
    symlinkSync("moved", file("src"));
    expect(await scene.box.run(["rewind", "--undo", "--force"])).toMatchObject({
      code: 1,
      stderr: "lathe: Left as they are (something else is in their place, or in that of their folder): src/b.txt.\n",
    });
    expect(read("moved/b.txt")).toBe("two\n");
  });

  it("an entry is named by its id, by the beginning of its id, or by its label", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "go"]);
    const listed = (await scene.box.run(["rewind"])).stdout;
    const [, session = "", entry = ""] = /^Session (\S+)\.[\s\S]*? {2}(\w{8}) {2}go {2}\(1 file\)$/m.exec(listed) ?? [];
    await scene.box.run(["sessions", "label", session, entry, "start"]);
    for (const name of ["start", entry.slice(0, 7)]) {
      expect(await scene.box.run(["rewind", name])).toMatchObject({ code: 0, stderr: "" });
      expect(read("a.txt")).toBe("one\n");
      await scene.box.run(["rewind", "--redo"]);
    }
  });

  it("says that many files are being restored before it starts", async () => {
    scene = await stage([shell("cd many; for i in *; do echo x > $i; done"), turn.text("ok")]);
    repository();
    mkdirSync(file("many"));
    for (let i = 0; i < 500; i++) writeFileSync(file(`many/${i}`), `${i}\n`);
    await scene.run([...full, "go"]);
    expect(await scene.box.run(["rewind", "--undo"])).toEqual({
      code: 0,
      stdout: "Rewound to before: go\n500 files restored.\n",
      stderr: "lathe: Restoring 500 files…\n",
    });
    expect(read("many/7")).toBe("7\n");
  });

  it("says in one line what is wrong, and what to do", async () => {
    const door = gate();
    scene = await stage([turn.text("hello"), turn.text("slow", { before: door.wait })]);
    repository();
    const said = async (...args: string[]) => {
      const { code, stderr } = await scene.box.run(["rewind", ...args]);
      expect([code, stderr.trim().split("\n").length]).toEqual([2, 1]);
      return stderr;
    };
    expect(await said()).toContain("There is no session in this directory. See: lathe sessions list --all");
    await scene.run(["say hello"]);
    expect(await said("nothere0")).toBe("lathe: There is no entry nothere0 in this session. See: lathe rewind\n");
    expect(await said("")).toBe("lathe: The name of the entry is empty. See: lathe rewind\n");
    for (const option of ["--files", "--conversation", "--force"])
      expect(await said(option)).toContain(`${option} needs an entry, or --undo. To list the entries: lathe rewind`);
    for (const option of ["--files", "--conversation"])
      expect(await said("--redo", option)).toContain(`Leave out: ${option}`);
    expect(await said("--redo")).toContain("There is no rewind to undo.");
    expect(await said("a", "--undo")).toContain("See: lathe rewind --help");
    expect(await said("--nonsense")).toContain("See: lathe rewind --help");
    const child = scene.start(["-c", "wait"]);
    const ended = collect(child);
    child.stdin.end();
    await door.reached;
    expect(await said("--undo")).toMatch(/is (in use|open|locked)|another process/i);
    door.open();
    await ended;
  });

  it("a session that only reads writes no snapshot", async () => {
    scene = await stage([turn.calls([{ name: "read_file", args: { file_path: "a.txt" } }]), turn.text("one")]);
    repository();
    await scene.run(["read it"]);
    const home = scene.box.env["LATHE_HOME"] ?? "";
    expect(existsSync(join(home, "cache/snapshots"))).toBe(false);
  });

  it("a session that is kept in the project is not rewound with it", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    await scene.run([...full, "--session", "s.jsonl", "go"]);
    const { size } = statSync(file("s.jsonl"));
    expect(await scene.box.run(["rewind", "--undo", "--session", "s.jsonl"])).toMatchObject({ code: 0, stderr: "" });
    expect(read("a.txt")).toBe("one\n");
    expect(statSync(file("s.jsonl")).size).toBeGreaterThan(size);
  });

  it("a file that git tracks although it is ignored comes back", async () => {
    scene = await stage([shell("rm -r out"), turn.text("ok")]);
    repository();
    mkdirSync(file("out"));
    writeFileSync(file("out/kept.txt"), "tracked\n");
    execFileSync("git", ["add", "-f", "out/kept.txt"], { cwd: scene.box.dir });
    await scene.run([...full, "go"]);
    expect(existsSync(file("out"))).toBe(false);
    await scene.box.run(["rewind", "--undo"]);
    expect(read("out/kept.txt")).toBe("tracked\n");
  });

  it("blobs of snapshots are not collected while their session is there, and are when it is gone", async () => {
    scene = await stage([shell(DESTROY), turn.text("done")]);
    repository();
    await scene.run([...full, "go"]);
    const home = scene.box.env["LATHE_HOME"] ?? "";
    const blobs = (): number => readdirSync(join(home, "blobs")).length;
    const old = new Date(0);
    const { utimesSync } = await import("node:fs");
    for (const name of readdirSync(join(home, "blobs"))) utimesSync(join(home, "blobs", name), old, old);
    const kept = blobs();
    await scene.box.run(["sessions", "doctor", "--gc"]);
    expect(blobs()).toBe(kept);
    await scene.box.run(["rewind", "--undo"]);
    expect(read("src/b.txt")).toBe("b\n");
    const id = /_([\w-]+)\.jsonl/.exec(readdirSync(join(home, "sessions"), { recursive: true }).join("\n"))?.[1] ?? "";
    await scene.box.run(["sessions", "rm", id]);
    for (const name of readdirSync(join(home, "blobs"))) utimesSync(join(home, "blobs", name), old, old);
    await scene.box.run(["sessions", "doctor", "--gc"]);
    expect(blobs()).toBe(0);
  });
});

it("T-CHK-1 the model's own checkpoint and rewind are offered only when they are turned on", async () => {
  scene = await stage([turn.text("one"), turn.text("two")]);
  await scene.run(["hello"]);
  await scene.box.run(["config", "set", "checkpoint.enabled", "true"]);
  await scene.run(["hello"]);
  const offered = scene.server.requests.map(({ view }) =>
    view.tools.filter((name) => /^(checkpoint|rewind)$/.test(name)),
  );
  expect(offered).toEqual([[], ["checkpoint", "rewind"]]);
});

describe.skipIf(!canMount)("lathe rewind with a full disk", () => {
  const fill = (path: string): void => {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(4096));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
  };
  /** Too much for the file systems below, in contents that do not repeat. */
  const contents = Array.from({ length: 6 }, (_, i) => Buffer.alloc(80_000, `content ${i} `));

  it("files that could not be recorded are not said to be as they were", async () => {
    scene = await stage([shell("for i in 0 1 2 3 4 5; do echo x > f$i; done"), turn.text("ok")]);
    repository();
    for (const [i, content] of contents.entries()) writeFileSync(file(`f${i}`), content);
    await withTmpfs(join(scene.box.home, "small"), "400k", async (home) => {
      const env = { LATHE_HOME: home };
      const { stderr } = await scene.run([...full, "go"], { env });
      expect(stderr).toContain("no longer recorded in this session, so they cannot be rewound: the disk was full");
      expect(await scene.box.run(["rewind", "--undo"], { env })).toEqual({
        code: 1,
        stdout: "Rewound to before: go\nNo file was restored.\n",
        stderr:
          "lathe: Some changes of files were not recorded (the disk was full), so those files stay as they are.\n",
      });
    });
  });

  it("a project on a full disk: all files go back, or none, and nothing is left behind", async () => {
    const command = "mkdir d; echo x > d/x; rm b; head -c 90000 /dev/zero > a; rm -r old";
    scene = await stage([
      shell(command),
      turn.text("ok"),
      shell("rm a b; head -c 200000 /dev/zero > c"),
      turn.text("ok"),
    ]);
    await withTmpfs(file("project"), "600k", async (project) => {
      const at = { cwd: project };
      for (const [i, name] of ["a", "b"].entries()) writeFileSync(join(project, name), contents[i]!);
      mkdirSync(join(project, "old"));
      writeFileSync(join(project, "old/y"), "y");
      const first = record(project);
      await scene.run([...full, "go"], at);
      const filler = join(project, "filler");
      fill(filler);
      // One of the two contents would fit.
      truncateSync(filler, statSync(filler).size - 100_000);
      const before = record(project);
      const undone = await scene.box.run(["rewind", "--undo"], at);
      expect([undone.code, undone.stdout, undone.stderr]).toEqual([
        2,
        "",
        "lathe: The disk is full, so nothing was rewound: all files are as they were. Free some space, then try again.\n",
      ]);
      expect(record(project)).toEqual(before);
      expect((await scene.box.run(["rewind", "--redo"], at)).stderr).toContain("There is no rewind to undo.");
      expect((await scene.box.run(["rewind"], at)).stderr).toBe("");
      rmSync(filler);
      expect(await scene.box.run(["rewind", "--undo"], at)).toMatchObject({ code: 0, stderr: "" });
      expect(record(project)).toEqual(first);
      // What goes makes the room that the rest needs.
      await scene.run([...full, "-c", "fill it"], at);
      fill(filler);
      expect(await scene.box.run(["rewind", "--undo"], at)).toMatchObject({ code: 0, stderr: "" });
      rmSync(filler);
      expect(record(project)).toEqual(first);
    });
  });

  it("a home on a full disk: nothing is changed, and it says what to do", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    await withTmpfs(join(scene.box.home, "small"), "400k", async (home) => {
      const env = { LATHE_HOME: home };
      await scene.run([...full, "go"], { env });
      fill(join(home, "filler"));
      // Enough for the lock, not for what a.txt is now.
      truncateSync(join(home, "filler"), statSync(join(home, "filler")).size - 40_000);
      writeFileSync(file("a.txt"), contents[0]!);
      const { code, stderr } = await scene.box.run(["rewind", "--undo", "--force"], { env });
      expect([code, stderr.trim().split("\n")]).toEqual([
        2,
        [expect.stringMatching(/disk is full.*Nothing was changed/)],
      ]);
      expect(readFileSync(file("a.txt"))).toEqual(contents[0]);
    });
  });
});

describe("killed in a rewind", () => {
  const preload = {
    NODE_OPTIONS: `--require ${fileURLToPath(new URL("./die-at-change.cjs", import.meta.url))}`,
    DIE_AFTER: '"rewind":{',
  };

  const FINISHED = "lathe: An interrupted rewind has been finished.\n";

  it("at any change of a file: the next command finishes it", { timeout: 300_000 }, async () => {
    scene = await stage([turn.text("hello"), shell(DESTROY), turn.text("done")]);
    repository();
    const before = record(scene.box.dir);
    await scene.run(["hello"]);
    await scene.run([...full, "-c", "destroy it"]);
    const after = record(scene.box.dir);
    const step = process.env["LATHE_LONG"] ? 1 : 17;
    let finished = 0;
    for (let at = 1; ; at += step) {
      const child = scene.box.start(["rewind", "--undo"], { ...preload, DIE_AT: String(at) });
      child.stdin.end();
      child.stdout.resume();
      child.stderr.resume();
      await once(child, "close");
      if (child.signalCode !== "SIGKILL") break;
      const { stderr } = await scene.box.run(["rewind"]);
      // After its last line it is done; what follows only tidies up.
      expect(["", FINISHED], `killed at ${at}`).toContain(stderr);
      if (stderr === FINISHED) finished++;
      expect(record(scene.box.dir), `killed at ${at}`).toEqual(before);
      expect(await scene.box.run(["rewind", "--redo"])).toMatchObject({ code: 0, stderr: "" });
      expect(record(scene.box.dir), `taken back after ${at}`).toEqual(after);
    }
    expect(finished).toBeGreaterThan(12 / step);
  });
});
