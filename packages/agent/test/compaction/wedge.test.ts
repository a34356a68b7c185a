// Whatever the summarizer does, the session goes on and nothing is lost.

import { ContentFilterError, ContextLengthError, ServerError } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { SessionDeps } from "../../src/base/time/deadline.ts";
import type { CompactionEntry } from "../../src/contract/journal.ts";
import { PRUNED_RESULT } from "../../src/record/journal/context.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { testDeps } from "../support/session.ts";
import { compacting, lorem, NOTES, sentText } from "./support.ts";

const at = { provider: "test" };
const rounds = (calls: number) => (_request: unknown, index: number) =>
  index < calls
    ? { text: `w${index}. ${lorem(4000)}`, calls: [{ name: "big", id: `c${index}`, args: { tokens: 10 } }] }
    : { text: "done" };

const BAD: Record<string, () => ScriptedTurn> = {
  "an empty summary": () => ({ text: "" }),
  "a summary longer than what it stands for": () => ({ text: `${NOTES} ${lorem(90_000)}` }),
  "a summary without its headings": () => ({ text: "We did things." }),
  "a summarizer that fails": () => ({ error: new ServerError("overloaded", at) }),
  "a summarizer that refuses": () => ({ error: new ContentFilterError("no", at) }),
  "a summarizer whose own context is too small": () => ({ error: new ContextLengthError("too long", at) }),
  "a summary cut off at the output limit": () => ({ text: NOTES, finish: "length" }),
  "a summarizer that never answers": () => ({ before: () => new Promise(() => {}) }),
};

describe("a summary request that keeps failing", () => {
  /** Waits of up to this long end at once, and the clock says that they took their time. */
  const LONGEST_WAIT_MS = 60_000;

  function clockThatJumps(): SessionDeps {
    const deps = testDeps();
    let waited = 0;
    return {
      ...deps,
      now: () => deps.now() + waited,
      setTimer: (callback, ms) => {
        if (ms >= LONGEST_WAIT_MS) return deps.setTimer(callback, ms);
        const wait = setImmediate(() => {
          waited += ms;
          callback();
        });
        return { cancel: () => clearImmediate(wait) };
      },
    };
  }

  it("holds the prompt for three tries within 15 seconds; the next compaction asks again, for what was hidden without one", async () => {
    const deps = clockThatJumps();
    const askedAt: number[] = [];
    const s = compacting({
      deps,
      work: rounds(24),
      summary: (_request, index) => {
        askedAt.push(deps.now());
        return index < 3 ? { error: new ServerError("down", at) } : { text: NOTES };
      },
      settings: { keepRecentTokens: 8000 },
      config: { retry: { baseDelay: 2, maxRetries: 8, maxTotalMs: 180_000 }, hookTimeoutMs: 120_000 },
    });
    expect(await s.session.submit("remember: the door is green")).toMatchObject({ reason: "completed", text: "done" });
    expect(askedAt).toHaveLength(3);
    expect(askedAt[2]! - askedAt[0]!).toBeLessThan(15_000);
    expect(askedAt[2]! - askedAt[0]!).toBeGreaterThan(1_000);
    await s.session.compact(s.compaction.demand({ trigger: "manual" }));
    const [first, second] = s.of("compaction_end").map(({ data }) => data.entry_id!);
    const made = [first, second].map((id) => s.session.journal.entry(id!) as CompactionEntry);
    expect(made.map(({ details }) => details?.["strategy"])).toEqual(["digest", "context-full"]);
    expect(made[0]!.summary).toContain("No summary could be made");
    expect(sentText(s.summaries()[3]!)).toMatch(/\[Assistant\]: w8\. .*\[Assistant\]: w15\. /s);
    expect(sentText(s.summaries()[3]!)).not.toContain("No summary could be made");
    await s.finish();
  });

  it("a wait that the provider asks for is too long for it", async () => {
    const s = compacting({
      deps: clockThatJumps(),
      work: rounds(40),
      summary: () => ({ error: new ServerError("down", { ...at, retryAfter: 20 }) }),
      settings: { keepRecentTokens: 8000 },
      config: { retry: { maxRetries: 8, maxTotalMs: 180_000 } },
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed" });
    expect(s.summaries()).toHaveLength(s.of("compaction_end").length);
    await s.finish();
  });
});

describe.each(Object.entries(BAD))("%s", (_name, summary) => {
  it("above the threshold: notes made without a model take its place, and the work goes on", async () => {
    const s = compacting({
      work: rounds(40),
      summary,
      settings: { keepRecentTokens: 8000, timeoutMs: 50 },
      config: { retry: { baseDelay: 0.001, maxRetries: 1 } },
    });
    expect(await s.session.submit("remember: the door is green")).toMatchObject({ reason: "completed", text: "done" });
    const last = sentText(s.work().at(-1)!);
    expect(last).toContain("remember: the door is green");
    expect(last).toContain("No summary could be made");
    expect(last.length / 4).toBeLessThan(100_000);
    await s.finish();
  });

  it("by hand: the context stays as it was, and the reason is said", async () => {
    const s = compacting({
      work: rounds(4),
      summary,
      settings: { timeoutMs: 50 },
      config: { retry: { baseDelay: 0.001, maxRetries: 1 } },
    });
    await s.session.submit("go");
    const before = s.session.journal.context.messages.map((message) => message);
    expect(await s.session.compact(s.compaction.demand({ trigger: "manual" }))).toEqual({
      problem: expect.any(String),
    });
    expect(s.session.journal.context.messages).toEqual(before);
    expect(s.of("warning").at(-1)?.data).toMatchObject({ code: "compaction_failed" });
    expect(await s.session.submit("and now?")).toMatchObject({ reason: "completed" });
    await s.finish();
  });
});

it("CO-11 one that nobody asked for says by its first words which it was", async () => {
  const s = compacting({ work: rounds(2), summary: () => ({ text: NOTES }) });
  await s.session.submit("go");
  const summarize = async () => {
    throw new Error("no room");
  };
  for (const reason of ["overflow", "incomplete", "threshold", "idle", "manual"])
    await s.session.compact({ reason, summarize });
  expect(s.of("warning").map(({ data }) => data.message)).toEqual(
    [
      "Context overflow recovery failed",
      "Incomplete response recovery failed",
      "Auto-compaction failed",
      "Auto-compaction failed",
      "Compaction failed",
    ].map((words) => `${words}: no room. The context stays as it is.`),
  );
  await s.finish();
});

describe("a tail that does not fit", () => {
  it("one result larger than the window is emptied, and the model is told its size", async () => {
    const s = compacting({
      window: 32_000,
      work: (request, index) => {
        if (index === 0) return { calls: [{ name: "big", id: "c", args: { word: "huge", tokens: 40_000 } }] };
        if (sentText(request).length / 4 > 32_000) return { error: new ContextLengthError("too long", at) };
        return { text: "done" };
      },
      config: { toolOutputLimits: { big: 1_000_000 } },
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    expect(sentText(s.work().at(-1)!)).toMatch(PRUNED_RESULT);
    await s.finish();
  });
});

describe("interrupting", () => {
  it("ends a compaction by hand; the context stays, and the session can be used", async () => {
    let hasStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      hasStarted = resolve;
    });
    const s = compacting({
      work: rounds(4),
      summary: () => ({
        before: () => {
          hasStarted();
          return new Promise(() => {});
        },
      }),
    });
    await s.session.submit("go");
    const compacted = s.session.compact(s.compaction.demand({ trigger: "manual" }));
    await started;
    await expect(s.session.submit("at once")).rejects.toThrow(/busy|running|processing/i);
    await s.session.interrupt();
    expect(await compacted).toEqual({ problem: "it was interrupted" });
    expect(s.session.state).toBe("idle");
    expect(await s.session.submit("go on")).toMatchObject({ reason: "completed" });
    await s.finish();
  });
});

describe("CO-06 pruning comes first", () => {
  it("old results are emptied, the newest and files that were read stay whole, and no summary is paid for", async () => {
    const s = compacting({
      window: 200_000,
      work: (_request, index) =>
        index < 45
          ? { calls: [{ name: "big", id: `c${index}`, args: { word: `w${index}.`, tokens: 4000 } }] }
          : { text: "done" },
    });
    await s.session.submit("go");
    const last = sentText(s.work().at(-1)!);
    expect(s.summaries()).toEqual([]);
    expect(last).toMatch(PRUNED_RESULT);
    expect(last).not.toContain("w0. ");
    for (let n = 36; n < 45; n++) expect(last).toContain(`w${n}. `);
    await s.finish();
  });
});
