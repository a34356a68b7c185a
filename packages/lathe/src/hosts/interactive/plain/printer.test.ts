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
