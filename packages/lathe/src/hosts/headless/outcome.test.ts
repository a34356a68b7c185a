import type { FailureKind } from "@lathe/agent";
import { expect, it } from "vitest";
import { outcomeOf } from "./outcome.ts";

const said = (kind: FailureKind, message: string): string | undefined =>
  outcomeOf({ reason: "error", text: "", finish: "", denied: [], error: { kind, message } }).message;

it("advice is given once, also when the message has some of its own", () => {
  expect(said("network", "acme: the server answered with a web page; check the base URL.")).toBe(
    "acme: the server answered with a web page; check the base URL. Then try again: lathe -c",
  );
  expect(said("network", "http://x: the connection timed out (ETIMEDOUT).")).toBe(
    "http://x: the connection timed out (ETIMEDOUT). Check the connection and the base URL, then try again: lathe -c",
  );
  expect(said("storage", "It cannot be written: ENOSPC. Nothing more is recorded; free space or fix the folder.")).toBe(
    "It cannot be written: ENOSPC. Nothing more is recorded; free space or fix the folder. Or set LATHE_HOME to a folder that can be written, or keep nothing: --no-session",
  );
  const gone = "The session file s.jsonl was deleted while the session was open. Nothing more is recorded.";
  expect(said("storage", gone)).toBe(gone);
});

it("what a server says is shown without what a terminal would obey", () => {
  expect(said("invalid", "bad \u001b]0;title\u0007\u001b[31mred\nline")).toContain(
    "bad \\x1b]0;title\\x07\\x1b[31mred line",
  );
});
