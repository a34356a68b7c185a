// Opens one journal in a process of its own and reports time and memory as JSON.

import { readFileSync, writeFileSync } from "node:fs";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { FileStore } from "../src/record/journal/file-store.ts";
import { idSource } from "../src/record/journal/ids.ts";
import { Journal } from "../src/record/journal/journal.ts";

// The peak counts from here: what it took to load and compile the sources is none of the journal's.
const isLinux = process.platform === "linux";
if (isLinux) writeFileSync("/proc/self/clear_refs", "5");
const peakBytes = (): number =>
  1024 *
  (isLinux
    ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1])
    : process.resourceUsage().maxRSS);

const before = process.memoryUsage.rss();
const cpuBefore = process.cpuUsage();
const start = performance.now();
const deps = { blobs: new MemoryBlobs(), now: Date.now, newId: idSource(Math.random) };
const journal = Journal.open(new FileStore(process.argv[2] ?? ""), deps);
const messages = journal.context.messages.length;
const ms = performance.now() - start;
const cpu = process.cpuUsage(cpuBefore);
const rssGrowth = peakBytes() - before;
console.log(JSON.stringify({ ms, cpuMs: (cpu.user + cpu.system) / 1000, rssGrowth, messages }));
