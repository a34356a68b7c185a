// A snapshot of a large tree after one change, over `git status` of the same tree; what the store grows by in a long session.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../../../scripts/bench-types.ts";
import { FileBlobs } from "../src/base/blobs/file-blobs.ts";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { Snapshots } from "../src/files/snapshots/recorder.ts";
import { idSource } from "../src/record/journal/ids.ts";
import { Journal } from "../src/record/journal/journal.ts";
import { MemoryStore } from "../src/record/journal/store.ts";

const ROUNDS = 15;

interface Place {
  readonly root: string;
  readonly home: string;
  readonly snapshots: Snapshots;
}

async function inTree<T>(files: number, work: (place: Place) => Promise<T>): Promise<T> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-bench-")));
  const [root, home] = [join(base, "tree"), join(base, "home")];
  try {
    for (let i = 0; i < files; i++) {
      const folder = join(root, `package${Math.floor(i / 500)}/src/part${Math.floor(i / 50)}`);
      if (i % 50 === 0) mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `file${i % 50}.ts`), `export const value${i} = ${i};\n`.repeat(20));
    }
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: root });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "all");
    const deps = { blobs: new MemoryBlobs(), now: Date.now, newId: idSource(Math.random) };
    const journal = Journal.create({ id: "bench", cwd: root }, () => new MemoryStore(), deps);
    const snapshots = new Snapshots({
      journal,
      blobs: new FileBlobs(join(home, "blobs"), "bench"),
      roots: [root],
      exclude: [home],
      limits: { maxFiles: 30_000, maxFileBytes: 10 << 20, maxTotalBytes: 1 << 29 },
      cacheFile: join(home, "cache"),
      writer: "bench",
      warn: (message) => {
        throw new Error(message);
      },
    });
    return await work({ root, home, snapshots });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function overGitStatus() {
  return inTree(10_000, async ({ root, snapshots }) => {
    const start = performance.now();
    await snapshots.look();
    const first = performance.now() - start;
    // Files that were written just now are read once more.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await snapshots.look();
    const ours: number[] = [];
    const gits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      writeFileSync(join(root, "package3/src/part31/file7.ts"), `changed ${round}\n`);
      let from = performance.now();
      execFileSync("git", ["status", "--porcelain"], { cwd: root });
      gits.push(performance.now() - from);
      from = performance.now();
      await snapshots.look();
      ours.push(performance.now() - from);
    }
    const [base, value] = [Math.min(...gits), Math.min(...ours)];
    return {
      value: value / base,
      unit: "x",
      budget: 2,
      note: `${value.toFixed(1)} ms against ${base.toFixed(1)} ms; the first snapshot took ${first.toFixed(0)} ms`,
    };
  });
}

/** Bytes on disk per turn that changes one file of 1,000 bytes in a tree of 2,000 files. */
async function growth() {
  const turns = 1_000;
  return inTree(2_000, async ({ root, home, snapshots }) => {
    await snapshots.look();
    const size = (): number => {
      const folder = join(home, "blobs");
      return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    };
    const before = size();
    for (let turn = 0; turn < turns; turn++) {
      writeFileSync(join(root, "package1/src/part12/file3.ts"), `${turn}`.padEnd(1_000, "x"));
      await snapshots.look();
    }
    const perTurn = (size() - before) / turns;
    return {
      value: perTurn / 1_000,
      unit: "x the changed bytes",
      budget: 12,
      note: `${turns} turns, ${perTurn.toFixed(0)} bytes each`,
    };
  });
}

export const benches: Bench[] = [
  { name: "snapshot of 10,000 files after one change over git status", run: overGitStatus },
  { name: "growth of the snapshot store over 1,000 turns", run: growth },
];
