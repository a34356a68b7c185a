// Git inside the sandbox: everyday work goes, and nothing that git would later run outside can be planted.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

describe.skipIf(!CAN_CONFINE)(`git in the sandbox ${NEEDS}`, () => {
  let cell: Cell;
  let repository: string;
  let worktree: string;
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd, env: { ...process.env, ...IDENTITY } }).toString();
  const inside = (script: string, cwd = repository) => cell.env.execCommand(script, 30_000, { cwd, env: IDENTITY });

  beforeAll(() => {
    const roots: string[] = [];
    cell = makeCell({ roots: () => roots });
    repository = join(cell.home, "repository");
    worktree = join(cell.home, "worktree");
    mkdirSync(repository);
    git(repository, "init", "-q", "-b", "main");
    writeFileSync(join(repository, "a"), "1");
    git(repository, "add", ".");
    git(repository, "commit", "-qm", "one");
    git(repository, "worktree", "add", "-q", worktree);
    roots.push(repository);
  });
  afterAll(() => cell?.dispose());

  it("G commits, branches, rebases and stashes", async () => {
    const script = `set -e; echo 2 > a; git commit -qam two; git checkout -qb other; echo 3 > b; git add b; git commit -qm three
      git checkout -q main; echo 4 > c; git add c; git commit -qm four; git checkout -q other; git rebase -q main
      echo 5 > a; git stash -q; git stash pop -q; git checkout -q -- a; git checkout -q main; git merge -q other; git log --format=%s`;
    expect(await inside(script)).toMatchObject({ exitCode: 0, stdout: "three\nfour\ntwo\none\n" });
  });

  it.each([
    ["a hook", "echo evil > .git/hooks/pre-commit"],
    ["another folder for hooks", "git config core.hooksPath ."],
    ["a program in the configuration", "printf '[core]\\n fsmonitor = evil\\n' >> .git/config"],
    ["configuration put in its place", "printf x > new; mv -f new .git/config"],
    ["a folder for hooks put in its place", "mv .git/hooks .git/old && mkdir .git/hooks"],
    ["another repository put in its place", "mv .git old && git init -q && echo evil > .git/hooks/pre-commit"],
    ["a link put in its place", "rm -rf .git; ln -sT elsewhere .git"],
  ])("G cannot make git run something later: %s", async (_, attack) => {
    const configuration = readFileSync(join(repository, ".git/config"), "utf8");
    const hooks = readdirSync(join(repository, ".git/hooks"));
    const saved = join(cell.home, "saved.git");
    execFileSync("cp", ["-a", join(repository, ".git"), saved]);
    try {
      expect((await inside(attack)).exitCode).not.toBe(0);
      expect(readFileSync(join(repository, ".git/config"), "utf8")).toBe(configuration);
      expect(readdirSync(join(repository, ".git/hooks"))).toEqual(hooks);
    } finally {
      execFileSync("sh", ["-c", 'cp -a "$0/." "$1"; rm -rf "$0"', saved, join(repository, ".git")]);
    }
  });

  it("G file tools cannot write there either, and a command that tries says why it failed", async () => {
    await expect(cell.env.writeFile(join(repository, ".git/hooks/pre-commit"), "evil")).rejects.toMatchObject({
      code: "not_permitted",
      message: expect.stringContaining("read-only in the sandbox"),
    });
    expect((await inside("git config user.name x")).note).toContain("configuration of the repository are read-only");
  });

  it("G works in a linked work tree, whose repository lies elsewhere, and protects that one", async () => {
    const other = makeCell({ cwd: worktree, roots: () => [worktree], home: cell.home });
    try {
      const run = (script: string) => other.env.execCommand(script, 30_000, { env: IDENTITY });
      expect(await run("echo w > w; git add w; git commit -qm tree; git log -1 --format=%s")).toMatchObject({
        exitCode: 0,
        stdout: "tree\n",
      });
      expect((await run(`echo evil > ${repository}/.git/hooks/post-commit`)).exitCode).not.toBe(0);
      expect((await run(`echo evil > ${repository}/a`)).exitCode).not.toBe(0);
      expect((await run(`echo "gitdir: ${cell.outside}" > .git`)).exitCode).not.toBe(0);
      expect(existsSync(join(repository, ".git/hooks/post-commit"))).toBe(false);
    } finally {
      await other.dispose();
    }
  });

  it("G a `.git` that points to a folder which is no repository of this one makes that folder no more writable", async () => {
    const tricked = makeCell();
    try {
      writeFileSync(join(tricked.outside, "HEAD"), "");
      writeFileSync(join(tricked.root, ".git"), `gitdir: ${tricked.outside}\n`);
      expect((await tricked.run(`echo evil > "${tricked.outside}/kept"`)).exitCode).not.toBe(0);
      expect(readFileSync(join(tricked.outside, "kept"), "utf8")).toBe("kept");
    } finally {
      await tricked.dispose();
    }
  });
});
