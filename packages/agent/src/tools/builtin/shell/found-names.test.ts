// Commands that get file names from other commands: the decision depends on the files that exist.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { judge } from "../../../policy/permissions/judge.ts";
import type { Rule } from "../../../policy/permissions/rule.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { commandAccess } from "./access.ts";

let folder: string;
let project: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-found-")));
  project = join(folder, "project");
  put("project/src/a.ts");
  execFileSync("git", ["init", "-q"], { cwd: project });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), "a\n");
}

async function decide(command: string, rules: readonly Rule[] = []): Promise<string> {
  const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: folder } });
  const paths = new CallPaths(env, new AbortController().signal);
  const access = await commandAccess(command, project, { env, paths });
  const places = { roots: [project], userHome: folder, latheHome: join(folder, ".lathe") };
  return judge({ tier: "exec", access }, { mode: "auto-edit", rules, places }).decision;
}

async function expectAll(commands: readonly string[], decision: string, rules: readonly Rule[] = []): Promise<void> {
  const decided: Record<string, string> = {};
  for (const command of commands) decided[command] = await decide(command, rules);
  expect(decided).toEqual(Object.fromEntries(commands.map((command) => [command, decision])));
}

const READS = [
  "find . -type f -exec cat {} +",
  "find . -type f | xargs cat",
  "ls -A | xargs cat",
  "cat $(ls -A)",
  "grep -rl a . | xargs head",
  "rg -l --hidden a | xargs cat",
  "git ls-files -o | xargs cat",
];

const WRITES = [
  "find src -name '*.ts' -exec sed -i s/a/b/ {} +",
  "find src -type f | xargs sed -i s/a/b/",
  "grep -rl a src | xargs sed -i s/a/b/",
  "rg -l a | xargs sed -i s/a/b/",
  "git ls-files | xargs sed -i s/a/b/",
  "sed -i s/a/b/ $(git ls-files)",
  "find . -name '*.ts' -not -path './.git/*' -exec sed -i s/a/b/ {} +",
  "find . -path ./.git -prune -o -type f -print | xargs sed -i s/a/b/",
];

describe("found files that are read", () => {
  it("need no question unless one of them holds keys", async () => {
    await expectAll(READS, "allow");
    put("project/.env");
    await expectAll(READS, "ask");
    await expectAll(["ls | xargs cat", "rg -l a | xargs cat", "find . -name '*.ts' | xargs cat"], "allow");
    await expectAll(["find . -type f -exec wc -l {} +", "ls -A | xargs stat"], "allow");
  });

  it("a link among them counts as what it leads to", async () => {
    put(".ssh/id_rsa");
    symlinkSync(join(folder, ".ssh/id_rsa"), join(project, "src/notes.ts"));
    await expectAll(["find . -name '*.ts' | xargs cat", "find src -name '*.ts' -exec cat {} +"], "ask");
    await expectAll(["git ls-files | xargs cat", "cd src && cat $(ls)"], "ask");
    await expectAll(["find src -type f -exec cat {} +", "grep -rl a src | xargs cat", "rg -l a | xargs cat"], "allow");
    symlinkSync(join(folder, ".ssh"), join(project, "src/lib"));
    await expectAll(["find src | xargs grep -r a"], "ask");
  });

  it("names that begin with a dash, or fall apart at blanks, are no plain names", async () => {
    const commands = ["git ls-files | xargs git log", "ls | xargs sort", "rg -l a | xargs grep a"];
    await expectAll(commands, "allow");
    symlinkSync("src", join(project, "--output=x"));
    await expectAll(commands, "ask");
    rmSync(join(project, "--output=x"));
    mkdirSync(join(project, "src/a --output=x"));
    await expectAll(["find . | xargs sort", "git ls-files | xargs git log"], "ask");
  });

  it("names of a diff are those of this folder only at the top of the repository", async () => {
    const command = "git diff --name-only | xargs grep a";
    expect(await decide(command)).toBe("allow");
    rmSync(join(project, ".git"), { recursive: true });
    expect(await decide(command)).toBe("ask");
  });
});

it("a project of many files needs no question", async () => {
  for (let i = 0; i < 1200; i++) writeFileSync(join(project, `src/x${i}.txt`), "");
  await expectAll(["find . -name '*.ts' | xargs grep a", "find . -name '*.ts' -exec sed -i s/a/b/ {} +"], "allow");
});

describe("found files that are changed", () => {
  it("need no question where they are files of the project", async () => {
    await expectAll(WRITES, "allow");
  });

  it("what git, CI or the shell act on is a question", async () => {
    const all = [
      "find . -name config -exec sed -i s/a/b/ {} +",
      "find . -type f | xargs sed -i s/a/b/",
      "grep -rl bare . | xargs sed -i s/a/b/",
      "find . -exec sed -i s/a/b/ {} + -name '*.ts'",
      "find . -name '*.ts' -o -type f -exec sed -i s/a/b/ {} +",
      "find . -name .git -prune -o -type f | xargs sed -i s/a/b/",
    ];
    await expectAll(all.slice(0, 5), "ask");
    put("project/.github/workflows/ci.yml");
    await expectAll(["git ls-files | xargs sed -i s/a/b/", "rg -l --hidden a | xargs sed -i s/a/b/"], "ask");
    await expectAll(["rg -l a | xargs sed -i s/a/b/"], "allow");
  });

  it("a link that leads out of the project is a question", async () => {
    put("outside/app.ts");
    symlinkSync(join(folder, "outside/app.ts"), join(project, "src/b.ts"));
    await expectAll(["find src -name '*.ts' -exec sed -i s/a/b/ {} +", "git ls-files | xargs sed -i s/a/b/"], "ask");
    await expectAll(["find src -type f | xargs sed -i s/a/b/", "grep -rl a src | xargs sed -i s/a/b/"], "allow");
  });

  it("a rule that denies writing holds for each of them", async () => {
    const rule = { subject: "write", pattern: "src/gen/**", text: "write(src/gen/**)", decision: "deny", origin: "x" };
    put("project/src/gen/x.ts");
    await expectAll(["git ls-files | xargs sed -i s/a/b/"], "deny", [rule as Rule]);
  });
});

it("a glob that moves or copies a denied folder is denied", async () => {
  const rule = { subject: "read", pattern: "secrets/**", text: "read(secrets/**)", decision: "deny", origin: "x" };
  put("project/secrets/x");
  mkdirSync(join(project, "sub"));
  await expectAll(["mv sec* sub/", "cp -r s* y", "cp -r sec* y", "mv secrets s"], "deny", [rule as Rule]);
});

describe("names that stand in git's index alone", () => {
  const listing = [
    "git ls-files | xargs cat",
    "cat $(git ls-files)",
    "git ls-files -d | xargs sort",
    "git grep -l --cached a | xargs head",
    "git diff --name-only | xargs cat",
  ];
  const keep = (name: string): void => {
    const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: project, input: "a\n" });
    const entry = `100644,${blob.toString().trim()},${name}`;
    execFileSync("git", ["update-index", "--add", "--cacheinfo", entry], { cwd: project });
  };

  it("are a question where one is an option or falls apart at blanks", async () => {
    keep("src/a.ts");
    keep("gone.ts");
    await expectAll(listing, "allow");
    for (const name of ["-o", "--compress-program=x", "x /etc/passwd", "a '/etc/passwd'"]) {
      keep(name);
      await expectAll(listing, "ask");
      execFileSync("git", ["update-index", "--force-remove", "--", name], { cwd: project });
    }
    await expectAll([...listing, "git ls-files | wc -l", "find src -type f | xargs cat"], "allow");
    keep("-o");
    await expectAll(["git ls-files | wc -l", "find src -type f | xargs cat"], "allow");
  });

  it.each([
    ["aa/id_rsa", "../id_rsa"],
    ["aetc/passwd", "/etc/passwd"],
  ])("one that git itself would not have written there is a question: %s as %s", async (name, forged) => {
    keep(name);
    const index = join(project, ".git/index");
    writeFileSync(index, readFileSync(index, "latin1").replace(name, forged), "latin1");
    expect(execFileSync("git", ["ls-files"], { cwd: project, encoding: "utf8" })).toBe(`${forged}\n`);
    await expectAll(listing, "ask");
  });
});

it("names that the same text makes are not looked for in vain", async () => {
  await expectAll(["touch -- --output=x; ls | xargs git log", "mkdir 'a --output=x'; find . | xargs sort"], "ask");
  await expectAll(["touch src/b.ts; find src -name '*.ts' | xargs cat"], "allow");
});
