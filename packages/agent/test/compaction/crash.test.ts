// A process that ends at any journal write of a compaction: the next one continues, loses nothing and pays for no
// summary twice.

import { expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { journalError } from "../support/history-grammar.ts";
import { testDeps } from "../support/session.ts";
import { compacting, lorem, sentText } from "./support.ts";

const FACT = "remember: the door is green";
const work = (_request: unknown, index: number) =>
  index < 25
    ? {
        text: `w. ${lorem(4000)}`,
        calls: [{ name: "big", id: `c${index}-${Math.random()}`, args: { tokens: 10, word: `${index}` } }],
      }
    : { text: "done" };
const settings = { keepRecentTokens: 8000 };
const blobs = new MemoryBlobs();
const deps = testDeps();
const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };

/** The bytes after each write, from the start of the first compaction to its end. */
async function states(): Promise<Uint8Array[]> {
  const taken: Uint8Array[] = [];
  let within = false;
  class Watched extends MemoryStore {
    override append(text: string | Uint8Array): void {
      super.append(text);
      if (within) taken.push(Uint8Array.from(this.read(0, this.size)));
    }
  }
  const journal = Journal.create({ id: "s", cwd: "/work" }, () => new Watched(), journalDeps);
  const s = compacting({
    work,
    settings,
    journal,
    onEvent: ({ kind }) => {
      if (kind === "compaction_start" && taken.length === 0) within = true;
      if (kind === "compaction_end") within = false;
    },
  });
  await s.session.submit(FACT);
  await s.finish();
  return taken;
}

it("E wedge: every write of a compaction", async () => {
  const taken = await states();
  // Intent and outcome of two summaries (because the turn is split), and the compaction itself.
  expect(taken.length).toBeGreaterThanOrEqual(5);
  for (const [at, bytes] of taken.entries()) {
    const journal = Journal.open(new MemoryStore(Buffer.from(bytes)), journalDeps);
    const paid = [...journal.entryIds()].filter((id) => journal.meta(id)?.type === "custom").length;
    const isDone = [...journal.entryIds()].some((id) => journal.meta(id)?.type === "compaction");
    const s = compacting({ work: (request, index) => work(request, index + 23), settings, journal });
    expect(s.session.hasUnfinishedInput).toBe(true);
    await s.session.continue();
    const first = s.work()[0]!;
    expect(sentText(first), `write ${at}`).toContain(FACT);
    expect(sentText(first)).toContain("<compaction_summary>");
    expect(s.summaries()).toHaveLength(isDone ? 0 : 2 - paid);
    expect(journalError(s.session.journal)).toBeUndefined();
    await s.finish();
  }
});
