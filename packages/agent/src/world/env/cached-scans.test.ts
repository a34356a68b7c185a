import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CachedScans } from "./cached-scans.ts";
import { LocalEnvironment } from "./local.ts";
import type { GlobOptions, GlobResult } from "./types.ts";
import { WrappedEnvironment } from "./wrapped.ts";

class CountedWalks extends WrappedEnvironment {
  walks = 0;

  override glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    this.walks++;
    return super.glob(pattern, path, options);
  }
}

let root: string;
let local: LocalEnvironment;
let counted: CountedWalks;
let env: CachedScans;
let now = 0;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-scan-")));
  for (const folder of ["src", "other"]) mkdirSync(join(root, folder));
  for (const name of ["src/a.ts", "src/b.md", "other/c.ts"]) writeFileSync(join(root, name), "");
  now = 0;
  local = new LocalEnvironment({ cwd: root, baseEnv: process.env });
  counted = new CountedWalks(local);
  env = new CachedScans(counted, { now: () => now, after: () => () => undefined });
});
afterEach(async () => {
  await local.cleanup();
  rmSync(root, { recursive: true, force: true });
});

const glob = async (pattern: string, options: GlobOptions = {}) =>
  [...(await env.glob(pattern, ".", { cached: true, ...options })).paths].sort();

it("G-114 two globs within a second walk once and answer like a plain one, others walk again", async () => {
  expect(await glob("**/*.ts")).toEqual(["other/c.ts", "src/a.ts"]);
  expect(await glob("*", { directories: true })).toEqual(["other/", "src/"]);
  expect(counted.walks).toBe(1);
  expect(await glob("**/*.ts", { hidden: false })).toEqual(["other/c.ts", "src/a.ts"]);
  await env.glob("**/*.ts", ".", {});
  expect(counted.walks).toBe(3);
  now = 1000;
  await glob("**/*.md");
  expect(counted.walks).toBe(4);
  expect((await env.glob("**/*", ".", { cached: true, maxResults: 1 })).truncated).toBe(true);
});

it("G-114 what somebody else creates is found by a question that had no answer", async () => {
  expect(await glob("**/*.new")).toEqual([]);
  writeFileSync(join(root, "src/x.new"), "");
  now = 100;
  expect(await glob("**/*.new")).toEqual([]);
  now = 250;
  expect(await glob("**/*.new")).toEqual(["src/x.new"]);
});

it("G-114 own writes, moves, deletions and commands are seen at once, also through a link", async () => {
  symlinkSync("src", join(root, "link"));
  const seen = () => env.glob("*", "src", { cached: true }).then(({ paths }) => [...paths].sort());
  await seen();
  await env.writeFile("link/new.ts", "");
  expect(await seen()).toEqual(["src/a.ts", "src/b.md", "src/new.ts"]);
  await env.moveFile("src/new.ts", "other/moved.ts");
  expect(await seen()).toEqual(["src/a.ts", "src/b.md"]);
  await env.deleteFile("src/b.md");
  expect(await seen()).toEqual(["src/a.ts"]);
  await env.execCommand("touch src/shell.ts", 5000);
  expect(await seen()).toEqual(["src/a.ts", "src/shell.ts"]);
  const shell = await env.startProcess!(["sh"]);
  await shell.write("sleep 0.1; touch src/lasting.ts; echo done\n");
  await seen();
  for await (const chunk of shell.stdout) if (Buffer.from(chunk).includes("done")) break;
  expect(await seen()).toEqual(["src/a.ts", "src/lasting.ts", "src/shell.ts"]);
  await shell.stop();
  const walks = counted.walks;
  await env.writeFile("other/far.ts", "");
  await seen();
  expect(counted.walks).toBe(walks + 1);
});

it("G-114 the seventeenth directory makes room for itself, and a list that was cut is not kept", async () => {
  for (let i = 0; i < 17; i++) mkdirSync(join(root, `d${i}`));
  for (let i = 0; i < 17; i++) await env.glob("*", `d${i}`, { cached: true });
  await env.glob("*", "d16", { cached: true });
  expect(counted.walks).toBe(17);
  await env.glob("*", "d0", { cached: true });
  expect(counted.walks).toBe(18);
  await env.glob("*", "src", { cached: true, enough: AbortSignal.abort() });
  expect((await env.glob("*", "src", { cached: true })).paths).toHaveLength(2);
});
