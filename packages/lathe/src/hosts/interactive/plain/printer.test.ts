import type { EventData, EventKind, SessionEvent } from "@lathe/agent";
import { Message } from "@lathe/llm";
import { expect, it } from "vitest";
import { LinePrinter } from "./printer.ts";

function printed(...events: readonly SessionEvent[]): string {
  let text = "";
  const printer = new LinePrinter({ write: (more) => (text += more) }, { color: false, columns: () => 60 });
  for (const event of events) printer.event(event);
  return text;
}

const event = <K extends EventKind>(kind: K, timestamp: number, data: EventData[K]): SessionEvent =>
  ({ kind, timestamp, data, seq: 1, session_id: "s" }) as SessionEvent;

const start = event("tool_call_start", 0, {
  call_id: "c",
  tool_name: "shell",
  label: "Run",
  summary: "make",
  card: { verb: "Running", subject: "make" },
  arguments: { command: "make" },
});
const end = (timestamp: number): SessionEvent =>
  event("tool_call_end", timestamp, {
    call_id: "c",
    tool_name: "shell",
    summary: "make",
    card: { verb: "Ran", subject: "make" },
    is_error: false,
    duration_ms: timestamp,
    entry_id: "e",
    message: Message.toolResult({ toolCallId: "c", content: "", isError: false }),
  });

it("the time a person took to say yes is not counted as the command's", () => {
  const asked = event("approval_request", 10, {
    call_id: "c",
    tool_name: "shell",
    label: "Run",
    summary: "make",
    arguments: { command: "make" },
    tier: "exec",
    preview: [{ text: "make" }],
    asked_by: ["permissions"],
  });
  const settled = event("approval_settled", 600_000, { call_id: "c", decision: "allow", by: "user" });
  expect(printed(start, asked, settled, end(602_000))).toBe("  ✓ shell make  2.0 s\n");
  expect(printed(start, end(5_000))).toBe("  ✓ shell make  5.0 s\n");
});

it("a call without anything to tell of it leaves no blanks behind", () => {
  expect(printed(start, end(10))).toBe("  ✓ shell make\n");
});

it("what jobs and agents report is not shown as the user's words, nor with the marks for the model", () => {
  const message = Message.user("x");
  const report = (source: EventData["steering_injected"]["source"] & object, content: string): SessionEvent =>
    event("steering_injected", 0, { content, entry_id: "e", message, source });
  const text = printed(
    report({ kind: "job" }, "<background_jobs>\njob 1: make\n</background_jobs>"),
    report(
      { kind: "agent", id: "scout" },
      '<agent_result agent="scout" status="completed">\nSYSTEM WARNING: Subagent exited without calling yield tool after 3 reminders.\n\nAll is well.\n</agent_result>',
    ),
  );
  expect(text).toContain("Background jobs ended with the earlier process.\n");
  expect(text).toContain("All is well.");
  expect(text).not.toMatch(/›|<|SYSTEM WARNING/);
});
