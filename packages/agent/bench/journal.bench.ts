// Cost of the journal: one line, one fsync, and opening a long session.

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Message } from "@lathe/llm";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { FileStore } from "../src/record/journal/file-store.ts";
import { idSource } from "../src/record/journal/ids.ts";
import { Journal } from "../src/record/journal/journal.ts";
import { processStartTime } from "../src/record/journal/lock.ts";
import type { JournalDeps } from "../src/record/journal/new-lines.ts";
import { writeLongSession } from "./long-session.ts";
import { writeManyEntries } from "./many-entries.ts";

const deps = (): JournalDeps => ({ blobs: new MemoryBlobs(), now: Date.now, newId: idSource(Math.random) });
const owner = () => ({
  pid: process.pid,
  startTime: processStartTime(process.pid),
  host: "bench",
  token: String(Math.random()),
});

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "lathe-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const text = "a line of output that a tool might give\n".repeat(25);

async function appendMicros(folder: string, count: number, each: (journal: Journal) => Promise<void>): Promise<number> {
  const store = new FileStore(join(folder, `${count}.jsonl`), { owner: owner(), create: true });
  const journal = Journal.create({ id: "bench", cwd: "/" }, () => store, deps());
  journal.append({ type: "message", message: Message.user("start") });
  const start = performance.now();
  for (let at = 0; at < count; at++) {
    journal.append({ type: "message", message: Message.user(text) });
    await each(journal);
  }
  const micros = ((performance.now() - start) * 1000) / count;
  await journal.close();
  return micros;
}

/** The same bytes written by the shortest program that could do it. */
function plainWriteMicros(folder: string, count: number): number {
  const fd = openSync(join(folder, "plain.jsonl"), "a");
  const start = performance.now();
  for (let at = 0; at < count; at++)
    writeSync(fd, `${JSON.stringify({ type: "message", message: Message.user(text) })}\n`);
  const micros = ((performance.now() - start) * 1000) / count;
  closeSync(fd);
  return micros;
}

interface OpenReport {
  readonly ms: number;
  readonly cpuMs: number;
  readonly rssGrowth: number;
  readonly messages: number;
}

/** In a fresh process, so that its memory is only this. */
function openReport(path: string): OpenReport {
  const script = fileURLToPath(new URL("./journal-open.ts", import.meta.url));
  const run = spawnSync(process.execPath, [...process.execArgv, script, path], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as OpenReport;
}

/** Rounds of a prompt, an effect and a 4 KB answer, compacted every 100. Gives what one round leaves in the heap. */
async function heapPerRound(folder: string): Promise<number> {
  const store = new FileStore(join(folder, "rounds.jsonl"), { owner: owner(), create: true });
  const journal = Journal.create({ id: "bench", cwd: "/" }, () => store, deps());
  const heaps: number[] = [];
  for (let round = 1; round <= 5000; round++) {
    const prompt = journal.append({ type: "message", message: Message.user(`prompt ${round}`) });
    const intent = await journal.intent({ effect: "request", replay: "safe" });
    journal.append({ id: intent.for, type: "message", message: Message.assistant(`${round} ${text.repeat(4)}`) });
    if (journal.context.messages.length > 200) {
      journal.append({ type: "compaction", summary: "so far", firstKeptEntryId: prompt.id, tokensBefore: 1 });
    }
    if (round !== 1000 && round !== 5000) continue;
    globalThis.gc?.();
    heaps.push(process.memoryUsage().heapUsed);
  }
  await journal.close();
  return (heaps[1]! - heaps[0]!) / 4000;
}

export const benches: Bench[] = [
  {
    name: "append of a 1 KB entry, no fsync, over a plain JSON.stringify + write",
    run: () =>
      inFolder(async (folder) => {
        const count = 20_000;
        plainWriteMicros(folder, count);
        const plain = plainWriteMicros(folder, count);
        const ours = await appendMicros(folder, count, async () => {});
        return ratio(ours, plain, { budget: 6, unit: "us" });
      }),
  },
  {
    name: "append of a 1 KB entry with fsync",
    run: () =>
      inFolder(async (folder) => {
        const micros = await appendMicros(folder, 300, (journal) => journal.sync());
        return { value: micros, unit: "us" };
      }),
  },
  {
    name: "heap kept per round, rounds 1,000 to 5,000",
    run: () =>
      inFolder(async (folder) => ({
        value: await heapPerRound(folder),
        unit: "bytes",
        budget: 1500,
        note: "a round writes 4.5 KB",
      })),
  },
  {
    name: "open of a 100 MB journal",
    run: () =>
      inFolder(async (folder) => {
        const path = join(folder, "long.jsonl");
        const bytes = writeLongSession(path, 100e6);
        const runs = [openReport(path), openReport(path), openReport(path)];
        const { ms, cpuMs, rssGrowth, messages } = runs.reduce((best, run) => (run.ms < best.ms ? run : best));
        const ratio = rssGrowth / bytes;
        if (ratio > 3) throw new Error(`opening grew memory to ${ratio.toFixed(1)} x the file`);
        const note = `best of 3, ${cpuMs.toFixed(0)} ms of CPU, memory +${ratio.toFixed(2)} x file, ${messages} messages in context`;
        return { value: ms, unit: "ms", budget: 1000, note };
      }),
  },
  {
    name: "memory to open 1,000,000 small entries, all in the context, over the size of the file",
    run: () =>
      inFolder(async (folder) => {
        const few = join(folder, "few.jsonl");
        const many = join(folder, "many.jsonl");
        writeManyEntries(few, 100_000);
        const bytes = writeManyEntries(many, 1_000_000);
        const fewReport = openReport(few);
        const manyReport = openReport(many);
        const growth = manyReport.cpuMs / fewReport.cpuMs / 10;
        if (growth > 2)
          throw new Error(`an entry takes ${growth.toFixed(1)} x the time when there are ten times as many`);
        const note = `${(bytes / 1e6).toFixed(0)} MB in ${(manyReport.ms / 1000).toFixed(1)} s; an entry takes ${growth.toFixed(2)} x the time that it takes among 100,000`;
        return { value: manyReport.rssGrowth / bytes, unit: "x", budget: 3, note };
      }),
  },
];
