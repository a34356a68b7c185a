// A patch to several files that is cut off: by a kill at any moment, a full disk, a lost connection.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { recoverAgentWork } from "../../src/agents/isolation/left-work.ts";
import { commitJournalIn } from "../../src/files/isolate/commit-journal.ts";
import { recoverStore } from "../../src/files/isolate/recover.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { EnvError } from "../../src/world/env/types.ts";
import { WrappedEnvironment } from "../../src/world/env/wrapped.ts";
import { bundleOf } from "../support/bundle.ts";
import { contextFor, run } from "./harness.ts";
import { TWELVE_FILES } from "./twelve-files.ts";

let host: string;
beforeAll(async () => {
  host = await bundleOf("./patch-host.ts", import.meta.url);
});
const isLong = process.env["LATHE_LONG"] !== undefined;
const { before, after, patch } = TWELVE_FILES;

let folder: string;
let root: string;
let store: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-commit-")));
  [root, store] = [join(folder, "project"), join(folder, "store")];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function begin(): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  for (const [path, text] of Object.entries(before)) writeFileSync(join(root, path), text);
  chmodSync(join(root, "changed0.txt"), 0o775);
}

/** Every file with its text, and every folder. */
function pictureOf(): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(root.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "folder"];
    }),
  );
}

const WHOLE = { ...after, deep: "folder", "deep/er": "folder", new: "folder", "new/a": "folder" };

/** Returns how many changes the disk had; 0 if the child was killed. */
function patchAndKill(at: number): number {
  const { stdout, stderr, signal } = spawnSync(process.execPath, [host, root, store, String(at)], { encoding: "utf8" });
  if (signal === null && stdout === "") throw new Error(stderr);
  return Number(stdout);
}

it(
  `TL-02 SIGKILL at ${isLong ? "every" : "many a"} write of a patch to twelve files: all of it or nothing, and nothing is left over`,
  async () => {
    begin();
    const changes = patchAndKill(0);
    expect(pictureOf()).toEqual(WHOLE);
    expect(readdirSync(store)).toEqual([]);
    const outcomes = new Set<string>();
    for (let at = 1; at <= changes; at += isLong ? 1 : 53) {
      begin();
      expect(patchAndKill(at)).toBe(0);
      const { inDoubt, undone } = await recoverStore(store, { baseEnv: process.env });
      expect({ at, inDoubt, undone }).toEqual({ at, inDoubt: [], undone: 0 });
      const isWhole = existsSync(join(root, "added1.txt"));
      outcomes.add(isWhole ? "all" : "nothing");
      expect({ at, files: pictureOf() }).toEqual({ at, files: isWhole ? WHOLE : before });
      expect(statSync(join(root, "changed0.txt")).mode & 0o777).toBe(0o775);
      expect(readdirSync(store)).toEqual([]);
    }
    expect(outcomes).toContain("nothing");
  },
  isLong ? 1_800_000 : 600_000,
);

it("TL-02 what somebody has changed since stays and is named; the rest is undone", async () => {
  begin();
  const isHalf = (): boolean =>
    existsSync(join(store, readdirSync(store)[0] ?? "none", "journal.json")) &&
    pictureOf()["changed1.txt"] !== before["changed1.txt"];
  for (let at = patchAndKill(0); !isHalf(); at -= 3) {
    begin();
    rmSync(store, { recursive: true });
    patchAndKill(at);
  }
  writeFileSync(join(root, "changed1.txt"), "somebody\n");
  const { landings } = await recoverAgentWork({ root, store, host: { baseEnv: process.env } } as never);
  expect(landings).toEqual([
    "An edit of several files was interrupted. What it had written was undone.",
    `${join(root, "changed1.txt")} has been changed since and was left as it is. Check it.`,
  ]);
  expect(pictureOf()).toEqual({ ...before, "changed1.txt": "somebody\n" });
}, 600_000);

/** Remote files whose connection is lost after this many writes. */
class Elsewhere extends WrappedEnvironment {
  readonly #stopsAfter: number;
  written = 0;

  constructor(cwd: string, stopsAfter: number) {
    super(new LocalEnvironment({ cwd, baseEnv: {} }));
    this.#stopsAfter = stopsAfter;
  }

  override async localPath(): Promise<undefined> {}

  override async writeFile(...args: Parameters<WrappedEnvironment["writeFile"]>): Promise<void> {
    // A killed process does nothing more, whatever it was waiting for.
    if (this.written >= this.#stopsAfter) return new Promise(() => {});
    this.written++;
    return super.writeFile(...args);
  }
}

it("TL-02 of files in another place it is named what was written and what may not be", async () => {
  begin();
  const env = new Elsewhere(root, 3);
  void run(applyPatchTool, { patch }, contextFor(env, { commitJournal: commitJournalIn(store) }));
  const noted = (): string[] => readdirSync(store, { recursive: true }).map(String);
  while (!existsSync(store) || !noted().some((name) => name.endsWith("far-written")) || env.written < 3)
    await new Promise(setImmediate);
  while (
    readFileSync(join(store, noted().find((name) => name.endsWith("far-written"))!), "utf8").split("\n").length < 4
  )
    await new Promise(setImmediate);
  // As a killed process leaves it: its process number is unused.
  writeFileSync(join(store, readdirSync(store)[0]!, "owner.json"), JSON.stringify({ pid: 0, start: 1 }));
  const { landings } = await recoverAgentWork({ root, store, host: { baseEnv: process.env } } as never);
  expect(landings).toHaveLength(1);
  expect(landings[0]).toMatch(
    /^An edit of 14 files in another place was interrupted\. Written: (?:\S+, ){2}\S+\. Maybe not/,
  );
  expect(readdirSync(store)).toEqual([]);
});

it("TL-02 a patch is not begun when what the files hold cannot be kept first", async () => {
  begin();
  writeFileSync(store, "no folder");
  const { text, failed } = await run(
    applyPatchTool,
    { patch },
    contextFor(new LocalEnvironment({ cwd: root, baseEnv: {} }), { commitJournal: commitJournalIn(store) }),
  );
  expect({ failed, text }).toEqual({
    failed: true,
    text: expect.stringMatching(/could not be saved in .*Nothing was written/),
  });
  expect(pictureOf()).toEqual(before);
});

it("TL-02 a write that fails in the middle leaves nothing behind, nor in the store", async () => {
  begin();
  class Full extends WrappedEnvironment {
    #writes = 0;
    override async writeFile(...args: Parameters<WrappedEnvironment["writeFile"]>): Promise<void> {
      if (++this.#writes === 6) throw new EnvError("no_space", "No space left");
      return super.writeFile(...args);
    }
  }
  const env = new Full(new LocalEnvironment({ cwd: root, baseEnv: {} }));
  const { text, failed } = await run(
    applyPatchTool,
    { patch },
    contextFor(env, { commitJournal: commitJournalIn(store) }),
  );
  expect({ failed, text }).toEqual({ failed: true, text: expect.stringContaining("Everything is as it was before") });
  expect(Object.entries(pictureOf()).filter(([, text]) => text !== "folder")).toEqual(Object.entries(before).sort());
  expect(readdirSync(store)).toEqual([]);
});
