// Commands that reach files behind links, tildes and classes in brackets.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { judge } from "../../../policy/permissions/judge.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { commandAccess } from "./access.ts";

let folder: string;
let project: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-links-")));
  project = join(folder, "project");
  for (const name of ["src", "docs", "y/src", ".git", "plain", "to"])
    mkdirSync(join(project, name), { recursive: true });
  for (const name of [".ssh", "outside"]) mkdirSync(join(folder, name));
  for (const path of [".ssh/id_rsa", "outside/app.conf", "project/src/t", "project/plain/a.md"])
    writeFileSync(join(folder, path), "x\n");
  symlinkSync(join(folder, ".ssh/id_rsa"), join(project, "docs/notes.md"));
  symlinkSync(join(folder, "outside/app.conf"), join(project, "y/src/t"));
  symlinkSync(join(folder, "outside"), join(project, "vendor"));
  symlinkSync(join(folder, "outside/app.conf"), join(project, "nohup.out"));
  symlinkSync("a.md", join(project, "plain/b.md"));
  writeFileSync(join(project, "notes.md"), "x\n");
  mkdirSync(join(project, "layout"));
  for (const name of ["HEAD", "config"]) writeFileSync(join(project, "layout", name), "");
  mkdirSync(join(project, "dashed"));
  writeFileSync(join(project, "dashed/-Osh"), "");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function decide(command: string, mode: "auto-edit" | "read-only" = "auto-edit"): Promise<string> {
  const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: folder } });
  const paths = new CallPaths(env, new AbortController().signal);
  const access = await commandAccess(command, project, { env, paths });
  const places = { roots: [project], userHome: folder, latheHome: join(folder, ".lathe") };
  return judge({ tier: "exec", access }, { mode, rules: [], places }).decision;
}

it("a wildcard that matches a file with keys is asked about, others of its kind are not", async () => {
  writeFileSync(join(project, "plain/package.json"), "{}");
  expect(await decide("cat plain/*.json")).toBe("allow");
  writeFileSync(join(project, "plain/credentials.json"), "{}");
  expect(await decide("cat plain/*.json")).toBe("ask");
  expect(await decide("cat plain/*")).toBe("ask");
});

describe("a link to a folder", () => {
  beforeEach(() => {
    for (const name of ["kept", "others", "way", "server"]) mkdirSync(join(folder, name));
    mkdirSync(join(project, "linked/sub"), { recursive: true });
    for (const path of ["kept/id_rsa", "others/a.md", "server/site.pem", "project/linked/a.md"])
      writeFileSync(join(folder, path), "x\n");
    symlinkSync(folder, join(folder, "way/up"));
  });

  const FOLLOWERS = [
    "grep -R KEY linked",
    "cd linked && grep -nR KEY .",
    "cd linked && grep -rR KEY",
    "egrep --dereference-recursive KEY linked",
    "rg -L KEY linked",
    "rg --follow KEY linked",
    "ag -f KEY linked",
    "cd linked && diff -rN . sub",
    "cd linked && diff -ruN sub .",
    "diff linked plain",
    "diff -q linked plain",
    "cp -rL linked to",
    "cp -RL linked to/x",
    "find linked -exec grep -R KEY {} +",
    "find -L linked -type f -exec cat {} +",
    "find linked -follow -type f -exec cat {} +",
    "find linked | xargs cat",
    "find linked -exec cp -r {} to +",
    "fd -L . linked -x cat",
    "cat linked/*/*",
    "head linked/*/id_rsa",
    "wc linked/*/*",
    "grep -r KEY linked/*",
    "grep -r KEY linked/docs/",
    "rg KEY linked/docs",
    "git diff linked/docs/ plain",
    "git diff ../.ssh plain",
  ];

  it.each(FOLLOWERS)("that holds keys is not read unasked: %s", async (command) => {
    symlinkSync("../../.ssh", join(project, "linked/docs"));
    expect(await decide(command)).toBe("ask");
    expect(await decide(command, "read-only")).not.toBe("allow");
  });

  it.each(["/", "..", "../..", "../../way", "../../server"])("that leads above or among keys: %s", async (target) => {
    symlinkSync(target, join(project, "linked/docs"));
    const isInProject = target === "..";
    for (const command of ["grep -R KEY linked", "rg -L KEY linked", "diff linked plain", "cp -rL linked to"])
      expect([command, await decide(command)]).toEqual([command, isInProject ? expect.anything() : "ask"]);
  });

  it("with ordinary files needs no question, also if it leads in a circle", async () => {
    symlinkSync("../../others", join(project, "linked/docs"));
    symlinkSync(".", join(project, "linked/self"));
    for (const command of [
      "grep -R KEY linked",
      "rg -L KEY linked",
      "diff -r linked plain",
      "ls -RL linked",
      "du -L linked",
    ])
      expect([command, await decide(command)]).toEqual([command, "allow"]);
  });

  it("with keys needs no question if the command does not follow it, or only tells names", async () => {
    symlinkSync("../../.ssh", join(project, "linked/docs"));
    for (const command of [
      "grep -r KEY linked",
      "rg KEY linked",
      "diff -r --no-dereference linked plain",
      "ls -RL linked",
      "tree linked",
      "find -L linked",
      "find linked -type f -exec cat {} +",
    ])
      expect([command, await decide(command)]).toEqual([command, "allow"]);
  });
});

it.each([
  "cat docs/*.md",
  "cat doc[s]/notes.md",
  "cat docs/note{s..s}.md",
  "head docs/*",
  "for f in docs/*; do cat $f; done",
  "grep -R x docs",
  "diff -r docs plain",
  "cp -rL docs to",
  "diff notes.md docs",
  "diff docs notes.md",
  "sdiff docs/ notes.md",
  "cp docs/* to",
])("what lies behind a link is not read unasked: %s", async (command) => {
  expect(await decide(command)).toBe("ask");
});

it.each([
  "cp -r src y",
  "cp -r src/. y/src",
  "tee vendo[[:alpha:]]/app.conf <<< x",
  "touch vendo[]r]/app.conf",
  "mv src/t vendo[[:alpha:]]",
  "cp src/t .gi[[:alpha:]]/hooks",
  "sed -i s/a/b/ .gi[]t]/config",
  "echo x > ~-/owned",
  "cp src/t ~-/copied",
  "sed -i s/a/b/ ~1/app.conf",
  "touch ~root/x",
  "cp -P nohup.out src/new",
  "cp -d nohup.out src/new",
  "cp -a vendor src/v",
  "cp -r vendor src/v",
  "cp -R docs to",
  "nohup echo x",
  "touch ./-Osh",
  "echo x > ./-Osh",
  "mkdir -- -p2",
  "echo x > plain/HEAD",
  "cp layout/* to",
  "cp -r layout to",
  "mv layout/* to",
  "cp dashed/* plain",
  "mv dashed/* plain",
  "cp -r dashed plain",
  "touch 'a -o b'",
  "cd to && echo x > ../f",
  "cd y/src && mv ../src ../../moved && echo x > ../../../f",
  "nohup ls &",
  "x=~-/y; touch $x",
])("what lies behind a link, a tilde or brackets is not written unasked: %s", async (command) => {
  expect(await decide(command)).toBe("ask");
});

it.each([
  "cat plain/*.md",
  "grep -R x plain",
  "diff -r plain src",
  "cp -r src plain",
  "cp -r plain new",
  "cp -a plain/b.md plain/c.md",
  "diff notes.md plain",
  "cd plain && nohup echo x",
  "touch 'my notes.md'",
  "sleep 1; cat plain/*",
  "touch plain/[ab].md",
  "cat plain/{a,b}.md",
  "head -1 plain/a?md",
])("where no link leads out, nothing is asked: %s", async (command) => {
  expect(await decide(command)).toBe("allow");
});

it("a tree with more files than can be looked at is a question when links are followed in it", async () => {
  for (let n = 0; n < 5100; n++) writeFileSync(join(project, "plain", `${n}.md`), "");
  expect(await decide("grep -R x plain")).toBe("ask");
  expect(await decide("grep -r x plain")).toBe("allow");
});
