// Everything that the scripted server can do wrong, and the expected outcome in every mode: while the fault lasts, and
// when it happens once and the next attempt is answered.

import { type Fault, type Turn, text, turn } from "@lathe/testkit";

/** How an input ends: with the answer, a failure of the provider (exit code 3), or of the agent (exit code 1). */
export type End = "answer" | "provider error" | "failed";

export interface ServerFault {
  readonly name: string;
  readonly turn: Turn;
  readonly once: End;
  /** Absent if the model would repeat itself until a limit ends the run. */
  readonly lasting?: End;
  /** The library has no compaction unless its host provides it. */
  readonly onceInLibrary?: End;
  /** Only in modes where the tests can handle megabytes: neither at the terminal nor in an editor. */
  readonly withoutScreen?: true;
  /** Tried in every run of the tests, not only by `npm run test:faults`. */
  readonly short?: true;
}

/** The server's text if its fault does no harm. */
export const FAULTY_ANSWER = "a text that comes in several events, so that it can be cut";
const WORDS = turn.text(FAULTY_ANSWER, { deltaChars: 8 });
const LONG_LINES = turn.text(`${"x".repeat(7_998)}\n\n`, { deltaChars: 8_000 });
const CALL = turn.calls([{ name: "shell", args: { command: "touch must-not-run" } }], { deltaChars: 8 });

/** A failure that may pass, so it is retried. */
const temporary = { lasting: "provider error", once: "answer" } as const;
/** Retrying would not help. */
const final = { lasting: "provider error", once: "provider error" } as const;
/** The answer is complete anyway. */
const harmless = { lasting: "answer", once: "answer" } as const;

/** Older messages are summarized and the request is sent again. */
const tooLarge = { lasting: "failed", once: "answer", onceInLibrary: "failed" } as const;

const withFault = (fault: Fault, base = WORDS): Turn => turn.withFault(fault, base);

/** By kind, so that a new kind of fault in the testkit does not compile until it is listed here. */
const BY_KIND: Readonly<Record<Fault["kind"], readonly ServerFault[]>> = {
  status: [
    { name: "400 bad request", turn: turn.error(400), ...final },
    { name: "401 key refused", turn: turn.error(401), ...final },
    { name: "403 forbidden", turn: turn.error(403), ...final },
    { name: "404 unknown model", turn: turn.error(404), ...final },
    { name: "408 request timeout", turn: turn.error(408), ...temporary },
    { name: "413 request too large", turn: turn.error(413), ...tooLarge },
    { name: "422 cannot be processed", turn: turn.error(422), ...final },
    { name: "429 rate limit", turn: turn.error(429, { retryAfterMs: 1 }), ...temporary },
    { name: "429, retry after ten minutes", turn: turn.error(429, { retryAfter: 600 }), ...final },
    { name: "500 server error", turn: turn.error(500), ...temporary },
    {
      name: "502 from a proxy, as a web page",
      turn: turn.error(502, { body: "<html>Bad Gateway</html>" }),
      ...temporary,
    },
    { name: "503 unavailable", turn: turn.error(503), ...temporary },
    { name: "529 overloaded", turn: turn.error(529), ...temporary },
  ],
  cut: [
    {
      name: "connection reset before the status line",
      turn: withFault({ kind: "cut", at: "before-head" }),
      ...temporary,
    },
    { name: "connection reset after the head", turn: withFault({ kind: "cut", at: "after-head" }), ...temporary },
    {
      name: "connection reset after the first byte",
      turn: withFault({ kind: "cut", at: "after-first-byte" }),
      ...temporary,
    },
    { name: "connection reset inside an event", turn: withFault({ kind: "cut", at: "inside-json" }), ...temporary },
    { name: "connection reset after 400 bytes", turn: withFault({ kind: "cut", at: { bytes: 400 } }), ...temporary },
    {
      name: "network lost in the middle of a text",
      turn: withFault({ kind: "cut", at: { events: 5 } }),
      ...temporary,
      short: true,
    },
    {
      name: "network lost in the middle of a call's arguments",
      turn: withFault({ kind: "cut", at: { events: 4 } }, CALL),
      ...temporary,
    },
  ],
  malformed: [
    { name: "line that is not an event", turn: withFault({ kind: "malformed", beforeEvent: 3 }), ...temporary },
  ],
  "wrong-length": [
    { name: "body shorter than announced", turn: withFault({ kind: "wrong-length", by: 10 }), ...harmless },
    { name: "body longer than announced", turn: withFault({ kind: "wrong-length", by: -10 }), ...temporary },
  ],
  stall: [
    { name: "silence after the head", turn: withFault({ kind: "stall", afterEvents: 0 }), ...temporary },
    { name: "silence in the middle of a text", turn: withFault({ kind: "stall", afterEvents: 5 }), ...temporary },
    { name: "silence in the middle of a call", turn: withFault({ kind: "stall", afterEvents: 4 }, CALL), ...temporary },
  ],
  endless: [
    { name: "endless answer", turn: withFault({ kind: "endless" }, LONG_LINES), ...temporary, withoutScreen: true },
  ],
  "duplicate-terminal": [{ name: "end sent twice", turn: withFault({ kind: "duplicate-terminal" }), ...harmless }],
  "missing-terminal": [
    { name: "stream without its last event", turn: withFault({ kind: "missing-terminal" }), ...harmless },
  ],
  "stream-error": [
    { name: "error event: overloaded", turn: streamError("overloaded"), ...temporary },
    { name: "error event: rate limit", turn: streamError("rate_limit"), ...temporary },
    { name: "error event: server error", turn: streamError("server"), ...temporary },
    { name: "error event: bad request", turn: streamError("invalid"), ...final },
    { name: "error event: context full", turn: streamError("context_length"), ...tooLarge },
  ],
};

function streamError(error: "overloaded" | "rate_limit" | "server" | "invalid" | "context_length"): Turn {
  return withFault({ kind: "stream-error", afterEvents: 3, error });
}

const never = (): Promise<void> => new Promise(() => {});

/** Responses that belong to no dialect. */
const RAW: readonly ServerFault[] = [
  {
    name: "server that accepts the request and never answers",
    turn: turn.text("never", { before: never }),
    ...temporary,
  },
  { name: "empty body with status 200", turn: turn.raw({}), ...temporary },
  {
    name: "web page with status 200",
    turn: turn.raw({ headers: { "content-type": "text/html" }, chunks: ["<html>Log in</html>"] }),
    ...temporary,
  },
  { name: "redirect", turn: turn.raw({ status: 302, headers: { location: "http://127.0.0.1:9/" } }), ...final },
  { name: "answer without content", turn: turn.blocks([]), lasting: "failed", once: "failed" },
  {
    name: "answer cut at the output limit",
    turn: turn.text("half", { stop: "length" }),
    lasting: "failed",
    once: "failed",
  },
  {
    name: "call cut at the output limit",
    turn: turn.blocks([text("now"), ...CALL.blocks], { stop: "length" }),
    once: "answer",
  },
  {
    name: "answer that was filtered",
    turn: turn.text("no", { stop: "content_filter" }),
    lasting: "failed",
    once: "failed",
  },
];

export const SERVER_FAULTS: readonly ServerFault[] = [...Object.values(BY_KIND).flat(), ...RAW];
