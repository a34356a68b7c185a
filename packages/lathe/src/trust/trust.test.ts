import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { ignoredProjectFiles, isTrusted, trustedFolders, trustFolder, untrustFolder } from "./trust.ts";

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-trust-")));
  file = join(dir, "home", "trust.json");
  await mkdir(join(dir, "repo", "sub"), { recursive: true });
  await mkdir(join(dir, "repo-other"));
});

it("trust covers the folder and what is below it, not a neighbour whose name begins alike", async () => {
  expect(isTrusted(file, join(dir, "repo"))).toBe(false);
  await trustFolder(file, join(dir, "repo"), new Date(0));
  expect(isTrusted(file, join(dir, "repo", "sub"))).toBe(true);
  expect(isTrusted(file, join(dir, "repo-other"))).toBe(false);
  expect(await untrustFolder(file, join(dir, "repo"))).toBe(true);
  expect(isTrusted(file, join(dir, "repo"))).toBe(false);
});

it("a link into a trusted folder is judged by where it leads", async () => {
  await trustFolder(file, join(dir, "repo"), new Date(0));
  await symlink(join(dir, "repo-other"), join(dir, "repo", "link"));
  expect(isTrusted(file, join(dir, "repo", "link"))).toBe(false);
  expect(trustedFolders(file)).toEqual([join(dir, "repo")]);
});

it("names what an untrusted folder would have brought", async () => {
  await mkdir(join(dir, "repo", ".lathe"));
  await writeFile(join(dir, "repo", ".lathe", "config.yml"), "");
  await writeFile(join(dir, "repo", ".env"), "");
  expect(ignoredProjectFiles(join(dir, "repo"))).toEqual([".lathe/config.yml", ".env"]);
});
