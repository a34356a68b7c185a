// What memory costs: a start with notes over one without, and a recall among many notes over the bare query of SQLite.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import type { Bench } from "../../../scripts/bench-types.ts";
import { FileDigests } from "../src/additions/memory/file-digests.ts";
import { FileMarks } from "../src/additions/memory/file-marks.ts";
import { findMemories } from "../src/additions/memory/find-memories.ts";
import { openMemoryFile } from "../src/additions/memory/memory-file.ts";
import { MemoryStore } from "../src/additions/memory/memory-store.ts";
import { anyOfWords } from "../src/additions/memory/search-words.ts";
import { type Files, startTime } from "./start-time.ts";

const NOTES = 40;
const FILES = 20;
const MEMORIES = 10_000;
const RECALLED = 8;
const QUESTIONS = 200;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const content = (at: number): string => `export const part${at} = ${at};\n`.repeat(200);

/** Shared by all projects, so that the folder has a name that is known before there is a home. */
function withNotes(): Files {
  const files: Record<string, string> = {
    ".lathe/config.yml": "memory:\n  backend: local\n  scoping: global\n",
  };
  for (let at = 0; at < FILES; at++) files[`project/src/part-${at}.ts`] = content(at);
  const notes = Array.from({ length: NOTES }, (_, at) => ({
    text: `Part ${at % FILES} of the engine is made before part ${(at + 1) % FILES}, because it holds the others.`,
    files: [{ path: `src/part-${at % FILES}.ts`, digest: digestOf(content(at % FILES)) }],
  }));
  return {
    ...files,
    ".lathe/memory/shared/hint.json": JSON.stringify({ version: 1, project: "", revision: 1, notes, playbooks: [] }),
  };
}

function withoutNotes(): Files {
  const files: Record<string, string> = { ".lathe/config.yml": "memory:\n  backend: off\n" };
  for (let at = 0; at < FILES; at++) files[`project/src/part-${at}.ts`] = content(at);
  return files;
}

const WORDS =
  "engine wheel parser socket index journal window colour signal module driver budget ledger cursor token".split(" ");
/** The same in every run. */
const wordAt = (at: number): string => `${WORDS[at % WORDS.length]}${Math.floor(at / WORDS.length) % 60}`;

async function recallTime(): Promise<Awaited<ReturnType<Bench["run"]>>> {
  const root = mkdtempSync(join(tmpdir(), "lathe-memories-"));
  const env = new LocalEnvironment({ cwd: root, baseEnv: {} });
  const store = new MemoryStore(await openMemoryFile(join(root, "memory/memory.db")));
  try {
    mkdirSync(join(root, "src"));
    for (let at = 0; at < FILES; at++) {
      writeFileSync(join(root, `src/part-${at}.ts`), content(at));
      utimesSync(join(root, `src/part-${at}.ts`), 1, 1);
    }
    store.change(root, () => {
      for (let at = 0; at < MEMORIES; at++) {
        const path = `src/part-${at % FILES}.ts`;
        const text = `The ${wordAt(at)} of ${wordAt(at * 7)} calls the ${wordAt(at * 13)} once, see ${wordAt(at * 3)} number ${at}.`;
        const files = [{ path, digest: digestOf(content(at % FILES)) }];
        store.insert({ project: root, text, origin: "retained", session: "s", entry: "e", at, files });
      }
    });
    const digests = new FileDigests(root, () => env, new FileMarks(join(root, "marks.json"), Date.now));
    const bare = store.db.prepare("SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT ?");
    const questions = Array.from({ length: QUESTIONS }, (_, at) => `${wordAt(at * 11)} and ${wordAt(at * 17)}`);
    let best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 7; round++) {
      const begun = performance.now();
      for (const question of questions) bare.all(anyOfWords(question) ?? "", RECALLED);
      const between = performance.now();
      let found = 0;
      for (const question of questions)
        found += (await findMemories(question, { store, digests, projects: [root], most: RECALLED })).fresh.length;
      const ended = performance.now();
      if (found === 0) throw new Error("Nothing was found.");
      best = { ours: Math.min(best.ours, ended - between), bare: Math.min(best.bare, between - begun) };
    }
    const each = (ms: number): string => `${(ms / QUESTIONS).toFixed(3)} ms`;
    return {
      value: best.ours / best.bare,
      unit: "x",
      budget: 5,
      note: `${each(best.ours)} against ${each(best.bare)}`,
    };
  } finally {
    store.db.close();
    await env.cleanup();
    rmSync(root, { recursive: true, force: true });
  }
}

export const benches: Bench[] = [
  {
    name: `start to first request with ${NOTES} notes of memory over the same without memory`,
    run: async () => ({ ...(await startTime(withNotes(), withoutNotes())), budget: 1.05 }),
  },
  { name: `recall among ${MEMORIES} memories over the bare FTS5 query`, run: recallTime },
];
