import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isCredentialFile, isProtected, type SensitivePlaces } from "@lathe/agent/policy";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onDisk } from "./on-disk.ts";

let root: string;
let project: string;
let places: SensitivePlaces;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-on-disk-")));
  project = join(root, "project");
  mkdirSync(project);
  const homes = { userHome: join(root, "home"), latheHome: join(root, "home/.lathe") };
  places = { ...homes, onDisk: onDisk(homes) };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const git = (...args: string[]): void =>
  void execFileSync("git", args, { cwd: project, env: { PATH: process.env["PATH"], HOME: root }, stdio: "ignore" });
const put = (path: string, text = "x\n"): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const protects = (path: string): boolean => isProtected(join(root, path), places);

describe("what git runs", () => {
  it("hooks in the folder that the repository names are protected, others are not", () => {
    git("init", "-q");
    expect(protects("project/.githooks/pre-commit")).toBe(false);
    git("config", "core.hooksPath", ".githooks");
    expect(protects("project/.githooks/pre-commit")).toBe(true);
    expect(protects("project/src/a.ts")).toBe(false);
    mkdirSync(join(project, "tools"));
    symlinkSync("tools", join(project, ".githooks"));
    expect(protects("project/tools/pre-commit")).toBe(true);
  });

  it("a folder for hooks that the user's own settings name is protected in every repository", () => {
    git("init", "-q");
    put("home/.gitconfig", '[core]\n\thooksPath = "ci hooks"\n');
    expect(protects("project/ci hooks/pre-push")).toBe(true);
    put("home/.gitconfig", "[Core] HooksPath = ~/hooks ; shared\n");
    expect(protects("home/hooks/pre-push")).toBe(true);
    expect(protects("project/ci hooks/pre-push")).toBe(false);
  });

  it("a repository whose files are elsewhere is protected there", () => {
    git("init", "-q", "--separate-git-dir", join(project, "storage"));
    expect(protects("project/storage/hooks/pre-commit")).toBe(true);
    expect(protects("project/storage/config")).toBe(true);
  });

  it("a bare repository inside the project is protected, also at the step that makes one", () => {
    git("init", "-q", "--bare", "fixtures/bare");
    expect(protects("project/fixtures/bare/config")).toBe(true);
    expect(protects("project/fixtures/other")).toBe(false);
    put("project/made/HEAD", "ref: refs/heads/main\n");
    mkdirSync(join(project, "made/refs"));
    expect(protects("project/made/config")).toBe(false);
    expect(protects("project/made/objects/x")).toBe(true);
  });
});

it("another name of a credential file is one as well", () => {
  put("home/.npmrc");
  put("home/.ssh/work");
  put("project/notes.txt");
  linkSync(join(root, "home/.npmrc"), join(project, "a.txt"));
  linkSync(join(root, "home/.ssh/work"), join(project, "b.txt"));
  linkSync(join(project, "notes.txt"), join(project, "c.txt"));
  put("project/.env");
  put("project/sub/deep/x");
  linkSync(join(project, ".env"), join(project, "hard.txt"));
  linkSync(join(project, ".env"), join(project, "sub/deep/hard.txt"));
  expect(
    ["a.txt", "b.txt", "hard.txt", "sub/deep/hard.txt", "c.txt", "none", "long".repeat(100), "nul\0"].map((name) =>
      isCredentialFile(join(project, name), places),
    ),
  ).toEqual([true, true, true, true, false, false, false, false]);
});
