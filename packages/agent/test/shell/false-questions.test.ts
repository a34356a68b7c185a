// How often users are asked about harmless commands, in mode auto-edit, in a repository on the disk.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { judge } from "../../src/policy/permissions/judge.ts";
import type { PermissionMode } from "../../src/policy/permissions/verdict.ts";
import { commandAccess } from "../../src/tools/builtin/shell/access.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { askedInVain, ordinary } from "./ordinary-commands.ts";

let folder: string;
let project: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-questions-")));
  project = join(folder, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  for (const name of ["README.md", "package.json", "src/a.ts"]) writeFileSync(join(project, name), "a\n");
  execFileSync("git", ["init", "-q"], { cwd: project });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The commands that are asked about, with the reasons. */
async function askedAbout(
  commands: readonly string[],
  isTrusted = false,
  mode: PermissionMode = "auto-edit",
): Promise<Record<string, string>> {
  const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: folder, PATH: "/usr/bin:/bin", USER: "me" } });
  const places = { roots: [project], userHome: folder, latheHome: join(folder, ".lathe") };
  const asked: Record<string, string> = {};
  for (const command of commands) {
    const paths = new CallPaths(env, new AbortController().signal);
    const services = { isFolderTrusted: () => isTrusted };
    const access = await commandAccess(command, project, { env, paths, services });
    const { decision, parts } = judge({ tier: "exec", access }, { mode, rules: [], places });
    if (decision !== "allow") asked[command] = parts.find((part) => part.decision !== "allow")?.reason ?? decision;
  }
  return asked;
}

const EVERYDAY = [
  "git status",
  "git log --oneline -20",
  "git diff",
  "git show HEAD",
  "git blame src/a.ts",
  "git branch -vv",
  "git stash list",
  "git remote -v",
  "git tag --contains HEAD",
  "git rev-parse --short HEAD",
  "git log -p -- src/a.ts",
  "git ls-files | wc -l",
  "ls -la",
  "cat README.md",
  "head -50 src/a.ts",
  "tail -n 20 README.md",
  "wc -l src/*.ts",
  "rg -n 'export function' src",
  "grep -rn TODO src",
  "find . -name '*.ts' -not -path './node_modules/*'",
  "sed -n '1,80p' src/a.ts",
  "sort README.md | uniq -c | sort -rn | head",
  "uniq -c README.md",
  "jq . package.json",
  "jq -r '.scripts | keys[]' package.json",
  "awk '{print $1}' README.md",
  "cut -d: -f1 README.md",
  "du -sh .",
  "df -h .",
  "file src/a.ts",
  "stat src/a.ts",
  "which node",
  "env | cut -d= -f1",
  "node -v",
  "npm ls",
  "python3 --version",
  "diff README.md package.json",
  "ps aux | grep node",
  "tree -L 2",
  "echo done && pwd && date",
];

describe("commands that do no harm", () => {
  it("forty of every day need no question", async () => {
    expect(new Set(EVERYDAY).size).toBe(40);
    expect(await askedAbout(EVERYDAY)).toEqual({});
  });

  it("a question about an option that is missing says what the program does without it", async () => {
    expect(await askedAbout(["netstat -tulpn", "netstat --numeric", "crontab -l"])).toEqual({});
    expect(await askedAbout(["netstat", "crontab", "hostname -f"])).toEqual({
      netstat: "netstat without -n asks name servers.",
      crontab: "crontab without -l may take a new table of jobs from its input.",
      "hostname -f": "-f is not understood.",
    });
    expect(await askedAbout(["gzip -l a.gz", "DEBUG=1 ls"])).toEqual({});
    expect(await askedAbout(["gzip a", "gzip -d a.gz"])).toEqual({
      "gzip a": "gzip without -l changes files.",
      "gzip -d a.gz": "-d is not understood.",
    });
    expect(await askedAbout(["cargo tree"], true)).toEqual({
      "cargo tree": "cargo without --frozen may fetch what Cargo.toml names, and writes Cargo.lock.",
    });
  });

  it("no option is the reason of a question about a subcommand that is asked about without it", async () => {
    expect(await askedAbout(["npm test --silent", "npm ls --silent", "npm ls $X", "npm test $X"])).toEqual({
      "npm test --silent": "Mode auto-edit asks before it runs commands.",
      "npm ls --silent": "--silent is not understood.",
      "npm ls $X": "$X is not understood.",
      "npm test $X": "Mode auto-edit asks before it runs commands.",
    });
  });

  it("a mode that changes nothing says why a command is not known to change nothing", async () => {
    const commands = ["cat a", "touch a", "make", "ls $X", "rm -r a", "netstat", "npm ls --silent", "echo a > b"];
    const whyNot = (mode: PermissionMode) => askedAbout(commands, false, mode);
    const only = "only commands that are known to change nothing may run, and";
    const reasons = await whyNot("read-only");
    const state = "This session is read-only:";
    expect(reasons).toEqual({
      "touch a": `${state} ${only} it writes a.`,
      make: `${state} ${only} make is not one of them.`,
      "ls $X": `${state} ${only} $X is not understood.`,
      "rm -r a": `${state} ${only} it deletes without asking.`,
      netstat: `${state} ${only} netstat without -n asks name servers.`,
      "npm ls --silent": `${state} ${only} --silent is not understood.`,
      "echo a > b": `${state} ${only} it writes b.`,
    });
    expect((await whyNot("plan"))["make"]).toBe(`Plan mode is on: ${only} make is not one of them.`);
  });

  it("what a file of the project steers needs none where the folder is trusted, and one everywhere else", async () => {
    const steered = ["go env", "go env GOPATH", "go version", "cargo tree --frozen", "cargo --version", "rustc -V"];
    expect(await askedAbout(steered, true)).toEqual({});
    expect(Object.keys(await askedAbout(steered))).toEqual(steered);
    // Trust is for this folder, and code that may have been changed without a question does not run without one.
    const never = [
      "cd src && go env",
      "go env -w GOFLAGS=-x",
      "go env -u GOFLAGS",
      "cargo tree",
      "pytest --collect-only",
    ];
    expect(Object.keys(await askedAbout(never, true))).toEqual(never);
  });

  it("of those in histories and READMEs at most one in ten is asked about, and each of these for a reason", async () => {
    expect(new Set(ordinary).size).toBe(ordinary.length);
    expect(ordinary.length).toBeGreaterThan(200);
    const asked = Object.keys(await askedAbout(ordinary)).sort();
    expect(asked).toEqual(Object.keys(askedInVain).sort());
    expect(asked.length / ordinary.length).toBeLessThanOrEqual(0.1);
  });
});
