// Git inside the sandbox: everyday work succeeds, and nothing can be planted that git would later run outside.

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

  it("G tags, fetches, cherry-picks, reverts, bisects and packs; makes repositories that work outside; says why it makes no linked work tree", async () => {
    const everyday = makeCell();
    const told: string[] = [];
    const made = makeCell({
      cwd: everyday.root,
      roots: () => [everyday.root],
      onLeftover: (message) => told.push(message),
    });
    try {
      const remote = join(everyday.outside, "remote");
      git(everyday.root, "init", "-q", "-b", "main");
      git(everyday.root, "commit", "-q", "--allow-empty", "-m", "one");
      git(everyday.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository, "module");
      git(everyday.root, "commit", "-qm", "module");
      git(everyday.root, "clone", "-q", "--bare", ".", remote);
      git(everyday.root, "remote", "add", "origin", remote);
      const run = (script: string) => made.env.execCommand(script, 60_000, { env: IDENTITY });
      const script = `set -e; git tag -a v1 -m v1; git fetch -q; echo 1 > a; git add a; git commit -qm two; git branch kept
        git switch -qc side HEAD~1; git cherry-pick main > /dev/null; git revert --no-edit HEAD > /dev/null; git reset -q --hard HEAD~1; git branch -D kept > /dev/null
        git switch -q main; git merge -q --no-edit side; git rebase -qx true HEAD~1; git bisect start -q HEAD HEAD~1 > /dev/null; git bisect reset 2> /dev/null
        git pack-refs --all; git gc -q; git notes add -m n; git rm -q --cached a; git reset -q; git clean -fdq; git rev-parse --abbrev-ref HEAD
        (cd module; echo m > m; git add m; git commit -qm module); git status --short
        git init -q inner; cd inner; git commit -q --allow-empty -m inner; git clone -q . ../copy 2> /dev/null; cd ../copy; git log --format=%s`;
      expect(await run(script)).toMatchObject({ exitCode: 0, stdout: "main\n M module\ninner\n" });
      const refused = await run("git worktree add ../tree");
      expect(refused).toMatchObject({
        exitCode: 128,
        note: expect.stringContaining("linked work trees of the repository"),
      });
      await made.env.cleanup();
      expect(told).toEqual([]);
      expect(git(join(everyday.root, "copy"), "log", "--format=%s")).toBe("inner\n");
      expect(git(everyday.root, "status", "--short")).toContain(" M module");
      expect(readdirSync(join(everyday.root, ".git"))).not.toContain("commondir");
    } finally {
      await made.dispose();
      await everyday.dispose();
    }
  });

  it("G the model hears what became of a repository that a command created; the user's own stay as they are", async () => {
    const own = join(repository, "own");
    git(repository, "init", "-q", own);
    git(own, "config", "core.hooksPath", "kept");
    const other = makeCell({ cwd: repository, roots: () => [repository], home: cell.home });
    try {
      await other.run("git init -q theirs; git -C theirs config core.pager evil");
      let note: string | undefined;
      while (note === undefined) note = (await other.run("true")).note;
      expect(note).toContain("theirs/.git.untrusted");
      expect(readFileSync(join(own, ".git/config"), "utf8")).toContain("kept");
    } finally {
      await other.dispose();
    }
  });

  it("G file tools cannot write there either, and a command that tries says why it failed", async () => {
    await expect(cell.env.writeFile(join(repository, ".git/hooks/pre-commit"), "evil")).rejects.toMatchObject({
      code: "not_permitted",
      message: expect.stringContaining("read-only for file tools in the sandbox"),
    });
    expect((await inside("git config user.name x")).note).toContain("of the repository are read-only");
  });

  it("G works in a linked work tree, whose repository lies elsewhere, and protects that one", async () => {
    const other = makeCell({ cwd: worktree, roots: () => [worktree], home: cell.home });
    try {
      const run = (script: string) => other.env.execCommand(script, 30_000, { env: IDENTITY });
      expect(await run("echo w > w; git add w; git commit -qm tree; git log -1 --format=%s")).toMatchObject({
        exitCode: 0,
        stdout: "tree\n",
      });
      expect((await run(`echo evil > $repository/.git/hooks/post-commit`)).exitCode).not.toBe(0);
      expect((await run(`echo evil > $repository/a`)).exitCode).not.toBe(0);
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
