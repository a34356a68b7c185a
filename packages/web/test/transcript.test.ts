// How events and entries become what the page shows of a session.

import type { DoorFrame, RpcSessionState, SessionSnapshot, WireEvent, WireMessage } from "lathe/client";
import { describe, expect, it } from "vitest";
import type { Item, WireEntry } from "../src/state/items.ts";
import { LOADING, reduceSession, type SessionAction, type SessionView } from "../src/state/session.ts";

const words = (text: string) => ({ kind: "text" as const, text });
const said = (role: "user" | "assistant", ...content: WireMessage["content"]): WireMessage => ({ role, content });
const call = (id: string) => ({
  kind: "tool_call" as const,
  toolCall: { id, name: "x", arguments: {}, type: "function" as const },
});
const card = (subject: string) => ({ verb: "Ran", subject });
const started = (toolCallId: string, nestedIn?: string): WireEvent => ({
  ...{ type: "tool_execution_start", toolCallId, toolName: "x", args: {}, card: card(toolCallId) },
  ...(nestedIn === undefined ? {} : { nestedIn }),
});
const ended = (toolCallId: string, isError = false): WireEvent => ({
  ...{ type: "tool_execution_end", toolCallId, toolName: "x", isError },
  ...{ result: { output: "" }, card: { ...card(toolCallId), outcome: "over" } },
});
const delta = (text: string): WireEvent => ({
  type: "message_update",
  assistantMessageEvent: { type: "text_delta", delta: text },
});
const message = (role: "user" | "assistant", ...content: WireMessage["content"]): WireEvent[] => [
  { type: "message_start", message: said(role, ...content) },
  { type: "message_end", message: said(role, ...content) },
];

const stateAt = (leafId: string | null) => ({ isStreaming: false, leafId }) as RpcSessionState;
const opened = (
  entries: readonly WireEntry[],
  more: Partial<SessionSnapshot> = {},
  start = 0,
  leafId = entries.at(-1)?.entryId ?? null,
): SessionAction => ({
  type: "opened",
  snapshot: { state: stateAt(leafId), lastEntryId: leafId, questions: [], clients: [], running: [], ...more },
  page: { entries, start, total: start + entries.length, leafId: null },
});
const follow = (view: SessionView, ...events: readonly WireEvent[]): SessionView =>
  events.reduce(
    (sofar, event, seq) => reduceSession(sofar, { type: "frame", frame: { seq, kind: "event", event } }),
    view,
  );
const frame = (view: SessionView, kind: DoorFrame): SessionView => reduceSession(view, { type: "frame", frame: kind });

const itemsOf = (view: SessionView): Item[] => [...view.past, ...view.live.items];
function lines(view: SessionView): string[] {
  return itemsOf(view).flatMap((item) => {
    if (item.kind === "call") return item.card ? `${item.state} ${item.card.subject}${item.live}` : [];
    if (item.kind === "picture") return "picture";
    return item.kind === "user" ? `${item.how}: ${item.text}` : `${item.kind}: ${item.text}`;
  });
}

const entryFields = (entryId: string) => ({ entryId, parentId: null, timestamp: "" });
const userEntry = (entryId: string, text: string): WireEntry => ({
  ...{ type: "user", ...entryFields(entryId), text, attached: [], images: [], how: "input" },
});
const answerEntry = (entryId: string, text: string, ...calls: readonly string[]): WireEntry => ({
  ...{ type: "assistant", ...entryFields(entryId) },
  parts: [words(text), ...calls.map((toolCallId) => ({ kind: "call" as const, toolCallId, toolName: "x" }))],
});
const resultEntry = (entryId: string, toolCallId: string): WireEntry => ({
  ...{ type: "results", ...entryFields(entryId) },
  results: [{ toolCallId, toolName: "x", isError: false, images: [], card: card(toolCallId) }],
});

const TURN: readonly WireEvent[] = [
  { type: "agent_start" },
  ...message("user", words("fix it")),
  { type: "turn_start" },
  { type: "message_start", message: said("assistant") },
  delta("I'll "),
  delta("look."),
  { type: "message_end", message: said("assistant", words("I'll look."), call("a"), call("b")) },
  started("b"),
  started("a"),
  ended("a"),
];

describe("a transcript from events", () => {
  it("M1 shows calls in the order of the answer, whichever begins and ends first", () => {
    const view = follow(reduceSession(LOADING, opened([])), ...TURN);
    expect(lines(view)).toEqual(["sent: fix it", "text: I'll look.", "done a", "running b"]);
    expect(view.live.isBusy).toBe(true);
  });

  it("M1 keeps the name of a text while it streams in and when it is whole, so that it is not drawn anew", () => {
    const streaming = follow(reduceSession(LOADING, opened([])), ...TURN.slice(0, 6));
    const whole = follow(streaming, ...TURN.slice(6, 9));
    expect(lines(streaming).at(-1)).toBe("text: I'll ");
    expect(itemsOf(whole)[1]?.key).toBe(itemsOf(streaming)[1]?.key);
    expect(new Set(itemsOf(whole).map(({ key }) => key)).size).toBe(itemsOf(whole).length);
  });

  it("M1 forgets an answer that was cut off and begins again, and says that it is retried", () => {
    const view = follow(
      reduceSession(LOADING, opened([])),
      ...TURN.slice(0, 7),
      { type: "message_end", message: said("assistant", words("I'll look.")), discarded: true },
      { type: "auto_retry_start", attempt: 2, delayMs: 4000, errorMessage: "Overloaded." },
    );
    expect(lines(view)).toEqual(["sent: fix it"]);
    expect(view.live.activity).toBe("Overloaded. Retrying in 4s (attempt 2)");
  });

  it("M1 puts calls of a call below it, and tells who waits for an answer, was denied or steered", () => {
    const view = follow(
      reduceSession(LOADING, opened([])),
      ...TURN,
      started("a2", "b"),
      started("a3", "b"),
      { type: "lathe:approval_request", toolCallId: "a3", toolName: "x", args: {} },
      ...message("user", words("only the tests")),
    );
    const places = ["sent: fix it", "text: I'll look.", "done a", "running b", "running a2", "waiting a3"];
    expect(lines(view)).toEqual([...places, "steered: only the tests"]);
    const denied = follow(view, {
      ...{ type: "lathe:approval_settled", toolCallId: "a3", decision: "deny", by: "host" },
    });
    expect(itemsOf(denied).find((item) => item.kind === "call" && item.callId === "a3")).toMatchObject({
      decision: "denied",
    });
  });

  it("N1 says at the end of an input what its checks have proven, and nothing in a session without checks", () => {
    const end = (more: object): WireEvent => ({ type: "agent_end", messages: [], reason: "completed", ...more });
    const after = (more: object) =>
      lines(follow(reduceSession(LOADING, opened([])), { type: "agent_start" }, end(more)));
    expect(after({})).toEqual([]);
    expect(after({ verification: "none", verificationReasons: [] })).toEqual([]);
    expect(after({ verification: "verified", verificationReasons: [] })).toEqual(["note: Verified."]);
    const reasons = ["a.test.js was deleted."];
    expect(after({ verification: "unverified", verificationReasons: reasons })).toEqual([
      "note: Not verified: a.test.js was deleted.",
    ]);
  });

  it("M1 says how an input ended, and leaves no call behind that never began", () => {
    const cut = follow(reduceSession(LOADING, opened([])), ...TURN.slice(0, 8), {
      ...{ type: "agent_end", messages: [], reason: "interrupted" },
    });
    expect(lines(cut)).toEqual(["sent: fix it", "text: I'll look.", "note: Interrupted."]);
    expect(itemsOf(cut)).toHaveLength(3);
    const failed = follow(
      cut,
      { type: "agent_start" },
      { type: "agent_end", messages: [], reason: "error", error: "No credit." },
    );
    expect(lines(failed).at(-1)).toBe("note: No credit.");
    expect(failed.live.isBusy).toBe(false);
  });

  it("M1 shows reports of jobs and agents as notes, and files that were sent along by name", () => {
    const view = follow(
      reduceSession(LOADING, opened([])),
      ...message("user", words('<agent_result agent="otter">\nAll found.\n</agent_result>')),
      ...message("user", words('<file path="a.ts">\ncode\n</file>'), words("read <b>this</b>")),
    );
    expect(itemsOf(view)).toMatchObject([
      { kind: "note", text: "An agent has ended", more: "All found." },
      { kind: "user", text: "read <b>this</b>", attached: ["a.ts"], pictures: [] },
    ]);
  });
});

describe("a session that was under way", () => {
  const entries = [userEntry("1", "fix it"), answerEntry("2", "I'll look.", "a", "b"), resultEntry("3", "a")];

  it("M1 begins with its entries and the running call, and goes on with events: nothing twice", () => {
    const view = reduceSession(LOADING, opened(entries, { running: [started("b")] }));
    expect(lines(view)).toEqual(["sent: fix it", "text: I'll look.", "done a", "running b"]);
    expect(lines(follow(view, ended("b"))).at(-1)).toBe("done b");
  });

  it("M1 shows a message once with which an input goes on in another process, also when the page was opened in between", () => {
    const [begins, ends] = message("user", words("fix it")).map((event) => ({ ...event, entryId: "1" }) as WireEvent);
    const state = { ...stateAt("3"), isStreaming: true };
    const running: WireEvent[] = [{ type: "agent_start" }, begins!];
    const view = follow(reduceSession(LOADING, opened(entries, { state, running })), ends!, delta("Done."));
    expect(lines(view)).toEqual(["sent: fix it", "text: I'll look.", "done a", "text: Done."]);
  });

  it("M1 shows a call once that waits for an answer or has not begun, in a page that was opened meanwhile", () => {
    const [user, answer] = entries as [WireEntry, Extract<WireEntry, { type: "assistant" }>];
    const parts = answer.parts.map((part) => (part.kind === "call" ? { ...part, card: card(part.toolCallId) } : part));
    const cut = [user, { ...answer, parts }];
    const asks: WireEvent = { type: "lathe:approval_request", toolCallId: "a", toolName: "x", args: {} };
    const state = { ...stateAt("2"), isStreaming: true };
    const view = reduceSession(LOADING, opened(cut, { state, running: [started("a"), asks] }));
    expect(lines(view)).toEqual(["sent: fix it", "text: I'll look.", "waiting a"]);
    const over = follow(view, ended("a"), started("b"), ended("b"));
    expect(lines(over)).toEqual(["sent: fix it", "text: I'll look.", "done a", "done b"]);
    const left = reduceSession(LOADING, opened(cut));
    expect(lines(left).slice(2)).toEqual(["skipped a", "skipped b"]);
    expect(lines(follow(left, { type: "agent_start" }, started("a"), started("b"))).slice(2)).toEqual([
      "running a",
      "running b",
    ]);
  });

  it("M1 leaves entries to the events that are newer than the snapshot", () => {
    const later = [...entries, resultEntry("4", "b"), answerEntry("5", "Done.")];
    const view = reduceSession(LOADING, opened(later, { running: [started("b")] }, 0, "3"));
    const over = follow(view, ended("b"), ...message("assistant", words("Done.")));
    expect(lines(over)).toEqual(["sent: fix it", "text: I'll look.", "done a", "done b", "text: Done."]);
  });

  it("M1 shows the same after a reload as before it", () => {
    const before = follow(reduceSession(LOADING, opened([])), ...TURN, ended("b"));
    const after = reduceSession(LOADING, opened([...entries, resultEntry("4", "b")]));
    expect(lines(after)).toEqual(lines(before));
  });

  it("M1 takes older pages in front of what is there: a result finds its call, and names stay", () => {
    const view = reduceSession(LOADING, opened(entries.slice(2), {}, 2));
    expect(view.olderEntries).toBe(2);
    const page = { entries: entries.slice(0, 2), start: 0, total: 3, leafId: null };
    const older = reduceSession(view, { type: "older", page });
    expect(lines(older)).toEqual(["sent: fix it", "text: I'll look.", "done a"]);
    expect(older.olderEntries).toBe(0);
    expect(reduceSession(older, { type: "older", page })).toBe(older);
  });

  it("M1 asks each question once, and says whose answer counted", () => {
    const question = { type: "extension_ui_request", id: "q", method: "confirm", title: "Run it?" } as const;
    const asked = frame(reduceSession(LOADING, opened([])), { seq: 1, kind: "question", question });
    expect(asked.questions).toEqual([question]);
    const settled = frame(asked, { seq: 2, kind: "settled", questionId: "q", by: "phone" });
    expect(settled).toMatchObject({ questions: [], settled: { title: "Run it?", by: "phone" } });
  });
});
