// Commands that reach files behind links, tildes and classes in brackets.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
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

async function decide(command: string): Promise<string> {
  const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: folder } });
  const paths = new CallPaths(env, new AbortController().signal);
  const access = await commandAccess(command, project, { env, paths });
  const places = { roots: [project], userHome: folder, latheHome: join(folder, ".lathe") };
  return judge({ tier: "exec", access }, { mode: "auto-edit", rules: [], places }).decision;
}

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
