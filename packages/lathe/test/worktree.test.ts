// --worktree with the real command, a real repository and real views.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";
import { checkJsonLine } from "./rpc-host.ts";

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
    expect(stderr).toContain("Working in an isolated copy of");
    expect(stderr).toContain("Applied the changes to 2 files.");
    expect([readFileSync(file("a.txt"), "utf8"), readFileSync(file("b.txt"), "utf8")]).toEqual(["two\n", "new\n"]);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(leftViews()).toEqual([]);
  });

  it("G-22 with a name the changes land as a branch and the files stay; the session belongs to the project", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    const { code, stderr } = await scene.run([...full, "--worktree", "feat-x", "-p", "go"]);
    expect(code).toBe(0);
    expect(stderr).toContain("Written to the branch lathe/task/feat-x.");
    expect(readFileSync(file("a.txt"), "utf8")).toBe("one\n");
    expect(git("show", "lathe/task/feat-x:a.txt")).toBe("two\n");
    expect((await scene.box.run(["sessions", "list"])).stdout).toContain("go");
  });

  it("G-22 a name whose branch exists is refused before the run, and stays usable in other runs", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    git("branch", "lathe/task/feat");
    git("pack-refs", "--all");
    const refused = await scene.run([...full, "--worktree", "feat", "-p", "go"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toBe(
      "lathe: --worktree feat: the run would end in the branch lathe/task/feat, which already exists. Choose another name, or rename the branch: git branch -m lathe/task/feat <new name>\n",
    );
    expect(scene.server.requests).toEqual([]);
    expect(await scene.run([...full, "--worktree", "feat-2", "-p", "go"])).toMatchObject({ code: 0 });
  });

  it("G-22 a branch that appears during the run keeps the changes, and the line has no doubled stop", async () => {
    scene = await stage(({ index }) => {
      if (index > 0) git("branch", "lathe/task/feat");
      return index === 0 ? shell("echo two > a.txt") : turn.text("ok");
    });
    repository();
    const { code, stderr } = await scene.run([...full, "--worktree", "feat", "-p", "go"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/already a branch lathe\/task\/feat\. Rename or delete it\. Kept as a patch/);
  });

  it("a file that makes programs run later lands only where a rule names it; else the changes are kept as a patch", async () => {
    const work = shell("cp a.txt .envrc; echo two > a.txt");
    scene = await stage([work, turn.text("ok")]);
    repository();
    const held = await scene.run(["--allow", "shell(cp *)", "--allow", "write(.envrc)", "--worktree", "-p", "go"]);
    expect(held).toMatchObject({ code: 0, stderr: expect.stringContaining("Applied the changes to 2 files.") });
    git("reset", "-q", "--hard");
    git("clean", "-qfd");
    scene.server.push(shell("node -e 'fs.writeFileSync(String.fromCharCode(46)+`envrc`, `x`)'"), turn.text("ok"));
    const { code, stderr } = await scene.run(["--allow", "shell(node *)", "--worktree", "-p", "go"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(".envrc can make programs run later: direnv reads it")]);
    expect(stderr).toContain("Kept as a patch:");
    expect(existsSync(file(".envrc"))).toBe(false);
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
      const { code, stdout } = await scene.run([...full, "--mode", "json", "--worktree", "-p", "go"]);
      expect(code).toBe(1);
      // The landing is part of the result.
      const lines = jsonLines(stdout);
      for (const line of lines) await checkJsonLine(line as never);
      expect(lines.at(-1)).toMatchObject({
        type: "result",
        status: "failed",
        exitCode: 1,
        error: expect.stringMatching(
          /^Nothing was applied\. a\.txt:1: changed in the project too\. Kept as a patch: git -C /,
        ),
        worktree: { outcome: "conflict", conflicts: [{ path: "a.txt", line: 1 }], patch: expect.any(String) },
      });
    } finally {
      clearInterval(person);
    }
    expect(readFileSync(file("a.txt"), "utf8")).toBe("person\n");
    const [patch] = readdirSync(join(scene.box.home, ".lathe/patches"));
    expect(readFileSync(join(scene.box.home, ".lathe/patches", patch!), "utf8")).toContain("+child");
  });

  describe("a file that is written while git reads it", () => {
    /** A git that fails on a file this many times, with its message for a file that became shorter meanwhile. */
    const disturbedGit = (times: number): Record<string, string> => {
      const folder = join(scene.box.home, "bin");
      const [real, count] = [execFileSync("which", ["git"]).toString().trim(), join(scene.box.home, "count")];
      mkdirSync(folder);
      writeFileSync(count, String(times));
      const gives = "echo 'error: short read while indexing a.txt\nfatal: Unable to process path a.txt' >&2; exit 128";
      const takes = `n=$(cat ${count}); if [ $n -gt 0 ]; then echo $((n - 1)) > ${count}; ${gives}; fi`;
      const disturbs = `case " $* " in *" update-index "*) if [ -e ../work.txt ]; then ${takes}; fi ;; esac`;
      writeFileSync(
        join(folder, "git"),
        `#!/bin/sh\ncd ${scene.box.dir}\n${disturbs}\ncd "$OLDPWD"\nexec ${real} "$@"\n`,
        { mode: 0o755 },
      );
      return { PATH: `${folder}:${scene.box.env["PATH"]}` };
    };

    it("SA-07 is read again, and the changes land", async () => {
      scene = await stage([shell("echo two > a.txt; touch ../work.txt"), turn.text("ok")]);
      repository();
      const { code, stderr } = await scene.run([...full, "--worktree", "-p", "go"], { env: disturbedGit(5) });
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("to 1 file.") });
      expect(readFileSync(file("a.txt"), "utf8")).toBe("two\n");
      expect(readFileSync(join(scene.box.home, "count"), "utf8").trim()).toBe("0");
    });

    it("SA-07 each time: the run fails, says why, and what it changed is kept", async () => {
      scene = await stage([shell("echo two > a.txt; touch ../work.txt"), turn.text("ok")]);
      repository();
      const env = disturbedGit(1_000_000);
      const { code, stderr } = await scene.run([...full, "--worktree", "-p", "go"], { env });
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("short read while indexing") });
      const [id = ""] = leftViews();
      expect(stderr).toContain(`The changes of the run are kept in the isolated copy ${id}: they could not be read`);
      expect(readFileSync(file("a.txt"), "utf8")).toBe("one\n");
      const later = await scene.box.run(["worktree", "land", id]);
      expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining("to 1 file.") });
      expect(readFileSync(file("a.txt"), "utf8")).toBe("two\n");
    });
  });

  it("G-22 messages on stdin work in the view as well, and the result tells of the branch", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("ok")]);
    repository();
    const stdin = `${JSON.stringify({ type: "message", content: "go" })}\n`;
    const { stdout } = await scene.run([...full, "--mode", "json", "--worktree", "feat"], { stdin });
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      exitCode: 0,
      worktree: { id: "feat", outcome: "branch", branch: "lathe/task/feat", files: ["a.txt"] },
    });
    expect(git("show", "lathe/task/feat:a.txt")).toBe("two\n");
  });

  it("G-22 SA-07 what a killed run has changed is kept: it is said, continued, landed or discarded", async () => {
    const door = gate();
    scene = await stage([
      shell("echo two > a.txt; echo new > b.txt"),
      turn.text("never", { before: door.wait }),
      turn.text("hello"),
      shell("cat b.txt; echo more > c.txt"),
      turn.text("ok"),
    ]);
    repository();
    const killed = scene.start([...full, "--worktree", "-p", "go"]);
    killed.stdin.end();
    await door.reached;
    killed.kill("SIGKILL");
    await once(killed, "exit");
    door.open();
    const [id = ""] = leftViews();
    expect(id).toMatch(/^run-[0-9a-f]{8}$/);
    expect(readFileSync(file("a.txt"), "utf8")).toBe("one\n");
    const next = await scene.run(["-p", "hi"]);
    expect(next.stderr).toContain(
      `lathe: A run was interrupted; its changes are kept. Continue with: lathe --worktree ${id}; or apply them: lathe worktree land ${id}`,
    );
    expect((await scene.box.run(["worktree"])).stdout).toBe(`${id}  overlay  interrupted\n`);
    const unknown = await scene.run(["--worktree", "run-00000000", "-p", "x"]);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining(`There is no isolated copy run-00000000 to continue. Kept here: ${id}.`),
    ]);
    const going = await scene.run([...full, "--worktree", id, "-p", "go on"]);
    expect(going).toMatchObject({ code: 0, stderr: expect.stringContaining("Applied the changes to 3 files.") });
    expect(["a.txt", "b.txt", "c.txt"].map((name) => readFileSync(file(name), "utf8"))).toEqual([
      "two\n",
      "new\n",
      "more\n",
    ]);
    expect(leftViews()).toEqual([]);
    expect((await scene.box.run(["worktree", "discard", id])).stderr).toContain(
      `There is no isolated copy ${id} to discard. No run has left one in this project.`,
    );
  });
});
