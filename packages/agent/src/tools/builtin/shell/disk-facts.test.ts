// Commands that are harmful because of what is on the disk: settings of a repository, names of files, links behind
// globs.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { judge } from "../../../policy/permissions/judge.ts";
import type { Rule } from "../../../policy/permissions/rule.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { commandAccess } from "./access.ts";
import { programSetting } from "./git-settings.ts";

let folder: string;
let project: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-disk-")));
  project = join(folder, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src/a.ts"), "a\n");
  git("init", "-q");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): void {
  execFileSync("git", args, { cwd: project, stdio: "ignore" });
}

interface Given {
  readonly cwd?: string;
  readonly isTrusted?: boolean;
  readonly rules?: readonly Rule[];
  readonly variables?: Record<string, string>;
}

async function judgement(command: string, { cwd = project, isTrusted = false, rules = [], variables }: Given = {}) {
  const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: folder, ...variables } });
  const paths = new CallPaths(env, new AbortController().signal);
  const services = { isFolderTrusted: () => isTrusted };
  const access = await commandAccess(command, cwd, { env, paths, services });
  const places = { roots: [project], userHome: folder, latheHome: join(folder, ".lathe") };
  return judge({ tier: "exec", access }, { mode: "auto-edit", rules, places });
}

async function decide(command: string, given: Given = {}): Promise<string> {
  return (await judgement(command, given)).decision;
}

/** The decision about each command. */
async function decideAll(commands: readonly string[], given: Given = {}): Promise<Record<string, string>> {
  const decided: Record<string, string> = {};
  for (const command of commands) decided[command] = await decide(command, given);
  return decided;
}

const all = (commands: readonly string[], decision: string) =>
  Object.fromEntries(commands.map((command) => [command, decision]));

describe("git and the settings of a repository", () => {
  it.each([
    "core.fsmonitor",
    "core.pager",
    "core.hooksPath",
    "core.sshCommand",
    "diff.external",
    "diff.x.textconv",
    "filter.x.clean",
    "alias.st",
    "include.path",
    "gpg.program",
    "pager.log",
    "core.unheardOf",
  ])("a repository that sets %s makes git a question until the folder is trusted", async (setting) => {
    expect(await decide("git status")).toBe("allow");
    git("config", setting, "!/tmp/run");
    expect(await decide("git status")).toBe("ask");
    expect(await decide("/usr/bin/git status")).toBe("ask");
    expect(await decide("git status", { isTrusted: true })).toBe("allow");
  });

  it.each([
    ["include.path", "../git.inc"],
    ["core.fsmonitor", "tools/look.sh"],
    ["filter.x.clean", "./tools/clean.sh"],
    ["diff.x.textconv", "sh textconv.sh"],
    ["core.pager", "node tools/page.js"],
  ])("%s=%s names what can be edited without a question: git is one, trusted or not", async (setting, value) => {
    git("config", setting, value);
    expect(await decide("git status", { isTrusted: true })).toBe("ask");
  });

  it.each([
    ["filter.lfs.process", "git-lfs filter-process"],
    ["core.pager", "less -R"],
    ["credential.helper", "!/usr/bin/gh auth git-credential"],
    ["core.hooksPath", ".husky/_"],
  ])("%s=%s of a trusted repository needs no question", async (setting, value) => {
    git("config", setting, value);
    expect(await decide("git status", { isTrusted: true })).toBe("allow");
  });

  it("settings of worktrees and submodules count", async () => {
    mkdirSync(join(project, ".git/modules/lib"), { recursive: true });
    writeFileSync(join(project, ".git/modules/lib/config"), "[core]\n\tfsmonitor = /tmp/run\n");
    expect(await decide("git status")).toBe("ask");
    rmSync(join(project, ".git/modules"), { recursive: true });
    expect(await decide("git status")).toBe("allow");
    writeFileSync(join(project, ".git/config.worktree"), "[core] fsmonitor=/tmp/run");
    expect(await decide("git status")).toBe("ask");
  });

  it("what a clone, a branch and a submodule set is harmless", () => {
    const text = `[core]
	repositoryformatversion = 0
	bare = false
[remote "origin"]
	url = https://example.com/x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "feature.one"]
	remote = origin
	merge = refs/heads/main
	vscode-merge-base = origin/main
[submodule "lib"]
	active = true
	url = https://example.com/y.git
[user]
	name = A
[alias]
	st = status`;
    expect(programSetting(text)).toBeUndefined();
    expect(programSetting("[core]\n\tfsmoni\\\ntor = /tmp/run")).toBeDefined();
  });

  it("a rebase that is under way with commands to run is a question, whatever rule allows git rebase", async () => {
    const rule = {
      text: "shell(git rebase *)",
      subject: "shell",
      pattern: "git rebase *",
      decision: "allow",
      origin: "x",
    };
    const rules = [rule as Rule];
    mkdirSync(join(project, ".git/rebase-merge"));
    writeFileSync(join(project, ".git/rebase-merge/git-rebase-todo"), "pick 0123456 one\n");
    expect(await decide("git rebase --continue", { rules })).toBe("allow");
    writeFileSync(join(project, ".git/rebase-merge/git-rebase-todo"), "pick 0123456 one\nexec touch /tmp/x\n");
    expect(await decide("git rebase --continue", { rules })).toBe("ask");
  });

  it("a repository that came as data is not the session's, whatever leads there", async () => {
    mkdirSync(join(project, "data/.git"), { recursive: true });
    expect(await decide("git status", { cwd: join(project, "data") })).toBe("ask");
    for (const command of [
      "git -C data status",
      "cd data && git status",
      "find data -execdir git status \\;",
      "env -C data git status",
    ])
      expect({ command, decision: await decide(command) }).toEqual({ command, decision: "ask" });
    expect(await decide("cd src && git status")).toBe("allow");
  });
});

describe("names of files", () => {
  it("a glob becomes no option where a name begins with a dash", async () => {
    expect(await decide("wc -l *")).toBe("allow");
    writeFileSync(join(project, "--files0-from=x"), "");
    expect(await decide("wc -l *")).toBe("ask");
    expect(await decide("wc -l -- *")).toBe("allow");
  });

  it("what is cut at blanks becomes neither an option nor a file with keys", async () => {
    expect(await decide("find . -name '*.ts' | xargs wc -l")).toBe("allow");
    expect(await decide("cat $(ls src)")).toBe("allow");
    writeFileSync(join(project, "src/My File.ts"), "");
    expect(await decide("find . -name '*.ts' | xargs wc -l")).toBe("allow");
    writeFileSync(join(project, "src/b .env .ts"), "");
    expect(await decide("find . -name '*.ts' | xargs cat")).toBe("ask");
    expect(await decide("cat $(ls src)")).toBe("ask");
  });

  it("a glob in a written path is every file that it stands for", async () => {
    const inPlace = "sed -i s/a/b/ src/*.ts";
    expect(await decide(inPlace)).toBe("allow");
    expect(await decide("touch src/{a,b}.ts")).toBe("allow");
    symlinkSync(join(folder, "elsewhere.ts"), join(project, "src/link.ts"));
    expect(await decide(inPlace)).toBe("ask");
    expect(await decide("touch src/{a,link}.ts")).toBe("ask");
    expect(await decide("touch src/{1..9}.ts")).toBe("ask");
  });

  it("braces and stars of which each multiplies the work are judged at once", async () => {
    expect(await decide(`touch ${"{a,b}".repeat(40)}`)).toBe("ask");
    expect(await decide(`touch ${"{a,b}".repeat(9_000)}`)).toBe("ask");
    expect(await decide("touch src/{a{1,2},b{3,4}}.ts")).toBe("allow");
    const hundred = `{${Array.from({ length: 100 }, (_, n) => n).join(",")}}`;
    expect(await decide(`cat ${hundred.repeat(8)}`)).toBe("ask");
    expect(await decide(`cat ${"{,x}".repeat(5)}{.,x}{e,x}{n,x}{v,x}`)).toBe("ask");
    writeFileSync(join(project, "src", "a".repeat(250)), "");
    expect(await decide(`sed -i s/a/b/ src/${"*a".repeat(30)}*b`)).toBe("allow");
  });

  it("a link that the same text makes leads nowhere unseen", async () => {
    symlinkSync("/etc", join(project, "out"));
    for (const command of [
      "cp -P out copy && touch copy/x",
      "cp -a src copy && touch copy/x",
      "touch /proc/self/cwd/x",
      "touch /proc/self/root/tmp/x",
      "echo x > /dev/fd/3/x",
    ])
      expect({ command, decision: await decide(command) }).toEqual({ command, decision: "ask" });
    expect(await decide("mv src/a.ts src/b.ts && sed -i s/a/b/ src/b.ts")).toBe("allow");
  });
});

describe("a rule that denies reading", () => {
  const rules: Rule[] = [
    { subject: "read", pattern: "secrets/**", text: "read(secrets/**)", decision: "deny", origin: "test" },
  ];

  it("holds for what git shows of files and searches in them, wherever git runs", async () => {
    const shows = [
      "git grep key",
      "git grep -l key HEAD",
      "git grep --no-index key",
      "git grep --untracked key",
      "git grep key -- :/",
      "git diff",
      "git diff --stat -p",
      "git diff --check",
      "git show",
      "git show HEAD",
      "git log -p",
      "git log -S key",
      "git log -U3",
      "git log -p -- '*.txt'",
      "git stash show -p",
      "git diff-tree -p HEAD",
      "git status -v",
      "git cat-file -p 1234567",
      "git cat-file blob 1234567",
      "cd src && git diff",
      "cd src && git log -p",
      "cd src && git grep key -- :/",
      "git show HEAD:src/a.ts HEAD",
    ];
    expect(await decideAll(shows, { rules })).toEqual(all(shows, "ask"));
    expect(await decideAll(shows)).toEqual(all(shows, "allow"));
    const denied = [
      "git show HEAD:secrets/a",
      "cd src && git show HEAD:secrets/a",
      "git diff -- secrets",
      "git log -p -- secrets/a",
      "git blame secrets/a",
    ];
    expect(await decideAll(denied, { rules })).toEqual(all(denied, "deny"));
    const free = [
      "git status",
      "git log",
      "git log --stat",
      "git diff --stat",
      "git diff --name-only",
      "git show --stat HEAD",
      "git diff -- src/a.ts",
      "git log -p -- src",
      "git show HEAD:src/a.ts",
      "git cat-file -p HEAD:src/a.ts",
      "git grep key -- src",
      "cd src && git grep key",
      "git blame src/a.ts",
      "git stash list",
    ];
    expect(await decideAll(free, { rules })).toEqual(all(free, "allow"));
  });

  it("holds where the repository begins above the folder of the session", async () => {
    rmSync(join(project, ".git"), { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: folder });
    expect(await decide("git show HEAD:project/secrets/a", { rules })).toBe("deny");
    expect(await decide("git show HEAD:project/src/a.ts", { rules })).toBe("allow");
    expect(await decide("git log -p", { rules })).toBe("ask");
  });

  it("holds for a search through a link", async () => {
    mkdirSync(join(project, "secrets/deep"), { recursive: true });
    writeFileSync(join(project, "secrets/a"), "key\n");
    symlinkSync(join(project, "secrets"), join(project, "linkdir"));
    symlinkSync("../secrets/deep", join(project, "src/deep"));
    const through = [
      "rg key linkdir/",
      "rg key linkdir",
      "grep -r key linkdir",
      "grep -r key link*",
      "grep -r key src/deep",
      "find linkdir/ -exec cat {} +",
      "find linkdir/ -type f | xargs cat",
      "cp -r linkdir copy",
      "cd linkdir && rg key",
      "cat linkdir/a",
      "cat link*/a",
      "cat {linkdir,x}/a",
      "sed -i s/a/b/ linkdir/a",
    ];
    expect(await decideAll(through, { rules })).toEqual(all(through, "deny"));
    expect(await decideAll(through.slice(0, 4))).toEqual(all(through.slice(0, 4), "allow"));
    const following = [
      "grep -R key src",
      "rg -L key src",
      "find -L src -exec cat {} +",
      "fd -L a src -x cat",
      "grep -Rl key src | xargs cat",
      "diff -r src other",
      "cat $(ls src)",
    ];
    expect(Object.values(await decideAll(following, { rules }))).not.toContain("allow");
    const leading = [
      "find src -name deep -exec cat {} \\;",
      "find src -type f -o -type l | xargs cat",
      "find src | xargs cat",
    ];
    expect(await decideAll(leading, { rules })).toEqual(all(leading, "deny"));
    const beside = ["rg key src", "grep -rn key src", "find src -type f -exec cat {} +", "cat src/*.ts"];
    expect(await decideAll(beside, { rules })).toEqual(all(beside, "allow"));
  });

  it("what lies behind a link is judged by where it is: keys", async () => {
    mkdirSync(join(folder, ".ssh"));
    writeFileSync(join(folder, ".ssh/id_rsa"), "key");
    symlinkSync(join(folder, ".ssh"), join(project, "src/lib"));
    const asked = ["rg key src/lib", "grep -r key src/l*", "cat src/*/*", "cat src/l*/id_*"];
    expect(await decideAll(asked)).toEqual(all(asked, "ask"));
  });
});

describe("variables that programs are given already", () => {
  const variables = { STEERS: "1", LANG: "C", http_proxy: "x" };

  it("an assignment without a command is an export of them", async () => {
    const exports = [
      "STEERS=2; git log",
      "STEERS=2",
      "http_proxy=y",
      "declare STEERS=2",
      "read STEERS < src/a.ts",
      "for STEERS in a b; do ls; done",
      `echo "\${STEERS:=2}"`,
      "unset STEERS",
      "STEERS+=x; ls",
    ];
    expect(await decideAll(exports, { variables })).toEqual(all(exports, "ask"));
    const own = ["OTHER=2; ls $OTHER", "LANG=C; ls", "for OTHER in a b; do echo $OTHER; done", "steers=1; ls"];
    expect(await decideAll(own, { variables })).toEqual(all(own, "allow"));
  });

  it("the question names the variable", async () => {
    const reason = async (command: string) => (await judgement(command, { variables })).parts[0]?.reason;
    expect(await reason("UNKNOWN=1 git log")).toBe("The variable UNKNOWN is not understood.");
    expect(await reason("env UNKNOWN=1 git log")).toBe("The variable UNKNOWN is not understood.");
    expect(await reason("export UNKNOWN=1")).toBe("The variable UNKNOWN is not understood.");
    expect(await reason("STEERS=2; git log")).toBe("The variable STEERS is not understood.");
    expect(await reason("read STEERS")).toBe("The variable STEERS is not understood.");
  });
});
