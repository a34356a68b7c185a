import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { Journal } from "../../src/record/journal/journal.ts";
import type { NewEntry, NewLine } from "../../src/record/journal/new-lines.ts";
import { storeKinds, testDeps } from "./support.ts";

describe.each(storeKinds)("journal over a $name store", (kind) => {
  const user = (text: string) => ({ type: "message", message: Message.user(text) }) as const;

  it("SP-01 G-24 chains entries, reopens to the same state and appends without touching what was there", async () => {
    const place = kind.make();
    const deps = testDeps();
    const first = Journal.create({ id: "s1", cwd: "/w" }, () => place.open(), deps);
    const ids = ["one", "two", "three"].map((text) => first.append(user(text)).id);
    await first.close();
    const bytesOf = async () => {
      const store = place.open();
      const bytes = Buffer.from(store.read(0, store.size));
      await store.close();
      return bytes;
    };
    const written = await bytesOf();

    const second = Journal.open(place.open(), deps);
    expect(second.losses).toEqual([]);
    expect(second.header).toMatchObject({ type: "session", version: 4, id: "s1", cwd: "/w" });
    expect([...second.entryIds()]).toEqual(ids);
    expect(ids.every((id) => /^[0-9a-z]{8}$/.test(id))).toBe(true);
    expect(ids.map((id) => second.meta(id)?.parentId)).toEqual([null, ids[0], ids[1]]);
    expect(second.leaf).toBe(ids[2]);
    expect(second.context.messages).toEqual(["one", "two", "three"].map((text) => Message.user(text)));
    second.append(user("four"));
    await second.close();
    const third = Journal.open(place.open(), deps);
    expect(third.context.messages).toHaveLength(4);
    await third.close();
    const grown = await bytesOf();
    expect(grown.subarray(0, written.length).equals(written)).toBe(true);
    expect(grown.subarray(written.length).toString()).toMatch(/^\{.*"four".*\}\n$/);
  });

  it("G-25 every kind of entry and line comes back with all its fields", async () => {
    const place = kind.make();
    const deps = testDeps();
    const journal = Journal.create({ id: "s1", cwd: "/w" }, () => place.open(), deps);
    const target = journal.append(user("one")).id;
    const entries: NewEntry[] = [
      {
        type: "message",
        message: Message.assistant("two"),
        provider: "p",
        model: "m",
        responseId: "r",
        usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
        cost: 0.5,
        finishReason: { reason: "stop", raw: "end_turn" },
      },
      { type: "model_change", model: "p/m", role: "smol" },
      { type: "thinking_level_change", thinkingLevel: "high" },
      { type: "service_tier_change", serviceTier: null },
      {
        type: "compaction",
        summary: "s",
        shortSummary: "t",
        firstKeptEntryId: target,
        tokensBefore: 5,
        details: { keep: [] },
      },
      { type: "prune", prune: [target] },
      { type: "branch_summary", fromId: target, summary: "left", details: { a: 1 }, fromExtension: true },
      { type: "custom", customType: "x", data: { deep: [1, null, "two"] } },
      { type: "custom_message", customType: "x", content: "c", display: true, details: 1, attribution: "user" },
      { type: "label", targetId: target, label: "l" },
      { type: "mode_change", mode: "plan", data: { file: "f" } },
      { type: "session_init", systemPrompt: "sp", task: "t", tools: ["a"], outputSchema: { type: "object" } },
      { type: "ttsr_injection", injectedRules: ["r"] },
      { type: "mcp_tool_selection", selectedToolNames: ["s.t"] },
    ];
    const lines: NewLine[] = [
      { type: "decision", callId: "c", decision: "deny", by: "rule", reason: "no" },
      { type: "snapshot", phase: "before", entryId: target, blob: "h" },
      { type: "host", kind: "k", data: { a: [true] } },
    ];
    const appended = entries.map((entry) => journal.append(entry));
    const written = lines.map((line) => journal.write(line));
    await journal.close();
    const opened = Journal.open(place.open(), deps);
    expect(appended.map((entry) => opened.entry(entry.id))).toEqual(appended);
    expect(written.flatMap((line) => [...opened.outside(line.type)])).toEqual(written);
    await opened.close();
  });

  it("entries and lines of a kind this version does not know are kept and passed over", async () => {
    const place = kind.make();
    const deps = testDeps();
    const journal = Journal.create({ id: "s1", cwd: "/w" }, () => place.open(), deps);
    const first = journal.append(user("one"));
    const strange = journal.append({ type: "from_later", payload: 1 } as unknown as NewEntry);
    journal.write({ type: "beside_from_later", payload: 2 } as unknown as NewLine);
    journal.append(user("two"));
    await journal.close();
    const opened = Journal.open(place.open(), deps);
    expect(opened.losses).toEqual([]);
    expect(opened.entry(strange.id)).toMatchObject({ type: "from_later", parentId: first.id, payload: 1 });
    expect(opened.context.messages).toEqual([Message.user("one"), Message.user("two")]);
    await opened.close();
  });
});
