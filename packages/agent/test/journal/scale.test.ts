import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeManyEntries } from "../../bench/many-entries.ts";
import { bundleOf } from "../support/bundle.ts";
import { tempFolder } from "./support.ts";

const [ENTRIES, HEAP_MEGABYTES] = process.env["LATHE_LONG"] ? [300_000, 160] : [100_000, 62];

it(`a journal of ${ENTRIES} small entries, all of them in the context, opens within 3 times its size of memory`, async () => {
  const script = await bundleOf("../../bench/journal-open.ts", import.meta.url);
  const path = join(tempFolder(), "many.jsonl");
  const bytes = writeManyEntries(path, ENTRIES);
  // The collector must run before the heap grows, and must free buffers at once instead of in a thread that waits for a
  // core, so that the memory in use does not depend on how busy the machine is.
  const heap = [`--max-old-space-size=${HEAP_MEGABYTES}`, "--max-semi-space-size=2", "--single-threaded-gc"];
  const args = [...heap, script, path];
  const run = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(run.stderr).toBe("");
  const { rssGrowth, messages } = JSON.parse(run.stdout) as { rssGrowth: number; messages: number };
  expect(messages).toBe(ENTRIES);
  expect(rssGrowth / bytes).toBeLessThan(3);
});
