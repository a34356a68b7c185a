import { mkdir, mkdtemp, realpath, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { isTrusted, trustedFolders, trustFolder, untrustFolder } from "./trust.ts";

let dir: string;
let file: string;
let home: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-trust-")));
  home = join(dir, "home");
  file = join(home, "trust.json");
  await mkdir(join(dir, "repo", "sub"), { recursive: true });
  await mkdir(join(dir, "repo-other"));
});

it("trust covers the folder and what is below it, not a neighbour whose name begins alike", async () => {
  expect(isTrusted(file, join(dir, "repo"), home)).toBe(false);
  await trustFolder(file, join(dir, "repo"), new Date(0));
  expect(isTrusted(file, join(dir, "repo", "sub"), home)).toBe(true);
  expect(isTrusted(file, join(dir, "repo-other"), home)).toBe(false);
  expect(await untrustFolder(file, join(dir, "repo"))).toBe(true);
  expect(isTrusted(file, join(dir, "repo"), home)).toBe(false);
});

it("a link into a trusted folder is judged by where it leads", async () => {
  await trustFolder(file, join(dir, "repo"), new Date(0));
  await symlink(join(dir, "repo-other"), join(dir, "repo", "link"));
  expect(isTrusted(file, join(dir, "repo", "link"), home)).toBe(false);
  expect(trustedFolders(file)).toEqual([join(dir, "repo")]);
});

it("trust in the user's home, or in what is above it, does not reach the repositories below", async () => {
  await trustFolder(file, dir, new Date(0));
  expect(isTrusted(file, dir, join(dir, "repo"))).toBe(true);
  expect(isTrusted(file, join(dir, "repo"), join(dir, "repo"))).toBe(false);
  expect(isTrusted(file, join(dir, "repo", "sub"), dir)).toBe(false);
  expect(isTrusted(file, join(dir, "repo", "sub"), "/elsewhere")).toBe(true);
});
