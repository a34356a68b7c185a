// A patch to several files is cut off: the next session undoes it, and a disk that fills up in the middle leaves no
// half-written file.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { commitJournalIn } from "@lathe/agent/files";
import { turn } from "@lathe/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { applyPatchTool } from "../../agent/src/tools/builtin/apply-patch/index.ts";
import { contextFor, run } from "../../agent/test/edit/harness.ts";
import { TWELVE_FILES } from "../../agent/test/edit/twelve-files.ts";
import { bundleOf } from "../../agent/test/support/bundle.ts";
import { stage } from "./contract-kit.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

const { before, patch } = TWELVE_FILES;
let host: string;
beforeAll(async () => {
  host = await bundleOf("../../agent/test/edit/patch-host.ts", import.meta.url);
});

/** Returns how often the disk was changed; 0 when it was killed before. */
function patchAndKill(root: string, store: string, at: number): number {
  for (const [path, text] of Object.entries(before)) writeFileSync(join(root, path), text);
  return Number(spawnSync(process.execPath, [host, root, store, String(at)], { encoding: "utf8" }).stdout);
}

const filesIn = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [
        join(parentPath, name).slice(root.length + 1),
        readFileSync(join(parentPath, name), "utf8"),
      ]),
  );

describe("an edit of several files", () => {
  it("TL-02 that a killed process left half done is undone when the next session opens, which says so", async () => {
    const scene = await stage([turn.text("hello")]);
    const [root, spare] = [join(scene.box.dir, "project"), mkdtempSync(join(tmpdir(), "lathe-spare-"))];
    mkdirSync(root);
    const name = createHash("sha256").update(realpathSync(root)).digest("hex").slice(0, 16);
    const store = join(scene.box.env["LATHE_HOME"]!, "views", name);
    const changes = patchAndKill(spare, join(spare, "store"), 0);
    expect(patchAndKill(root, store, Math.round(changes * 0.6))).toBe(0);
    expect(filesIn(root)).not.toEqual(before);
    const { stderr, code } = await scene.run(["-p", "hi"], { cwd: root });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("An edit of several files was interrupted. What it had written was undone."),
    });
    expect(filesIn(root)).toEqual(before);
    expect(readdirSync(store)).toEqual([]);
    rmSync(spare, { recursive: true });
    await scene.close();
  }, 180_000);

  it("TL-02 is not begun by a session that has no place to keep what the files hold", async () => {
    const scene = await stage([turn.calls([{ name: "edit", args: { patch } }]), turn.text("done")]);
    for (const [path, text] of Object.entries(before)) writeFileSync(join(scene.box.dir, path), text);
    const here = filesIn(scene.box.dir);
    mkdirSync(scene.box.env["LATHE_HOME"]!, { recursive: true });
    writeFileSync(join(scene.box.env["LATHE_HOME"]!, "views"), "no folder");
    const env = { LATHE_EDIT_VARIANT: "apply_patch" };
    await scene.run(["--permission-mode", "full", "-p", "patch"], { env });
    expect(JSON.stringify(scene.server.requests[1]?.body)).toMatch(/could not be saved in .*Nothing was written/);
    expect(filesIn(scene.box.dir)).toMatchObject(
      Object.fromEntries(Object.entries(here).filter(([path]) => path in before)),
    );
    await scene.close();
  });

  it.runIf(canMount)("TL-02 that fills the disk in the middle leaves every file as it was (needs mount)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-full-"));
    const [disk, store] = [join(folder, "disk"), join(folder, "store")];
    const names = Array.from({ length: 12 }, (_, number) => `f${number}.txt`);
    const added = Array.from({ length: 400 }, (_, number) => `+line ${number} ${"x".repeat(90)}`);
    const growing = [
      "*** Begin Patch",
      ...names.flatMap((path) => [`*** Update File: ${path}`, "@@", " one", ...added]),
      "*** End Patch",
    ];
    await withTmpfs(disk, "256k", async (root) => {
      for (const path of names) writeFileSync(join(root, path), "one\n");
      const here = filesIn(root);
      for (const place of [store, join(root, "store")]) {
        const env = new LocalEnvironment({ cwd: root, baseEnv: {} });
        const { text, failed } = await run(
          applyPatchTool,
          { patch: growing.join("\n") },
          contextFor(env, { commitJournal: commitJournalIn(place) }),
        );
        expect({ failed, text }).toEqual({
          failed: true,
          text: expect.stringMatching(/no space.*Everything is as it was before/is),
        });
        expect(filesIn(root)).toEqual(here);
        expect(readdirSync(place)).toEqual([]);
      }
    });
    rmSync(folder, { recursive: true });
  });
});
