// When room is made, and what the model sees afterwards.

import { ContextLengthError } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { CompactionEntry } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { todoTool } from "../../src/tools/builtin/todo/index.ts";
import { testProfile } from "../support/session.ts";
import { big, compacting, lorem, NOTES, sentText } from "./support.ts";

const overflow = new ContextLengthError("prompt is too long", { provider: "test" });

/**
 * `calls` rounds in which the model says something of `tokens`, then a short answer. Text cannot be pruned, only
 * summarised.
 */
const rounds = (calls: number, tokens: number) => (_request: unknown, index: number) =>
  index < calls
    ? { text: `w${index}. ${lorem(tokens)}`, calls: [{ name: "big", id: `c${index}`, args: { tokens: 10 } }] }
    : { text: "done" };

/** Each round has a different result, because endless equal ones would end the input. */
const varied = (calls: number, tokens: number) => (request: unknown, index: number) => {
  const turn = rounds(calls, tokens)(request, index);
  return "calls" in turn ? { ...turn, calls: [{ ...turn.calls[0]!, args: { tokens: 10, word: `o${index}.` } }] } : turn;
};

const compactions = (s: ReturnType<typeof compacting>): CompactionEntry[] =>
  [...s.session.journal.entryIds()]
    .map((id) => s.session.journal.entry(id))
    .filter((entry): entry is CompactionEntry => entry.type === "compaction");

describe("CO-01 triggers", () => {
  it("threshold: a full context is summarised in the middle of the work, which goes on; the newest part stays", async () => {
    const s = compacting({ work: rounds(30, 4000), settings: { keepRecentTokens: 10_000 } });
    const outcome = await s.session.submit("count the words");
    expect(outcome).toMatchObject({ reason: "completed", text: "done" });
    expect(s.summaries().length).toBeGreaterThan(0);
    const last = sentText(s.work().at(-1)!);
    expect(last).toContain("Some of it.");
    expect(last).toContain("count the words");
    expect(last).toContain("w29.");
    expect(last).not.toContain("w0.");
    for (const { data } of s.of("compaction_start")) expect(data).toMatchObject({ reason: "threshold" });
    expect(s.of("compaction_end").every(({ data }) => data.entry_id !== undefined)).toBe(true);
    await s.finish();
  });

  it("threshold: a server that always reports 100 tokens does not turn it off", async () => {
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
    const s = compacting({ work: (request, index) => ({ ...varied(60, 8000)(request, index), usage }) });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    expect(s.of("compaction_start").map(({ data }) => data.reason)).toContain("threshold");
    expect(Math.max(...s.work().map((request) => sentText(request).length))).toBeLessThan(3 * 4 * 100_000);
    await s.finish();
  });

  it("G-55 overflow: without a promotion the request is sent again with less, once there is room", async () => {
    let failed = false;
    const s = compacting({
      settings: { thresholdTokens: 95_000 },
      work: (request, index) => {
        if (index === 10 && !failed) {
          failed = true;
          return { error: overflow };
        }
        return rounds(10, 4000)(request, index);
      },
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    expect(s.of("compaction_start").map(({ data }) => data.reason)).toEqual(["overflow"]);
    const [before, after] = s.work().slice(-2);
    expect(sentText(after!).length).toBeLessThan(sentText(before!).length / 2);
    await s.finish();
  });

  it("overflow twice and thrice: each time less is kept, then the input ends and the session stays usable", async () => {
    let refuse = 99;
    const s = compacting({
      settings: { thresholdTokens: 95_000 },
      work: (request, index) => (index >= 10 && refuse-- > 0 ? { error: overflow } : rounds(10, 4000)(request, index)),
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "context_overflow" });
    const sizes = s
      .work()
      .slice(10)
      .map((request) => sentText(request).length);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(new Set(sizes).size).toBe(sizes.length);
    refuse = 0;
    expect(await s.session.submit("again")).toMatchObject({ reason: "completed", text: "done" });
    await s.finish();
  });

  it.each([0, 500, 2_000])(
    "overflow with a usage reported as %i tokens: every sentence of the user stays word for word",
    async (inputTokens) => {
      const holds = 26_000;
      const usage = { inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 };
      const s = compacting({
        // A prompt as long as the product's.
        profile: testProfile([big], { buildSystemPrompt: () => lorem(6_000) }),
        work: (request) => (sentText(request).length / 4 > holds ? { error: overflow } : { text: lorem(3_500), usage }),
      });
      const sentences = Array.from(
        { length: 9 },
        (_, at) => `Rule ${at}: the ${at}th colour is never used in a title.`,
      );
      for (const sentence of sentences) expect(await s.session.submit(sentence)).toMatchObject({ reason: "completed" });
      expect(s.of("compaction_start").map(({ data }) => data.reason)).toContain("overflow");
      const last = sentText(s.work().at(-1)!);
      expect(sentences.filter((sentence) => last.includes(sentence))).toEqual(sentences);
      await s.finish();
    },
  );

  it("incomplete: an answer that the window cut off is asked for again, whole", async () => {
    const s = compacting({
      settings: { thresholdTokens: 95_000 },
      work: (request, index) => {
        if (index !== 10) return rounds(10, 4000)(request, index);
        return {
          text: "half an ans",
          finish: "length",
          usage: { inputTokens: 97_000, outputTokens: 2_900, totalTokens: 99_900 },
        };
      },
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    expect(s.of("compaction_start").map(({ data }) => data.reason)).toEqual(["incomplete"]);
    expect(sentText(s.work().at(-1)!)).not.toContain("half an ans");
    await s.finish();
  });

  it("manual: by hand, with what to pay attention to; nothing to do is said", async () => {
    const s = compacting({ work: rounds(3, 2000) });
    await s.session.submit("go");
    expect(await s.session.compact(s.compaction.demand({ trigger: "manual", focus: "the tests" }))).toEqual({});
    expect(sentText(s.summaries()[0]!)).toContain("special attention to: the tests");
    let more = 0;
    while (!(await s.session.compact(s.compaction.demand({ trigger: "manual" }))).problem)
      expect(++more).toBeLessThan(5);
    expect(s.of("compaction_end").at(-1)?.data.error).toBe("there is nothing to compact");
    expect(s.session.state).toBe("idle");
    await s.finish();
  });

  it.each([
    [true, 1],
    [false, 0],
  ])(
    "autoContinue %s: an answer that leaves tasks open in a full context is followed by %i request",
    async (autoContinue, extra) => {
      const profile = testProfile([big, todoTool as unknown as ToolDef], { contextWindowSize: 100_000 });
      const full = { inputTokens: 90_000, outputTokens: 10, totalTokens: 90_010 };
      const init = { op: "init", list: [{ phase: "All", items: ["write it", "test it"] }] };
      const s = compacting({
        profile,
        settings: { autoContinue, keepRecentTokens: 5000 },
        work: (_request, index) => {
          if (index === 0) return { calls: [{ name: "todo", id: "t", args: { ops: [init] } }] };
          if (index < 20) return { calls: [{ name: "big", id: `c${index}`, args: { tokens: 4000 } }] };
          return index === 20 ? { text: "I think I am done", usage: full } : { text: "now it is" };
        },
      });
      await s.session.submit("go");
      expect(s.work()).toHaveLength(21 + extra);
      if (extra > 0) expect(sentText(s.work().at(-1)!)).toMatch(/test it[\s\S]*tasks are still open, continue/);
      await s.finish();
    },
  );

  it("off: an overflow ends the input and says so", async () => {
    const s = compacting({ settings: { strategy: "off" }, work: () => ({ error: overflow }) });
    expect(await s.session.submit("go")).toMatchObject({ reason: "context_overflow" });
    expect(s.summaries()).toEqual([]);
    await s.finish();
  });
});

describe("CO-04 summaries", () => {
  it("the next summary is given the one before it, and takes its place", async () => {
    const s = compacting({
      work: rounds(60, 4000),
      settings: { keepRecentTokens: 10_000 },
      summary: (_request, index) => ({ text: `${NOTES}\nNumber ${index}.` }),
    });
    await s.session.submit("go");
    const second = s.summaries().find((request) => sentText(request).includes("<previous-summary>"))!;
    expect(sentText(second)).toMatch(/<previous-summary>\n## Goal[\s\S]*Number \d+\.\n<\/previous-summary>/);
    const last = sentText(s.work().at(-1)!);
    expect(last.match(/## Goal/g)).toHaveLength(1);
    await s.finish();
  });

  it("CO-05 the file lists of other agents' summaries are not carried into the next summary", async () => {
    const lists = "<read-files>\nold/read.ts\n</read-files>\n<modified-files>\nold/changed.ts\n</modified-files>";
    const s = compacting({
      work: rounds(60, 4000),
      settings: { keepRecentTokens: 10_000 },
      summary: (_request, index) => ({ text: index === 0 ? `${NOTES}\n${lists}\nKept.` : NOTES }),
    });
    await s.session.submit("go");
    const later = s.summaries().slice(1).map(sentText).join("\n");
    expect(later).toMatch(/<previous-summary>\n## Goal[\s\S]*Kept\.\n<\/previous-summary>/);
    expect(later).not.toMatch(/-files>|old\/(?:read|changed)\.ts/);
    await s.finish();
  });

  it("CO-04 messages of jobs and agents are summarized; those of the user and of a host stay word for word", async () => {
    const s = compacting({ work: () => ({ text: lorem(3000) }), settings: { keepRecentTokens: 5000 } });
    const begun = s.session.submit("by the user");
    s.session.followUp("by a host", { kind: "host" });
    s.session.followUp("by a job", { kind: "job", id: "1" });
    s.session.followUp("by an agent", { kind: "agent", id: "A" });
    await begun;
    for (let i = 0; i < 4; i++) await s.session.submit(`later ${i}`);
    await s.session.compact(s.compaction.demand({ trigger: "manual" }));
    await s.session.submit("and now");
    const sent = sentText(s.work().at(-1)!);
    expect(["by the user", "by a host", "later 0"].filter((text) => !sent.includes(text))).toEqual([]);
    expect(["by a job", "by an agent"].filter((text) => sent.includes(text))).toEqual([]);
    await s.finish();
  });

  it("CO-03 a turn that is split has notes of its own", async () => {
    const s = compacting({ work: varied(60, 1500), settings: { keepRecentTokens: 10_000 } });
    await s.session.submit("first question");
    expect(compactions(s)[0]!.summary).toContain("**Turn Context (split turn):**");
    await s.finish();
  });
});
