import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import { collectBlobs } from "../../src/base/blobs/gc.ts";

it("SP-06 collecting removes old blobs that no journal names and keeps the rest", () => {
  const root = mkdtempSync(join(tmpdir(), "lathe-blobs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "blobs");
  const blobs = new FileBlobs(folder, "w");
  const [named, seam, unnamed] = ["named", "at a seam", "unnamed"].map((text) => blobs.put(Buffer.from(text)));
  const journal = join(root, "s.jsonl");
  // The second name crosses the border of two 1 MiB reads.
  writeFileSync(journal, `"blob:sha256:${named}"`.padEnd(2 ** 20 - 20, " ") + seam);
  // Like a writer's temporary file that was renamed after the folder was listed.
  symlinkSync("nowhere", join(folder, `.${named}.w2`));
  const collect = (now: number) => collectBlobs({ folder, journals: [journal], now: () => now, minAgeMs: 60_000 });
  expect(collect(Date.now()).removed).toEqual([]);
  expect(collect(Date.now() + 120_000)).toEqual({ removed: [unnamed], bytes: 7, kept: 2 });
  expect(new Set(readdirSync(folder))).toEqual(new Set([named, seam, `.${named}.w2`]));
});
