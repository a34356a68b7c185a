import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { resultText } from "../support/scripted-client.ts";
import { setUp, testDeps, testProfile, tool } from "../support/session.ts";

// The crash matrix kills real processes at such places (test/crash); this tests what the model is told.
describe("a process that ended in the middle of a nested call", () => {
  const LINES = /"type":"intent".*"callId":"c\/2"/;

  it.each(["safe", "never"] as const)(
    "a caller that is %s to repeat is not run again, nor are its calls, and the model is told",
    async (replay) => {
      const ran: string[] = [];
      const act = tool("act", ({ n }) => `acted ${ran.push(`act ${n}`)}`, {
        replay: "never",
        summary: ({ n }) => `number ${n}`,
      });
      const cell = tool(
        "cell",
        async (_args, { call }) => {
          ran.push("cell");
          await call("act", { n: 1 });
          await call("act", { n: 2 });
          return "ran";
        },
        { replay },
      );
      const profile = testProfile([cell, act]);
      const store = new MemoryStore();
      const blobs = new MemoryBlobs();
      const newDeps = (seed: number) => {
        const deps = testDeps();
        for (let i = 0; i < seed; i++) deps.random();
        return { deps, journal: { blobs, now: deps.now, newId: idSource(deps.random) } };
      };
      const first = newDeps(0);
      const journal = Journal.create({ id: first.deps.uuid(), cwd: "/work" }, () => store, first.journal);
      const script = [{ calls: [{ name: "cell", id: "c" }] }, { text: "done" }];
      const whole = setUp({ script, profile, deps: first.deps, journal });
      await whole.session.submit("go");
      await whole.finish();
      const lines = store.read(0, store.size).toString("utf8").split("\n");
      const cut = lines.slice(0, lines.findIndex((line) => LINES.test(line)) + 1);
      expect(cut.length).toBeGreaterThan(1);
      ran.length = 0;

      const second = newDeps(997);
      const reopened = Journal.open(new MemoryStore(`${cut.join("\n")}\n`), second.journal);
      const s = setUp({ script: [{ text: "done" }], profile, deps: second.deps, journal: reopened });
      await s.session.continue();
      await s.finish();
      expect(ran).toEqual([]);
      const entries = [...reopened.entryIds()].map((id) => reopened.entry(id));
      expect(entries.filter(({ type }) => type === "nested_call")).toMatchObject([
        { callId: "c/1", within: "c" },
        { callId: "c/2", within: "c", tool: "act", summary: "number 2", settled: "interrupted" },
      ]);
      const told = resultText(s.client.requests[0]!, "c");
      expect(told).toMatch(/^\[interrupted, effects unknown/);
      expect(told).toContain("- act number 1: done\n- act number 2: [interrupted, effects unknown");
      expect(reopened.openIntents()).toEqual([]);
    },
  );
});
