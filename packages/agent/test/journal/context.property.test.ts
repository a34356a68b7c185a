import { type ContentPart, Message } from "@lathe/llm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildContext } from "../../src/record/journal/context.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import type { NewEntry } from "../../src/record/journal/new-lines.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { referenceMessages } from "./context-reference.ts";
import { testDeps } from "./support.ts";

const runs = process.env["LATHE_LONG"] ? 5000 : 50;

/** A step picks earlier entries by a number that is taken modulo what exists. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("user" as const), text: fc.string() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("assistant" as const), calls: fc.nat(3) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("result" as const), pick: fc.nat(), text: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("custom" as const), text: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("state" as const), text: fc.string() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("compaction" as const), first: fc.nat(), keep: fc.array(fc.nat()) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const), targets: fc.array(fc.nat()) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), to: fc.option(fc.nat()) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("summary" as const), to: fc.nat() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function play(journal: Journal, steps: readonly Step[], check: () => void): void {
  const calls: string[] = [];
  const pick = (n: number) => [...journal.entryIds()][n % Math.max(1, [...journal.entryIds()].length)] ?? "none";
  for (const one of steps) {
    if (one.do === "move") journal.setLeaf(one.to === null || !journal.leaf ? null : pick(one.to));
    else if (one.do === "summary") journal.branchWithSummary(journal.leaf ? pick(one.to) : null, "left behind");
    else journal.append(toEntry(one, pick, calls));
    check();
  }
}

function toEntry(
  one: Exclude<Step, { do: "move" | "summary" }>,
  pick: (n: number) => string,
  calls: string[],
): NewEntry {
  switch (one.do) {
    case "user":
      return { type: "message", message: Message.user(one.text) };
    case "assistant": {
      const parts: ContentPart[] = Array.from({ length: one.calls }, () => {
        const id = `call${calls.length}`;
        calls.push(id);
        return { kind: "tool_call", toolCall: { id, name: "t", arguments: {}, type: "function" } };
      });
      return { type: "message", message: Message.assistant([{ kind: "text", text: "a" }, ...parts]) };
    }
    case "result": {
      const toolCallId = calls[calls.length - 1 - (one.pick % 4)] ?? "never";
      return { type: "message", message: Message.toolResult({ toolCallId, content: one.text }) };
    }
    case "custom":
      return { type: "custom_message", customType: "x", content: one.text, display: true, attribution: "agent" };
    case "state":
      return { type: "thinking_level_change", thinkingLevel: one.text };
    case "compaction":
      return {
        type: "compaction",
        summary: "so far",
        firstKeptEntryId: pick(one.first),
        tokensBefore: 1,
        details: { keep: one.keep.map(pick) },
      };
    case "prune":
      return { type: "prune", prune: one.targets.map(pick) };
  }
}

describe("context of a leaf", () => {
  it("G-30 SP-02 equals the reference over random trees, incrementally, rebuilt and after reopening", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = new MemoryStore();
        const deps = testDeps();
        const journal = Journal.create({ id: "s", cwd: "/" }, () => store, deps);
        const entries = () => [...journal.entryIds()].map((id) => journal.entry(id));
        journal.persist();
        play(journal, steps, () => {
          const expected = referenceMessages(entries(), journal.leaf);
          expect(journal.context.messages).toEqual(expected);
          expect(buildContext(entries(), journal.leaf).messages).toEqual(expected);
        });
        const reopened = Journal.open(new MemoryStore(store.read(0, store.size)), deps);
        expect(reopened.losses).toEqual([]);
        expect(reopened.leaf).toBe(journal.leaf);
        expect(reopened.context.messages).toEqual(journal.context.messages);
        expect(reopened.context.entryIds).toEqual(journal.context.entryIds);
        expect(reopened.context.state).toEqual(journal.context.state);
      }),
      { numRuns: runs, seed: 11 },
    );
  });

  it("SN-05 every call has exactly one result before the next assistant message, wherever the history is cut", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const journal = Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), testDeps());
        play(journal, steps, () => expect(grammarFault(journal.context.messages)).toBe(undefined));
      }),
      { numRuns: runs, seed: 12 },
    );
  });
});

function grammarFault(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (open.shift() !== message.toolCallId) return `result ${message.toolCallId} is out of place`;
      continue;
    }
    if (open.length > 0) return `calls ${open.join()} have no result`;
    if (message.role !== "assistant" && message.role !== "user") return `role ${message.role}`;
    open = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall.id] : []));
  }
  return open.length > 0 ? `calls ${open.join()} have no result` : undefined;
}
