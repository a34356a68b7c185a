// The grammar that hosts read in the comment of `SessionEvent` is the one that our tests' checker enforces.

import { readFileSync } from "node:fs";
import { NetworkError } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { eventGrammar, grammarError } from "../support/event-grammar.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const source = readFileSync(new URL("../../src/contract/events/types.ts", import.meta.url), "utf8");

it("EV-01 every kind of event has its place in the grammar that hosts read, and the grammar names no others", () => {
  const body = /export interface EventData \{\n([\s\S]*?)\n\}/.exec(source)![1]!;
  const kinds = [...body.matchAll(/^ {2}(\w+):/gm)].map(([, kind]) => kind!);
  const outside = ["snapshot"];
  expect([...eventGrammar.words].sort()).toEqual([...kinds.filter((kind) => !outside.includes(kind)), "retry!"].sort());
});

it("EV-01 the grammar is part of the declarations: it stands in a comment right before SessionEvent", () => {
  expect(source).toMatch(/\/\*\*\n(?: \*[^\n]*\n)+ \* ```ebnf\n(?: \*[^\n]*\n)+ \*\/\nexport type SessionEvent =/);
});

/** Approvals, interleaved calls, a retry that discards and one that does not, a failure, an interrupt. */
async function richEvents(): Promise<readonly SessionEvent[]> {
  const hang = tool("hang", (_args, { signal }) => {
    void s.session.interrupt();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", reject, { once: true }));
  });
  const say = tool("say", async (_args, { onOutput }) => {
    onOutput("out", "stdout");
    await Promise.resolve();
    return "said";
  });
  const lost = (message: string) => new NetworkError(message);
  const s = setUp({
    profile: testProfile([hang, say]),
    middleware: [
      {
        name: "asks",
        approve: () => ({ decision: "ask" }),
        beforeStop: ({ rounds }) => (rounds === 2 ? { continueWith: "go on" } : undefined),
      },
    ],
    onEvent: (event) => {
      if (event.kind !== "approval_request") return;
      const { call_id } = event.data;
      queueMicrotask(() => s.session.answerApproval(call_id, { decision: "allow", by: "test" }));
    },
    script: [
      { error: lost("at once") },
      { text: "half", error: lost("in the middle") },
      {
        calls: [
          { name: "say", id: "a" },
          { name: "say", id: "b" },
        ],
      },
      { text: "done" },
      { text: "really" },
      { calls: [{ name: "hang", id: "h" }] },
    ],
  });
  await s.session.submit("one");
  await s.session.compact({ reason: "test", summarize: () => Promise.resolve(undefined) });
  await s.session.submit("two");
  await s.finish();
  return s.events;
}

const renumbered = (events: readonly SessionEvent[]): SessionEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1 }));

describe("the checker", () => {
  it("EV-01 notices each bracket that is missing, doubled or in the wrong place", async () => {
    const events = await richEvents();
    const kinds = new Set(events.map(({ kind }) => kind));
    for (const kind of ["retry", "approval_request", "tool_call_output_delta", "compaction_start"] as const)
      expect(kinds, kind).toContain(kind);
    const brackets = events.flatMap(({ kind }, index) =>
      /_(?:start|end|request|settled)$|^user_input$/.test(kind) ? [index] : [],
    );
    const missed: string[] = [];
    for (const index of brackets) {
      const [event] = events.slice(index, index + 1) as [SessionEvent];
      const without = renumbered(events.toSpliced(index, 1));
      const doubled = renumbered(events.toSpliced(index, 0, event));
      const late = renumbered([...events.toSpliced(index, 1), event]);
      if (!grammarError(without, { ended: true })) missed.push(`${index} ${event.kind} missing`);
      if (!grammarError(doubled, { ended: true }) && event.kind !== "user_input")
        missed.push(`${index} ${event.kind} doubled`);
      if (!grammarError(late) && event.kind !== "session_end") missed.push(`${index} ${event.kind} late`);
    }
    expect(missed).toEqual([]);
  });

  it("EV-01 accepts session_end anywhere only when the journal failed", () => {
    const event = (kind: string, seq: number, data: object): SessionEvent =>
      ({ kind, seq, timestamp: 0, session_id: "s", data }) as unknown as SessionEvent;
    const cut = (reason: string) => [
      event("session_start", 1, {}),
      event("user_input", 2, {}),
      event("turn_start", 3, {}),
      event("session_end", 4, { reason }),
    ];
    expect(grammarError(cut("error"), { ended: true })).toBeUndefined();
    expect(grammarError(cut("closed"))).toContain("event 3 (session_end): expected one of");
  });
});
