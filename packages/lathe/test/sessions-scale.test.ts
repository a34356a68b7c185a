import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeManyEntries } from "../../agent/bench/many-entries.ts";
import { memoryOf } from "../bench/memory.ts";

const [SHORT, LONG, HEAP_MEGABYTES] = process.env["LATHE_LONG"] ? [50_000, 150_000, 80] : [5_000, 20_000, 16];

/** An export that held what it has written of the longer one would need a larger heap. */
it(`SP-08 a session that is longer by ${LONG - SHORT} entries is exported with at most twice its size of memory more`, () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-scale-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const exported = (entries: number): { readonly memory: number; readonly bytes: number; readonly page: string } => {
    const path = join(folder, `${entries}.jsonl`);
    const page = join(folder, `${entries}.html`);
    const bytes = writeManyEntries(path, entries);
    return { memory: memoryOf(["sessions", "export", path, "--out", page], HEAP_MEGABYTES).bytes, bytes, page };
  };
  const short = exported(SHORT);
  const long = exported(LONG);
  expect((long.memory - short.memory) / (long.bytes - short.bytes)).toBeLessThan(2);
  const perEntry = ({ page }: { page: string }, entries: number): number => statSync(page).size / entries;
  expect(perEntry(long, LONG)).toBeGreaterThan(0.9 * perEntry(short, SHORT));
  expect(statSync(long.page).mode & 0o777).toBe(0o600);
}, 300_000);
