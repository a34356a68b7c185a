import type { SessionEvent } from "@lathe/agent";
import { Message } from "@lathe/llm";
import { call as callBlock, text, thinking, turn } from "@lathe/testkit";
import { rowText } from "@lathe/tui";
import { describe, expect, it } from "vitest";
import { reportLine } from "../../src/sessions/reports.ts";
import {
  agentIs,
  answerEnd,
  callEnd,
  callStart,
  event,
  input,
  inputEnd,
  output,
  textDelta,
  textStart,
  thought,
  turnEnd,
  turnStart,
} from "./events.ts";
import { contextOf, grid, Shown, world } from "./kit.ts";

const SECOND = 1000;

describe("the transcript of a session", () => {
  it("calls that run at the same time stand in the order of the answer, whichever ends first, and none twice", () => {
    const shown = new Shown(80).play(turnStart(0), answerEnd("", ["a", "b", "c"], 1));
    shown.play(callStart("b", 2), callStart("a", 3), callStart("c", 4));
    shown.play(callEnd("c", 5), callEnd("b", 6));
    expect(shown.scrollback).toBe("");
    expect(shown.live).toBe("● Running a\n✓ Ran b\n✓ Ran c");
    shown.play(callEnd("a", 7));
    expect([shown.scrollback, shown.live]).toEqual(["✓ Ran a\n✓ Ran b\n✓ Ran c", ""]);
  });

  it("a running command shows its last five lines, how many are hidden and for how long it runs; then how long it took", () => {
    const shown = new Shown(80).play(turnStart(0), answerEnd("", ["make"], 0), callStart("make", 0));
    for (let line = 1; line <= 8; line++) shown.play(output("make", `tick ${line}\n`, line * 500));
    shown.play(output("make", "\u001b[32mdownl", 4000), output("make", "oad 10%\rdownload 20%", 4100));
    expect(shown.live).toBe(
      "● Running make · 4s\n  … 4 earlier lines (ctrl+o)\n  tick 5\n  tick 6\n  tick 7\n  tick 8\n  download 20%",
    );
    const body = { kind: "output", text: "tick 9\n", keeps: "tail", collapsed: 5 } as const;
    shown.play(callEnd("make", 5230, { verb: "Ran", subject: "make", outcome: "exit 2", body }, "exit 2"));
    expect(shown.scrollback).toBe("✗ Ran make · exit 2 · took 5.2s\n  … 8 earlier lines (ctrl+o)\n  tick 9");
  });

  it("output of a million lines is kept to a few of them", () => {
    const shown = new Shown(80).play(turnStart(0), answerEnd("", ["yes"], 0), callStart("yes", 0));
    for (let i = 0; i < 100; i++) shown.play(output("yes", "y\n".repeat(10_000), 1));
    expect(shown.live).toContain("999995 earlier lines");
    expect(shown.transcript.render(shown.context)).toHaveLength(7);
  });

  it("text appears as it streams, and each row goes to the scrollback once", () => {
    const shown = new Shown(40).play(input("hello"), turnStart(1), textStart(1));
    const answer = "# Result\n\nThe *first* paragraph is long enough for two rows.\n\n- one\n- two\n\nThe end.";
    for (let at = 0; at < answer.length; at += 3) shown.play(textDelta(answer.slice(at, at + 3), 2));
    expect(shown.live).toContain("The end.");
    shown.play(answerEnd(answer, [], 3), turnEnd(3), inputEnd(4));
    expect(shown.live).toBe("");
    expect(shown.scrollback).toBe(
      [
        "❯ hello",
        "",
        "Result",
        "",
        "The first paragraph is long enough for",
        "two rows.",
        "",
        "• one",
        "• two",
        "",
        "The end.",
        "",
        "claude-opus-4-6 · 0.0s · $0.0123",
      ].join("\n"),
    );
  });

  it("a call that another one makes stands below it, whatever runs beside them", () => {
    const shown = new Shown(60).play(turnStart(0), answerEnd("", ["cell", "other"], 0));
    const nested = (begun: SessionEvent): SessionEvent =>
      ({ ...begun, data: { ...begun.data, nested_in: "cell" } }) as SessionEvent;
    shown.play(callStart("cell", 1), callStart("other", 1), nested(callStart("cell/1", 2)));
    shown.play(nested(callEnd("cell/1", 3)), callEnd("cell", 4), callEnd("other", 5), turnEnd(5));
    expect(shown.scrollback.match(/(?:↳ )?Ran \S+/g)).toEqual(["Ran cell", "↳ Ran cell/1", "Ran other"]);
  });

  it("a warning in the middle of a text does not tear it apart", () => {
    const shown = new Shown(60).play(turnStart(0), textStart(0), textDelta("one **bo", 1));
    shown.play(event("warning", 2, { message: "the disk is\nnearly full", code: "disk" }));
    shown.play(textDelta("ld** word", 3), answerEnd("one **bold** word", [], 4));
    expect(shown.scrollback).toBe("one bold word\n\n⚠ the disk is nearly full");
  });

  it.each([
    ["shown", "let me see\nand think", "let me see\nand think\n\nYes."],
    ["folded", "Thinking 2s  and think", "Thought for 2.0s\n\nYes."],
    ["hidden", "", "Yes."],
  ] as const)("thoughts are %s", (thinkingMode, live, committed) => {
    const shown = new Shown(60, { thinking: thinkingMode }).play(turnStart(0), textStart(0));
    shown.play(thought("let me see\n", 100), thought("and think", 2100));
    expect([shown.scrollback, shown.live].filter((part) => part !== "").join("\n")).toBe(live);
    shown.play(textDelta("Yes.", 2100), answerEnd("Yes.", [], 2200));
    expect(shown.scrollback).toBe(committed);
  });

  it("a retry is one line with attempt and countdown, and goes when the answer comes", () => {
    const shown = new Shown(80).play(input("go"), turnStart(0), textStart(0), textDelta("half an ans", 1));
    const message = "overloaded (529)";
    shown.play(
      event("retry", 2 * SECOND, {
        attempt: 1,
        delay_ms: 4000,
        discards: true,
        kind: "overloaded",
        error_type: "E",
        message,
      }),
    );
    expect(shown.live).toBe("⚠ anthropic: overloaded (529) · retrying in 4s (attempt 2)");
    shown.now = 4.5 * SECOND;
    expect(shown.live).toContain("retrying in 2s");
    shown.play(textStart(6 * SECOND), textDelta("Whole.", 6 * SECOND), answerEnd("Whole.", [], 6 * SECOND));
    expect([shown.scrollback, shown.live]).toEqual(["❯ go\n\nWhole.", ""]);
  });

  it("what was read of an answer that failed half-way is followed by a word about it", () => {
    const shown = new Shown(80).play(turnStart(0), textStart(0), textDelta("First paragraph.\n\nSecond", 1));
    shown.play(
      event("retry", 2, { attempt: 1, delay_ms: 0, discards: true, kind: "network", error_type: "E", message: "m" }),
    );
    shown.play(textStart(3), textDelta("First paragraph.", 3), answerEnd("First paragraph.", [], 3));
    expect(shown.scrollback).toBe(
      "First paragraph.\n\n⚠ The answer was cut off and is starting over.\n\nFirst paragraph.",
    );
  });

  it("a decision is recorded in the headline, and the time a person took is not the call's", () => {
    const shown = new Shown(80).play(turnStart(0), answerEnd("", ["make"], 0), callStart("make", 0));
    shown.play(
      event("approval_request", 1, {
        call_id: "make",
        tool_name: "t",
        label: "T",
        summary: "make",
        arguments: {},
        tier: "exec",
        preview: [],
        asked_by: ["permissions"],
      }),
    );
    expect(shown.live).toBe("○ Running make · waiting for your answer");
    expect(shown.transcript.activity?.text).toBeUndefined();
    shown.play(event("approval_settled", 600 * SECOND, { call_id: "make", decision: "allow", by: "user" }));
    shown.play(callEnd("make", 602 * SECOND));
    expect(shown.scrollback).toBe("✓ Ran make · allowed by you · took 2.0s");
  });

  it("CO-09 a compaction that fails is said once, by its warning", () => {
    const shown = new Shown(80);
    shown.play(event("compaction_start", 0, { reason: "manual", tokens_before: 10 }));
    shown.play(event("compaction_end", 9, { error: "there is nothing to compact" }));
    shown.play(event("warning", 9, { message: "There is nothing to compact.", code: "nothing_to_compact" }));
    expect(shown.scrollback.match(/nothing to compact/g)).toHaveLength(1);
  });

  it("CO-09 a compaction is a slim divider whose summary opens on demand", () => {
    const shown = new Shown(80, { summaryOf: (id) => (id === "c1" ? "We **added** a flag." : undefined) });
    shown.play(event("compaction_start", 0, { reason: "threshold", tokens_before: 180_000 }));
    expect(shown.live).toBe("● Summarizing earlier messages (180k tokens)  0s");
    shown.play(event("compaction_end", 9, { entry_id: "c1", tokens_after: 24_000 }));
    expect([shown.scrollback, shown.live]).toEqual([
      `── Earlier messages summarized, 180k → 24.0k tokens (ctrl+o shows the summary) ─`,
      "",
    ]);
    const block = shown.transcript.blocks().at(-1);
    expect(grid(block?.rows(shown.context) ?? [], 80)).toContain("We added a flag.");
  });

  it("SA-08 each agent has one line: state, time, cost, what it is for and what it does", () => {
    const shown = new Shown(100).play(input("go"), turnStart(0));
    const callers = {
      agentId: "Callers",
      description: "Find all callers",
      assignment: "Find all callers\nof mul",
      startedAt: 0,
    };
    const docs = { agentId: "Docs", assignment: "Write the docs", startedAt: SECOND };
    shown.play(
      agentIs("agent_lifecycle", callers),
      agentIs("agent_progress", { ...callers, cost: 0.02, doing: "Searching mul in src" }),
      agentIs("agent_lifecycle", docs),
    );
    shown.now = 3 * SECOND;
    expect(shown.live).toBe(
      "● Callers · 3s · $0.0200  Find all callers → Searching mul in src\n● Docs · 2s  Write the docs",
    );
    shown.play(
      agentIs("agent_lifecycle", { ...callers, state: "idle", status: "completed", cost: 0.05, endedAt: 4 * SECOND }),
      agentIs("agent_lifecycle", { ...docs, state: "idle", status: "failed", endedAt: 5 * SECOND }),
      agentIs("agent_lifecycle", { ...callers, state: "parked", status: "completed", cost: 0.05, endedAt: 4 * SECOND }),
    );
    expect(shown.scrollback).toBe(
      "❯ go\n\n✓ Callers · took 4.0s · $0.0500  Find all callers\n✗ Docs · took 4.0s  Write the docs",
    );
    expect(shown.live).toBe("");
  });

  it("SA-01 what an agent hands over is a line of its own words, without what is there for the model", () => {
    const said = (output: string, status = "completed") =>
      reportLine(
        { kind: "agent", id: "A" },
        `<agent_result id="A" agent="explore" status="${status}">\n${output}\n[A is idle and takes further messages; its transcript is at history://A]\n</agent_result>`,
      );
    expect(said("Two callers.\n[both] in main.ts")).toBe("A: Two callers. [both] in main.ts");
    expect(said("the user stopped it", "failed")).toBe("A failed: the user stopped it");
    expect(said("x".repeat(300))).toBe(`A: ${"x".repeat(200)}… (/agents A)`);
  });

  it("cards name files from the working directory, and commands as they are", () => {
    const shown = new Shown(80, { cwd: () => "/home/my app" }).play(input("go"), turnStart(0));
    const show = (id: string, card: Parameters<typeof callEnd>[2] & object) =>
      shown.play(callStart(id, 0, card), callEnd(id, 1, card));
    show("a", { verb: "Edited", subject: "/home/my app/src/a.ts, /x/home/my app/b.ts", namesFiles: true });
    show("b", {
      verb: "Searched",
      subject: "flag in /home/my app/lib, /home/my app, /home/my apps",
      namesFiles: true,
      group: "explored",
    });
    show("c", { verb: "Listed", subject: "/home/my app", namesFiles: true, group: "explored" });
    show("d", { verb: "Ran", subject: "/home/my app/run.sh" });
    shown.play(answerEnd("done", [], 2), turnEnd(2), inputEnd(3));
    expect(shown.scrollback).toContain("Edited src/a.ts, /x/home/my app/b.ts");
    expect(shown.scrollback).toContain("searched flag in lib, ., /home/my apps; listed .");
    expect(shown.scrollback).toContain("Ran /home/my app/run.sh");
  });

  it("an error ends with the same advice as in print mode, once", () => {
    const error = { message: "invalid x-api-key", kind: "auth", type: "AuthenticationError" } as const;
    const shown = new Shown(80).play(input("go"), turnStart(0));
    shown.play(event("error", 1, { message: error.message, kind: "auth", error_type: error.type, fatal: false }));
    shown.play(event("turn_end", 1, { turn: 1, outcome: "failed" }), inputEnd(2, { reason: "error", error }));
    expect(shown.scrollback.split("\n\n")[1]).toBe("✗ invalid x-api-key. Check the key: lathe auth status");
    expect(shown.scrollback.match(/x-api-key/g)).toHaveLength(1);
  });

  it("what was cut short leaves nothing running on the screen", () => {
    const shown = new Shown(80).play(input("go"), turnStart(0), answerEnd("", ["a", "b"], 0), callStart("a", 0));
    shown.play(event("session_end", 1, { state: "closed", reason: "error", error: "the disk is full" }));
    expect([shown.live, shown.transcript.activity]).toEqual(["", undefined]);
    expect(shown.scrollback).toBe("❯ go\n\n✗ Running a · no result\n\n✗ the disk is full");
  });

  it("a message that the host has shown at once is not shown again when the session has it", () => {
    const shown = new Shown(80);
    shown.transcript.user("hello");
    shown.commit();
    expect(shown.scrollback).toBe("❯ hello");
    shown.play(
      input("hello"),
      event("steering_injected", 2, { content: "and tests", entry_id: "e", message: Message.user("and tests") }),
    );
    expect(shown.scrollback).toBe("❯ hello\n\n❯ and tests\n  while it worked");
  });

  it("says what is being waited for, never one word for everything", () => {
    const shown = new Shown(80);
    const said = (...events: readonly SessionEvent[]): string | undefined =>
      shown.play(...events).transcript.activity?.text;
    expect([
      said(),
      said(input("go"), turnStart(1)),
      said(textStart(2), thought("hm", 2)),
      said(textDelta("Yes", 3)),
      said(event("tool_call_args_delta", 4, { call_id: "a", tool_name: "write_file", delta: "{" })),
      said(answerEnd("Yes", ["a", "b"], 5), callStart("a", 5)),
      said(callStart("b", 6)),
      said(
        callEnd("a", 7),
        callEnd("b", 7),
        turnEnd(7),
        event("compaction_start", 7, { reason: "r", tokens_before: 1 }),
      ),
      said(event("compaction_end", 8, {}), inputEnd(9)),
    ]).toEqual([
      undefined,
      "Waiting for the model",
      "Thinking",
      "Answering",
      "Preparing a tool call",
      "Running",
      "2 calls running",
      "Summarizing earlier messages",
      undefined,
    ]);
  });

  it("twenty commands at once leave room for the editor", () => {
    const ids = Array.from({ length: 20 }, (_, i) => `command ${i}`);
    const shown = new Shown(60, {}, 24).play(input("go"), turnStart(0), answerEnd("", ids, 0));
    for (const id of ids) shown.play(callStart(id, 1), output(id, "one\ntwo\nthree\nfour\nfive\nsix\n", 2));
    expect(shown.live.split("\n").length).toBeLessThanOrEqual(16);
    expect(shown.live).toMatch(/^… \d+ more rows above\n/);
    expect(
      new Shown(60, {}, 24).play(
        turnStart(0),
        ...ids.slice(0, 2).flatMap((id) => [callStart(id, 1), output(id, "x\n", 1)]),
      ).live,
    ).toBe("● Running command 0\n  x\n\n● Running command 1\n  x");
  });

  it("two thousand turns: what is kept does not grow", () => {
    const shown = new Shown(80);
    const live = new Set<number>();
    for (let i = 0; i < 2000; i++) {
      shown.play(
        input(`go ${i}`),
        turnStart(0),
        textStart(0),
        textDelta("text\n\nmore", 0),
        answerEnd("text\n\nmore", ["a"], 0),
      );
      shown.play(callStart("a", 0), output("a", "x\n", 0), callEnd("a", 0), turnEnd(0), inputEnd(0));
      live.add(shown.transcript.render(shown.context).length);
    }
    expect([...live]).toEqual([0]);
    expect(shown.transcript.blocks().length).toBeLessThanOrEqual(60);
  });

  it("an unchanged transcript is the same rows, so that nothing is painted", () => {
    const shown = new Shown(80).play(input("go"), turnStart(0), callStart("a", 0));
    const { transcript, context } = shown;
    expect(transcript.render(context)).toBe(transcript.render(context));
    shown.now = 1500;
    expect(transcript.ticks && transcript.render(context).map(rowText)).toEqual(["", "● Running a · 1s"]);
  });

  it("a session that is opened again looks as it did", async () => {
    const call = (name: string, args: unknown) => callBlock({ name, args });
    const { session, events, close } = await world(
      [
        turn.blocks([
          thinking("hm"),
          text("I'll **look**."),
          call("read_file", { file_path: "a.ts" }),
          call("grep", { pattern: "x" }),
        ]),
        turn.blocks([
          call("edit_file", { file_path: "a.ts", old_string: "x = 1", new_string: "x = 2" }),
          call("shell", { command: "echo a; echo b; exit 1" }),
          call("read_file", { file_path: "none.ts" }),
        ]),
        turn.text("Done."),
        turn.text("You are welcome."),
      ],
      { "a.ts": "const x = 1\n" },
    );
    await session.submit("change x");
    await session.submit("thanks");
    const shown = new Shown(80);
    const past = (turns?: number): string => grid(shown.transcript.past(session, contextOf(80), turns).flat(), 80);
    const all = past();
    const last = past(1);
    await close();
    const before = new Shown(80).play(...events).scrollback.split("\n\n");
    expect(all.split("\n\n")).toEqual(before.filter((block) => !block.startsWith("claude-opus-4-6 · ")));
    expect(last).toBe("❯ thanks\n\nYou are welcome.");
  });
});
