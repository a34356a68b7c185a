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
