// Where a history is divided: the kept part must always be a history that a model accepts.

import { Message } from "@lathe/llm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPoint } from "../../src/context/compaction/cut-point.ts";
import type { SentMessage } from "../../src/context/compaction/present-context.ts";
import { DEFAULT_COMPACTION, roomIn } from "../../src/context/compaction/settings.ts";

/** Turns of a user's message and answers with up to four calls each. */
const histories = fc
  .array(fc.array(fc.tuple(fc.nat(4), fc.nat(3000)), { maxLength: 8 }), { minLength: 1, maxLength: 8 })
  .map((turns) => {
    const sent: SentMessage[] = [];
    const add = (message: Message, tokens: number): void =>
      void sent.push({ entryId: `e${sent.length}`, message, tokens });
    for (const answers of turns) {
      add(Message.user("ask"), 10);
      for (const [calls, tokens] of answers) {
        const ids = Array.from({ length: calls }, (_, at) => `c${sent.length}-${at}`);
        const content = ids.map((id) => ({
          kind: "tool_call" as const,
          toolCall: { id, name: "t", arguments: {}, type: "function" as const },
        }));
        add({ role: "assistant", content: [{ kind: "text", text: "says" }, ...content] }, tokens);
        for (const toolCallId of ids) add(Message.toolResult({ toolCallId, content: "r" }), tokens);
      }
    }
    return sent;
  });

describe("CO-02 where a history is cut", () => {
  it("never before a result, never behind the last answer, and within the room where that is possible", () => {
    fc.assert(
      fc.property(histories, fc.nat(20_000), fc.nat(5), (sent, keepRecent, first) => {
        const cut = cutPoint(sent, keepRecent, Math.min(first, sent.length - 1));
        if (!cut) return;
        const kept = sent.slice(cut.at);
        expect(kept[0]!.message.role).not.toBe("tool");
        const called = new Set(
          kept.flatMap(({ message }) =>
            message.content.flatMap((p) => (p.kind === "tool_call" ? [p.toolCall.id] : [])),
          ),
        );
        for (const { message } of kept) if (message.role === "tool") expect(called).toContain(message.toolCallId);
        const firstOfLast = sent.findLastIndex(({ message }) => message.role !== "tool");
        expect(cut.at).toBeLessThanOrEqual(firstOfLast);
        if (cut.at < firstOfLast)
          expect(kept.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(keepRecent);
        expect(cut.turnStart === undefined || sent[cut.turnStart]!.message.role === "user").toBe(true);
      }),
    );
  });
});

describe("CO-02 CO-12 how much room there is", () => {
  it("large windows have the amounts of the settings", () => {
    expect(roomIn(200_000, 10_000, DEFAULT_COMPACTION)).toMatchObject({ threshold: 170_000, keepRecent: 20_000 });
    expect(roomIn(100_000, 10_000, DEFAULT_COMPACTION)).toMatchObject({ threshold: 83_616, keepRecent: 20_000 });
  });

  it("a window of 32k leaves room to work after every compaction, beside a long system prompt", () => {
    const { threshold, keepRecent, keepUser, summary } = roomIn(32_000, 10_000, DEFAULT_COMPACTION);
    expect(threshold).toBeGreaterThan(25_000);
    expect(10_000 + keepRecent + keepUser + summary).toBeLessThan(threshold - 4000);
  });

  it("a threshold of one's own counts", () => {
    expect(roomIn(200_000, 0, { ...DEFAULT_COMPACTION, thresholdTokens: 50_000 }).threshold).toBe(50_000);
    expect(roomIn(200_000, 0, { ...DEFAULT_COMPACTION, thresholdPercent: 50 }).threshold).toBe(100_000);
    expect(roomIn(200_000, 0, { ...DEFAULT_COMPACTION, thresholdPercent: 500 }).threshold).toBe(200_000);
  });
});
