import { describe, expect, it } from "vitest";
import { journalError } from "../support/history-grammar.ts";
import { type Setup, setUp, testProfile, tool } from "../support/session.ts";

const lastResult = (s: Setup) => {
  const turn = s.session.history.at(-1);
  return turn?.kind === "tool_results" ? turn.results.map((result) => result.content) : turn;
};

describe("an interrupt", () => {
  it.each([
    ["a call that has ended", () => "what really happened", "what really happened"],
    ["a call that has failed", () => Promise.reject(new Error("bad")), "Tool error (act): bad"],
  ])("RN-03 during the hooks after %s keeps its result", async (_name, execute, expected) => {
    const s: Setup = setUp({
      profile: testProfile([tool("act", execute, { replay: "never" })]),
      middleware: [
        {
          name: "slow",
          afterCall: (_call, _result, { signal }) => {
            void s.session.interrupt();
            return new Promise((_resolve, reject) => signal.addEventListener("abort", reject, { once: true }));
          },
        },
      ],
      script: [{ calls: [{ name: "act", id: "a" }] }],
    });
    await s.session.submit("go");
    expect(lastResult(s)).toEqual([expected]);
    expect(journalError(s.session.journal)).toBeUndefined();
    await s.finish();
  });

  it("a call that had not begun is not said to have unknown effects", async () => {
    const act = tool(
      "act",
      () => {
        void s.session.interrupt();
        return "did it";
      },
      { replay: "never" },
    );
    const s: Setup = setUp({
      profile: testProfile([act], { supportsParallelToolCalls: false }),
      script: [
        {
          calls: [
            { name: "act", id: "a" },
            { name: "act", id: "b" },
          ],
        },
      ],
    });
    await s.session.submit("go");
    expect(lastResult(s)).toEqual(["did it", "[interrupted before this call finished]"]);
    expect(journalError(s.session.journal)).toBeUndefined();
    await s.finish();
  });

  it("a call that was only just approved is not said to have unknown effects either", async () => {
    const s: Setup = setUp({
      profile: testProfile([tool("act", () => "did it", { replay: "never" })]),
      middleware: [
        {
          name: "rules",
          approve: () => {
            void s.session.interrupt();
            return { decision: "allow" };
          },
        },
      ],
      script: [{ calls: [{ name: "act", id: "a" }] }],
    });
    await s.session.submit("go");
    expect(lastResult(s)).toEqual(["[interrupted before this call finished]"]);
    expect(s.session.journal.openIntents()).toEqual([]);
    await s.finish();
  });

  it("during the hooks before a call looks up nothing for it and asks no question about it", async () => {
    const asked: string[] = [];
    const access = () => {
      asked.push("what it accesses");
      return [];
    };
    const s: Setup = setUp({
      profile: testProfile([tool("act", () => "did it", { access }), tool("other", () => "did it")]),
      middleware: [
        {
          name: "rules",
          beforeCall: () => void s.session.interrupt(),
          approve: ({ tool: { name } }) => {
            asked.push(`whether ${name} may run`);
            return { decision: "allow" };
          },
        },
      ],
      script: [{ calls: [{ name: "act" }] }, { calls: [{ name: "other" }] }],
    });
    await s.session.submit("go");
    await s.session.submit("go on");
    expect(asked).toEqual([]);
    await s.finish();
  });

  it("ends the input while the surroundings are still being looked at; the next one looks again", async () => {
    let looks = 0;
    const s: Setup = setUp({
      surroundings: () => {
        if (++looks > 1) return { environment: "here", projectDocs: "" };
        queueMicrotask(() => void s.session.interrupt());
        return new Promise(() => {});
      },
      script: [{ text: "done" }],
    });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    await s.session.submit("again");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["interrupted", "completed"]);
    expect(looks).toBe(2);
  });
});

it("EV-01 what a tool writes after its call has ended is no output of a call", async () => {
  let late = (): void => {};
  const leaves = tool("leaves", (_args, { onOutput }) => {
    onOutput("early", "stdout");
    late = () => onOutput("late", "stdout");
    return "left something running";
  });
  const next = tool("next", () => {
    late();
    return "next";
  });
  const s = setUp({
    profile: testProfile([leaves, next]),
    script: [{ calls: [{ name: "leaves", id: "a" }] }, { calls: [{ name: "next", id: "b" }] }, { text: "done" }],
  });
  await s.session.submit("go");
  await s.finish();
  expect(s.of("tool_call_output_delta").map((event) => event.data.delta)).toEqual(["early"]);
});
