// --worktree with the real command, a real repository and real views.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type Stage, stage } from "./contract-kit.ts";

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const full = ["--permission-mode", "full"];

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("lathe --worktree (needs bwrap, nsenter, unshare)", () => {
  let scene: Stage;
  afterEach(() => scene.close());
  const file = (name: string): string => join(scene.box.dir, name);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: scene.box.dir,
    }).toString();
  const repository = (): void => {
    git("init", "-q", "-b", "main");
    writeFileSync(file("a.txt"), "one\n");
    git("add", "-A");
    git("commit", "-qm", "first");
  };
  const leftViews = (): string[] =>
    readdirSync(join(scene.box.home, ".lathe/views")).flatMap((name) =>
      readdirSync(join(scene.box.home, ".lathe/views", name)),
    );

  it("G-22 SA-07 a run works in a view, and its changes land at the end", async () => {
    scene = await stage([
      shell(
        `echo two > ${"$PWD"}/a.txt; echo new > b.txt; git stash list; git -c user.name=x -c user.email=x@y commit -qam inside`,
      ),
      turn.text("ok"),
    ]);
    repository();
    const head = git("rev-parse", "HEAD");
    const { code, stdout, stderr } = await scene.run([...full, "--worktree", "-p", "go"]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(stderr).toContain("Working in a view of");
    expect(stderr).toContain("Landed 2 files.");
    expect([readFileSync(file("a.txt"), "utf8"), readFileSync(file("b.txt"), "utf8")]).toEqual(["two\n", "new\n"]);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(leftViews()).toEqual([]);
  });

  it("G-22 with a name the changes land as a branch and the files stay; the session belongs to the project", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    const { code, stderr } = await scene.run([...full, "--worktree", "feat-x", "-p", "go"]);
    expect(code).toBe(0);
    expect(stderr).toContain("Landed as the branch lathe/task/feat-x.");
    expect(readFileSync(file("a.txt"), "utf8")).toBe("one\n");
    expect(git("show", "lathe/task/feat-x:a.txt")).toBe("two\n");
    expect((await scene.box.run(["sessions", "list"])).stdout).toContain("go");
  });

  it("G-22 a path instead of a name is refused", async () => {
    scene = await stage([]);
    const { code, stderr } = await scene.run(["--worktree", "./path", "-p", "go"]);
    expect(code).toBe(2);
    expect(stderr).toContain('--worktree takes the name of a branch: letters, digits, "-" and "_". Not "./path".');
  });

  it("SA-07 what the person changed meanwhile on the same line is not overwritten, and the work is kept as a patch", async () => {
    scene = await stage([shell(`echo child > a.txt; echo person > ../person.txt`), turn.text("ok")]);
    repository();
    // The command writes beside the project; a watcher stands for the person who edits while the run works.
    const person = setInterval(() => {
      if (existsSync(join(scene.box.dir, "../person.txt"))) writeFileSync(file("a.txt"), "person\n");
    }, 5);
    try {
      const { code, stderr } = await scene.run([...full, "--worktree", "-p", "go"]);
      expect(code).toBe(1);
      expect(stderr).toContain("Nothing was landed. The changes are kept: git -C");
    } finally {
      clearInterval(person);
    }
    expect(readFileSync(file("a.txt"), "utf8")).toBe("person\n");
    const [patch] = readdirSync(join(scene.box.home, ".lathe/patches"));
    expect(readFileSync(join(scene.box.home, ".lathe/patches", patch!), "utf8")).toContain("+child");
  });
});
