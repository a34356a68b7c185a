// The ledger of a session, before its first request and after a compaction, and what is kept of the prompt's parts.

import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { spread } from "../../src/context/ledger/spread.ts";
import { groupsOf } from "../../src/context/ledger/types.ts";
import { promptParts } from "../../src/context/prompt-parts.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { echo, setUp, testDeps, testProfile } from "../support/session.ts";

const surroundings = () => ({
  environment: "here ".repeat(100),
  projectDocs: `# AGENTS.md\n\n${"rule ".repeat(200)}`,
  instructionFiles: ["AGENTS.md"],
});

describe("the ledger of a session", () => {
  it("shows what the first request would begin with, before anything was said or written", async () => {
    const s = setUp({ script: [], surroundings, userInstructions: "wish ".repeat(50) });
    const ledger = await s.session.contextLedger();
    expect(ledger.owners.map(({ kind, name }) => [kind, name])).toEqual([
      ["tool", "echo"],
      ["prompt", "base prompt"],
      ["instructions", "AGENTS.md"],
      ["prompt", "user instructions"],
      ["environment", ""],
    ]);
    expect(ledger.window).toBe(100_000);
    expect([...s.session.journal.outside("prefix")]).toEqual([]);
    expect(s.client.requests).toEqual([]);
    await s.finish();
  });

  it("takes the vendor's count as the whole, and divides it without a rest", async () => {
    const inputTokens = 500;
    const s = setUp({
      script: [{ text: "ok", usage: { inputTokens, outputTokens: 8, totalTokens: 508 } }],
      surroundings,
    });
    await s.session.submit("hello");
    const ledger = await s.session.contextLedger();
    expect(ledger.tokens).toBe(s.session.contextTokens);
    expect(ledger.owners.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(508);
    await s.finish();
  });

  it("tells summary and kept messages apart, also in a reopened session", async () => {
    const store = new MemoryStore();
    const blobs = new MemoryBlobs();
    const deps = testDeps();
    const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: deps.uuid(), cwd: "/project" }, () => store, journalDeps);
    const s = setUp({
      script: [{ calls: [{ name: "echo", id: "c1", args: { n: 1 } }] }, { text: "done" }, { text: "more" }],
      journal,
      surroundings,
    });
    await s.session.submit("remember this");
    const ids = [...journal.entryIds()].filter((id) => journal.meta(id)?.type === "message");
    await s.session.compact({
      reason: "manual",
      summary: "It was long.",
      firstKeptEntryId: ids.at(-1)!,
      keep: [ids[0]!],
    });
    await s.session.submit("go on");
    await s.finish();
    const reopened = setUp({ script: [], journal: Journal.open(store, journalDeps), surroundings });
    const { owners } = await reopened.session.contextLedger();
    const history = owners.filter(({ entryId }) => entryId !== undefined).map(({ kind, name }) => [kind, name]);
    expect(history).toEqual([
      ["summary", "compaction"],
      ["kept", "remember this"],
      ["answer", "done"],
      ["user", "go on"],
      ["answer", "more"],
    ]);
    expect(owners.filter(({ kind }) => kind === "instructions").map(({ name }) => name)).toEqual(["AGENTS.md"]);
    const groups = groupsOf({ owners });
    expect(groups.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(owners.reduce((sum, { bytes }) => sum + bytes, 0));
    await reopened.finish();
  });

  it("is about the prompt that the next model would get, once it was switched", async () => {
    const s = setUp({ script: [{ text: "ok" }], surroundings });
    await s.session.submit("hello");
    s.session.setProfile(testProfile([echo], { model: "other", buildSystemPrompt: () => "Short." }));
    const { owners, model } = await s.session.contextLedger();
    expect(model).toBe("other");
    expect(owners.filter(({ kind }) => kind === "instructions")).toEqual([]);
    await s.finish();
  });
});

describe("parts of a prompt", () => {
  it("are found by their headings, and a file that was dropped takes nothing", () => {
    const prompt =
      "Base.\n\n# AGENTS.md\n\n# AGENTS.md\n\nmine\n\n# a/AGENTS.md\n\ndeep\n\n## User instructions\n\nbe kind";
    const parts = promptParts(prompt, {
      instructionFiles: ["gone/AGENTS.md", "AGENTS.md", "a/AGENTS.md"],
      userInstructions: ["be kind"],
    });
    expect(parts.map(({ name }) => name)).toEqual(["base prompt", "AGENTS.md", "a/AGENTS.md", "user instructions"]);
    expect(parts.reduce((sum, { characters }) => sum + characters, 0)).toBe(prompt.length);
  });
});

describe("spreading", () => {
  it("loses nothing to rounding", () => {
    expect(spread(10, [1, 1, 1])).toEqual([3, 4, 3]);
    expect(spread(7, [0, 0])).toEqual([7, 0]);
    expect(spread(5, [])).toEqual([]);
  });
});
