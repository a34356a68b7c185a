// The folder of a view: who may take it over, and how it is removed.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { claimFolder, releaseFolder, removeFolder, takeOver } from "../../src/files/isolate/view-folder.ts";
import { bundleProgram } from "../support/bundle.ts";

let folder: string;
let store: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-views-"));
  store = join(folder, "store");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("SA-07 a view keeps its name when the process that takes it over is killed, at whatever step; the next one takes it over", async () => {
  const program = join(folder, "host.mjs");
  await bundleProgram(fileURLToPath(new URL("take-over-host.ts", import.meta.url)), program);
  const preload = fileURLToPath(new URL("../../../lathe/test/die-at-change.cjs", import.meta.url));
  const view = claimFolder(store, "run");
  for (let at = 1; ; at++) {
    releaseFolder(view);
    // The first write of the take-over names the process.
    const env = { ...process.env, DIE_AT: String(at), DIE_AFTER: '"pid"' };
    const { signal, stdout } = spawnSync(process.execPath, ["--require", preload, program, store], { env });
    expect(readdirSync(store), `killed at ${at}`).toEqual(["run"]);
    expect(takeOver(store, "run"), `killed at ${at}`).toBe(true);
    expect(takeOver(store, "run")).toBe(false);
    if (signal !== null) continue;
    expect([String(stdout), at > 4]).toEqual(["true\n", true]);
    break;
  }
});

it("SA-07 the host gets its turn while the folder of a view is removed", async () => {
  const view = claimFolder(store, "run");
  for (let i = 0; i < 40; i++) {
    mkdirSync(join(view, "tree", String(i)), { recursive: true });
    for (let n = 0; n < 20; n++) writeFileSync(join(view, "tree", String(i), `${n}.txt`), "x");
  }
  let turns = 0;
  let isRemoved = false;
  const removal = removeFolder(view).then(() => {
    isRemoved = true;
  });
  while (!isRemoved) {
    turns++;
    await nextTurn();
  }
  await removal;
  // A removal that blocks the thread leaves one or two.
  expect(turns).toBeGreaterThan(5);
  expect(readdirSync(store)).toEqual([]);
});
