import { QuotaExceededError } from "@lathe/llm";
import { expect, it } from "vitest";
import type { Middleware } from "../../src/contract/seams/types.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const nonsense: readonly (readonly [hook: keyof Middleware, verdict: unknown, wanted: string])[] = [
  ["onInput", 5, "{ content: text or parts } or { reject: reason }"],
  ["onInput", { content: 5 }, "{ content: text or parts }"],
  ["onInput", { reject: 5 }, "{ reject: reason }"],
  ["beforeRequest", "x", "{ request }"],
  ["beforeRequest", { request: 5 }, "{ request }"],
  ["afterCall", 5, "a result: { content: parts }"],
  ["afterCall", { content: 5 }, "a result: { content: parts }"],
  ["afterCall", { content: [{ kind: "text" }] }, "a result: { content: parts }"],
  ["afterRound", { tell: 5 }, "{ tell: text or parts }"],
  ["afterRound", { tell: [{ kind: "tool_result" }] }, "{ tell: text or parts }"],
  ["beforeStop", { continueWith: 5 }, "{ continueWith: text or parts }"],
  ["beforeStop", true, "{ continueWith: text or parts }"],
  ...["onInput", "beforeRequest", "afterCall", "afterRound", "beforeStop", "onStreamEvent", "verdictAtEnd"].flatMap(
    (hook) => [false, null, 0, ""].map((falsy) => [hook as keyof Middleware, falsy, "not undefined"] as const),
  ),
  ["onStreamEvent", 5, "{ cut: text }"],
  ["onStreamEvent", { cut: 5 }, "{ cut: text }"],
  ["onStreamEvent", { cut: "x", rules: "y" }, "{ rules: names }"],
  ["verdictAtEnd", "verified", "{ verdict: verified"],
  ["verdictAtEnd", { verdict: "good", reasons: [] }, "{ verdict: verified"],
  ["verdictAtEnd", { verdict: "failed" }, "reasons: texts }"],
];

it.each(nonsense.flatMap(([hook, verdict, wanted]) => [false, true].map((late) => ({ hook, verdict, wanted, late }))))(
  "a $hook that returns $verdict (as a promise: $late) is named in a warning, and the session goes on",
  async ({ hook, verdict, wanted, late }) => {
    const bad = { name: "bad", [hook]: () => (late ? Promise.resolve(verdict) : verdict) } as Middleware;
    const s = setUp({
      middleware: [bad],
      profile: testProfile([tool("act", () => "did it")]),
      script: [{ calls: [{ name: "act", id: "a", args: {} }] }, { text: "done" }],
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    await s.finish();
    expect(s.of("error")).toEqual([]);
    const [warning, ...others] = new Set(s.of("warning").map(({ data }) => data.message));
    expect(warning).toContain(`the hook bad.${hook} failed: it returned `);
    expect(warning).toContain(wanted);
    expect(others).toEqual([]);
  },
);

it.each([false, true])("onFailure with nonsense (as a promise: %s) is named, and the failure stands", async (late) => {
  const bad = { name: "bad", onFailure: () => (late ? Promise.resolve({ retry: 1 }) : true) } as unknown as Middleware;
  const error = new QuotaExceededError("empty", { provider: "test" });
  const s = setUp({ middleware: [bad], script: () => ({ error }) });
  expect(await s.session.submit("go")).toMatchObject({ reason: "error" });
  await s.finish();
  expect(s.client.requests).toHaveLength(1);
  const [warning] = s.of("warning").map(({ data }) => data.message);
  expect(warning).toMatch(/^the hook bad\.onFailure failed: it returned .*, not undefined or \{ retry: true \}$/);
});

it.each([
  5,
  0,
  false,
  [],
  { summary: "short" },
  { notes: 5 },
  { prompt: 5 },
  { context: "x" },
  { preserveData: [] },
  { cancel: 5 },
])("beforeSummary with %j is named, and the summary is made without it", async (verdict) => {
  const bad = { name: "bad", beforeSummary: () => verdict } as unknown as Middleware;
  const s = setUp({ middleware: [bad], script: [{ text: "a" }, { text: "b" }] });
  await s.session.submit("1");
  const firstKeptEntryId = s.session.journal.leaf!;
  const wishes: unknown[] = [];
  const summarize = async (_context: unknown, wished: unknown) => {
    wishes.push(wished);
    return { reason: "test", summary: "short", firstKeptEntryId };
  };
  expect(await s.session.compact({ reason: "test", summarize })).toEqual({});
  await s.finish();
  expect(wishes).toEqual([undefined]);
  const [warning] = s.of("warning").map(({ data }) => data.message);
  expect(warning).toContain("the hook bad.beforeSummary failed: it returned ");
  expect(warning).toContain("not undefined, wishes ({ notes, prompt, context, preserveData }) or { cancel: reason }");
});

it("a verdict at the end that is a promise counts as unverified, and its rejection ends nothing", async () => {
  const bad = { name: "bad", verdictAtEnd: () => Promise.reject(new Error("late")) } as unknown as Middleware;
  const s = setUp({ middleware: [bad], script: [{ text: "done" }] });
  await s.session.submit("go");
  await s.finish();
  expect(s.of("processing_end")[0]?.data.verification).toMatchObject({ verdict: "unverified" });
});
