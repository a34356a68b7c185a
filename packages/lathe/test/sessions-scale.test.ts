import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeManyEntries } from "../../agent/bench/many-entries.ts";
import { memoryOf } from "../bench/memory.ts";

/** Between two long sessions: what the collector leaves lying about before it has reason to begin is the same for both. */
it("SP-08 a session that is longer by 100,000 entries is exported with at most 3 times its size of memory more", () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-scale-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const exported = (entries: number): { readonly memory: number; readonly bytes: number; readonly page: string } => {
    const path = join(folder, `${entries}.jsonl`);
    const page = join(folder, `${entries}.html`);
    const bytes = writeManyEntries(path, entries);
    return { memory: memoryOf(["sessions", "export", path, "--out", page]).bytes, bytes, page };
  };
  const short = exported(50_000);
  const long = exported(150_000);
  expect((long.memory - short.memory) / (long.bytes - short.bytes)).toBeLessThan(3);
  const perEntry = ({ page }: { page: string }, entries: number): number => statSync(page).size / entries;
  expect(perEntry(long, 150_000)).toBeGreaterThan(0.9 * perEntry(short, 50_000));
  expect(statSync(long.page).mode & 0o777).toBe(0o600);
}, 300_000);
