// `lathe policy`.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { furtherFiles } from "../../../agent/test/shell/smuggling-further-cases.ts";
import { type Box, makeBox } from "../sessions-box.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

interface Tested {
  readonly verdict: string;
  readonly parts: readonly { command: string; verdict: string; reason: string; rule?: string }[];
}

async function tested(command: string, ...options: string[]): Promise<Tested> {
  const { code, stdout, stderr } = await box.run("policy", "test", ...options, "--json", "--", command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Tested;
}

describe("policy test", () => {
  it("LS-10 judges each part, with its reason and the rule that decided", async () => {
    const { verdict, parts } = await tested(
      "git log -3 && rm -rf x",
      "--allow",
      "shell(git log *)",
      "--allow",
      "shell(rm *)",
    );
    expect(verdict).toBe("ask");
    expect(parts).toMatchObject([
      { command: "git log -3", verdict: "allow", rule: "shell(git log *)" },
      { command: "rm -rf x", verdict: "ask" },
    ]);
    for (const { reason } of parts) expect(reason).toMatch(/\.$/);
  });

  it.each([
    ["git log", ["--allow", "shell(git log *)"], "allow"],
    ["git logout", ["--allow", "shell(git log *)"], "ask"],
    ["ls", ["--allow", "shell(git log *)"], "ask"],
    ["ls", [], "allow"],
    ["ls", ["--deny", "shell(ls *)"], "deny"],
    ["ls; pwd", ["--allow", "Bash(ls:*)", "--allow", "Bash(pwd)"], "allow"],
    ["git reset --hard", ["--allow", "shell(git *)"], "ask"],
    ["git reset --hard", ["--allow", "shell(git reset --hard *)"], "allow"],
    ["echo x > out.txt", ["--allow", "shell(echo *)"], "ask"],
    ["echo x > out.txt", ["--allow", "shell(echo *)", "--allow", "write(out.txt)"], "allow"],
    ["npm test", [], "ask"],
    ["npm test", ["--ask", "shell(npm *)", "--allow", "shell(npm test *)"], "ask"],
  ])("%s with %j: %s", async (command, options, verdict) => {
    expect((await tested(command, ...options)).verdict).toBe(verdict);
  });

  describe("in a repository with others inside of it", () => {
    // What is only judged changes nothing, so all of them have one.
    let shared: Box;
    beforeAll(() => {
      shared = makeBox();
      const { dir } = shared;
      const repository = join(dir, "other");
      for (const path of ["src", "other/sub", "bare/sub", "bare/objects", "bare/refs", ".github/workflows"])
        mkdirSync(join(dir, path), { recursive: true });
      for (const place of [dir, repository]) execFileSync("git", ["init", "-q", place]);
      for (const path of ["bare/HEAD", ".env", "README.md", "src/x"]) writeFileSync(join(dir, path), "x\n");
      symlinkSync(repository, join(dir, "linked"));
    });
    afterAll(() => shared.remove());
    beforeEach(() => {
      box.remove();
      box = { ...shared, remove: () => {} };
    });

    it("G git in a folder of the same repository needs no question", async () => {
      for (const command of [
        "cd src && git status",
        "cd src && ls && git diff | head",
        "(cd src && git log -3)",
        "git -C src status",
      ])
        expect({ command, ...(await tested(command)) }).toMatchObject({ command, verdict: "allow" });
    });

    it.each(furtherFiles)("G does not slip through: %s", async (command) => {
      expect((await tested(command)).verdict).toBe("ask");
    });
  });

  it("without rules of its own the settings take effect", async () => {
    mkdirSync(box.home, { recursive: true });
    writeFileSync(join(box.home, "config.yml"), "permissions:\n  allow: [shell(npm test *)]\n  deny: [shell(ls *)]\n");
    expect((await tested("npm test -- --watch")).verdict).toBe("allow");
    expect((await tested("ls")).verdict).toBe("deny");
    expect((await tested("ls", "--allow", "shell(ls *)")).verdict).toBe("allow");
    const { stdout } = await box.run("policy", "explain");
    expect(stdout).toMatch(
      /mode: auto-edit \(default\)[\s\S]*deny shell\(ls \*\) {2}\(.*config\.yml\)[\s\S]*allow shell\(npm test \*\)/,
    );
  });

  it("says in words what JSON says, and refuses what it cannot read", async () => {
    const { stdout } = await box.run("policy", "test", "--", "npm test");
    expect(stdout).toMatch(/^ask\n {2}ask +npm test +Mode auto-edit asks before it runs commands\.\n$/);
    for (const [args, says] of [
      [["test"], "Give a command"],
      [["test", "--", "ls", "pwd"], "one command in quotes"],
      [["test", "--allow", "x y", "--", "ls"], '--allow: "x y" is not a rule'],
      [["nothing"], 'Unknown command "lathe policy nothing". Choose one of test, explain, suggest, forget'],
      [[], "Say what to do. Choose one of test, explain, suggest, forget"],
    ] as const) {
      const run = await box.run("policy", ...args);
      expect(run.code).toBe(2);
      expect(run.stderr).toContain(says);
    }
  });
});
