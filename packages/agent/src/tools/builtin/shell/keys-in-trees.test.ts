// Commands that read whole folders: the decision depends on the files with keys in them.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { judge } from "../../../policy/permissions/judge.ts";
import type { Rule } from "../../../policy/permissions/rule.ts";
import type { PermissionMode } from "../../../policy/permissions/verdict.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { commandAccess } from "./access.ts";

let folder: string;
let project: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-keys-")));
  project = join(folder, "work/project");
  for (const path of ["src/a.ts", "src/b.ts", "k/deep/prod.env", "dist/a.ts", ".env"]) put(`work/project/${path}`);
  for (const path of ["a.ts", ".env", "deep/server.pem"]) put(`projects/other/${path}`);
  for (const path of ["a.ts", "deep/b.ts", ".env.example"]) put(`work/plain/${path}`);
  put("work/shallow/deep/server.pem");
  put("work/shallow/a.ts");
  symlinkSync("other", join(project, "..", "linked"));
  execFileSync("git", ["init", "-q"], { cwd: project });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), "a\n");
}

async function decide(
  command: string,
  { rules = [], roots = [], mode = "auto-edit" }: { rules?: Rule[]; roots?: string[]; mode?: PermissionMode } = {},
) {
  const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: folder } });
  const paths = new CallPaths(env, new AbortController().signal);
  const access = await commandAccess(command, project, { env, paths });
  const places = { roots: [project, ...roots], userHome: folder, latheHome: join(folder, ".lathe") };
  return judge({ tier: "exec", access }, { mode, rules, places });
}

describe("a comparison that shows whole files", () => {
  it.each([
    "diff -rN k src",
    "diff -r src k",
    "diff -ruN --exclude=other k src",
    "diff -rx '*.env' k src",
    "diff . ../plain",
    "diff -r src ../other",
    "diff -r src --to-file=k",
    "git diff --no-index src .",
    "git diff --no-index k/deep src",
    "git diff --no-index --stat -p src .",
    "git diff --no-index ../other src",
    "git diff ../other src",
    "cd k && diff -rN deep .",
  ])("is asked about: %s", async (command) => {
    for (const mode of ["auto-edit", "read-only"] as const)
      expect(await decide(command, { mode })).toMatchObject({
        decision: "ask",
        reason: expect.stringContaining("keys"),
      });
  });

  it.each([
    "diff -r src dist",
    "diff -rq . ../other",
    "diff -r -x prod.env -x src k ../plain",
    "diff -r src ../plain",
    "diff src ../shallow",
    "diff src/a.ts src/b.ts",
    "git diff --no-index src dist",
    "git diff --no-index --stat src .",
    "git diff",
    "git diff HEAD .",
    "git diff HEAD k src",
  ])("is not asked about without files with keys, or if it shows only names: %s", async (command) => {
    for (const mode of ["auto-edit", "read-only"] as const)
      expect(await decide(command, { mode })).toMatchObject({ decision: "allow" });
  });
});

describe("a search outside the project", () => {
  it.each([
    "grep -rh . ../other",
    "grep -r X ..",
    "grep -r X ../*",
    "grep -R X ../linked",
    "grep -r X ../linked/",
    "grep -r X ~/projects/other",
    "grep -r --include='*.pem' X ../other",
    "grep -r --exclude=a.ts --include='*.ts' X ../other",
    'grep -r --include="$x" X ../other',
    "egrep -d recurse X ../other",
    "rg X ../other",
    "rg -g '!*.pem' X ..",
    "ag X ../other",
    "cd ../other && grep -r X .",
    "cd ../other && rg X",
    "(cd ..; grep -r X other)",
    "git grep --no-index X ../other",
    "cp -r ../other/. .",
    "find ../other -exec grep -r X {} +",
    'cd "$x" && grep -r X .',
  ])("is asked about if it may find keys: %s", async (command) => {
    expect((await decide(command)).decision).toBe("ask");
    expect((await decide(command, { mode: "read-only" })).decision).not.toBe("allow");
  });

  it.each([
    "grep -r X ../plain",
    "grep -rn --include='*.ts' X ..",
    "grep -rn --include='*.{ts,tsx}' X ../other",
    "grep -r --exclude=.env --exclude-dir=deep X ../other",
    "rg -n -g '*.ts' X ../other",
    "cd ../plain && rg X",
    "grep -rn X /usr/include",
    "cp -r ../plain copy",
  ])("is not asked about otherwise: %s", async (command) => {
    expect(await decide(command)).toMatchObject({ decision: "allow" });
  });

  it.each(["grep -rh . .", "grep -r X k", "rg --hidden X", "rg -uuu X .", "cp -r k copy", "git grep --no-index X"])(
    "one through the project is not asked about: %s",
    async (command) => {
      expect(await decide(command)).toMatchObject({ decision: "allow" });
    },
  );

  it("another working folder is searched like the project, and a rule that names the folder covers it", async () => {
    const roots = [join(folder, "projects/other")];
    expect(await decide("grep -r X ../other", { roots })).toMatchObject({ decision: "allow" });
    const rule: Rule = {
      decision: "allow",
      subject: "shell",
      pattern: "grep -r X ../other",
      text: "shell(grep -r X ../other)",
      origin: "a test",
    };
    expect(await decide("grep -r X ../other", { rules: [rule] })).toMatchObject({ decision: "allow" });
    expect(await decide("grep -r X ../other", { rules: [{ ...rule, pattern: "grep *" }] })).toMatchObject({
      decision: "ask",
    });
  });
});
