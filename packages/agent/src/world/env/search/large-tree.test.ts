import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LargeTree, makeLargeTree } from "../../../../test/large-tree.ts";
import { LocalEnvironment } from "../local.ts";

/** Each folder holds 100 files. */
const FOLDERS = process.env["LATHE_LONG"] ? 500 : 100;

let tree: LargeTree;
beforeAll(() => {
  tree = makeLargeTree(FOLDERS);
});
afterAll(() => rmSync(tree.root, { recursive: true, force: true }), 120_000);

const environment = (search: "ripgrep" | "builtin") =>
  new LocalEnvironment({ cwd: tree.root, baseEnv: process.env, search });

it(`TL-05 both engines agree on a tree of ${FOLDERS * 100} files`, async () => {
  const [fast, own] = [environment("ripgrep"), environment("builtin")];
  const rare = await fast.grep("rareWord", ".", {});
  expect(rare.lines).toHaveLength(FOLDERS / 10);
  expect(await own.grep("rareWord", ".", {})).toEqual(rare);

  const many = await fast.grep("commonWord", ".", { maxResults: 100 });
  expect(many.lines).toHaveLength(100);
  expect(many.truncated).toBe(true);
  expect(await own.grep("commonWord", ".", { maxResults: 100 })).toEqual(many);
});

it(`TL-06 both engines list a tree of ${FOLDERS * 100} files`, async () => {
  const [fast, own] = [environment("ripgrep"), environment("builtin")];
  const all = await fast.glob("**", ".");
  // The additional file is the tree's own .gitignore.
  expect(all.paths).toHaveLength(tree.files + 1);
  expect(await own.glob("**", ".")).toEqual(all);
  const some = await fast.glob("part-3/**/*.md", ".", { maxResults: 100 });
  expect(some.paths).toHaveLength(100);
  expect(await own.glob("part-3/**/*.md", ".", { maxResults: 100 })).toEqual(some);
});
