// Made-up journals: every line has a correct checksum, and anything else may be wrong with it. We start from a sound
// journal with a line of every kind; each change replaces one value somewhere in it.

import fc from "fast-check";
import { crc32 } from "../../src/record/journal/checksum.ts";
import { encodeLine } from "../../src/record/journal/line.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Line = { readonly [key: string]: Json };

const timestamp = "2026-01-01T00:00:00.000Z";
const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12, cacheReadTokens: 1 };
const origin = { provider: "p", model: "m" };
const text = (words: string): Json => ({ kind: "text", text: words });
const call = (id: string, name = "echo"): Json => ({
  kind: "tool_call",
  toolCall: { id, name, arguments: { path: "a", deep: { list: [1, 2] } }, type: "function", signature: "s", origin },
});

/** One line of every kind, and of every kind of state that the loop and the product keep in them. */
export function soundLines(cwd = "/w"): Line[] {
  const lines: Line[] = [{ type: "session", version: 4, id: "0".repeat(32), timestamp, cwd, title: "A title" }];
  let parentId: string | null = null;
  let count = 0;
  const entry = (type: string, rest: Line, id = `e${String(count++).padStart(7, "0")}`): string => {
    lines.push({ type, id, parentId, timestamp, ...rest });
    parentId = id;
    return id;
  };
  const line = (type: string, rest: Line): void => void lines.push({ type, ...rest, timestamp });
  const answer = (content: Json[], more: Line = {}, id?: string): string =>
    entry(
      "message",
      {
        message: { role: "assistant", content },
        provider: "p",
        model: "m",
        responseId: "r",
        usage,
        cost: 0.5,
        finishReason: { reason: "stop", raw: "end_turn" },
        ...more,
      },
      id,
    );
  const result = (toolCallId: string, content: Json, more: Line = {}, id?: string): string => {
    const toolResult = {
      toolCallId,
      content,
      isError: false,
      images: [{ data: "blob:base64:AAAA", mediaType: "image/png" }],
    };
    return entry(
      "message",
      { message: { role: "tool", toolCallId, content: [{ kind: "tool_result", toolResult }] }, ...more },
      id,
    );
  };

  entry("model_change", { model: "p/m", role: "default" });
  entry("thinking_level_change", { thinkingLevel: "high" });
  entry("service_tier_change", { serviceTier: null });
  entry("mode_change", { mode: "plan", data: { a: 1 } });
  entry("session_init", { systemPrompt: "s", task: "t", tools: ["a"] });
  entry("ttsr_injection", { injectedRules: ["r"] });
  entry("mcp_tool_selection", { selectedToolNames: ["x"] });
  line("prefix", { systemPrompt: "0".repeat(64), tools: "1".repeat(64), environment: "2".repeat(64), reason: "first" });
  const prompt = entry("message", {
    message: {
      role: "user",
      content: [
        text("findable words"),
        { kind: "image", image: { data: "blob:base64:AAAA", mediaType: "image/png" } },
        { kind: "document", document: { url: "https://example.test/a.pdf", fileName: "a.pdf" } },
      ],
    },
    origin: "input",
  });
  line("input", { state: "start", entryId: prompt });
  line("intent", { id: "i0000001", for: "o0000001", effect: "request", replay: "safe" });
  answer(
    [
      { kind: "thinking", thinking: { text: "hm", signature: "s", redacted: false, origin } },
      text("words"),
      call("c1"),
      call("c2"),
      { kind: "unknown", raw: { type: "x" }, origin },
    ],
    { finishReason: { reason: "tool_calls" } },
    "o0000001",
  );
  line("decision", { callId: "c1", decision: "allow", by: "rule", reason: "because" });
  line("intent", { id: "i0000002", for: "o0000002", effect: "tool", callId: "c1", tool: "echo", replay: "never" });
  const details = {
    filePath: "a.txt",
    diff: "+a\n-b",
    perFileResults: [{ filePath: "b", diff: "+c" }],
    awaiting: false,
  };
  result("c1", "output", { details, artifact: { id: 0, bytes: 10 }, durationMs: 5 }, "o0000002");
  result("c2", { a: [1] }, { settled: "skipped" });
  line("settle", { intentId: "i0000009", outcome: "failed", error: "e", usage, cost: 0.1 });
  const done = answer([text("done")]);
  entry("label", { targetId: done, label: "here" });
  line("title", { title: "Another title", source: "user" });
  line("snapshot", { phase: "after", entryId: done, blob: "3".repeat(64) });
  line("host", {
    kind: "totals",
    data: { leaf: done, turns: 2, spent: { tokens: 24, usd: 1, wallMs: 5, turns: 2 }, usage },
  });
  line("host", { kind: "queue", data: { queue: "steering", change: "added", id: "q0000001", content: "later" } });
  line("host", {
    kind: "agent",
    data: {
      agentId: "a0000001",
      parentSession: "s",
      parentCall: "c1",
      cwd,
      for: "o0000003",
      maxTurns: 5,
      model: "p/m",
    },
  });
  const ended = { agentId: "a0000001", status: "completed", output: "ok", turnsUsed: 1, usage, cost: 0.1, turns: 1 };
  entry("custom", { customType: "agent", data: ended }, "o0000003");
  entry("custom", { customType: "todo", data: [{ name: "phase", items: [{ text: "x", status: "done" }] }] });
  entry("custom_message", { customType: "note", content: [text("shown")], display: true, attribution: "agent" });
  entry("custom_message", { customType: "note", content: "shown", display: true, attribution: "user" });
  entry("branch_summary", { fromId: prompt, summary: "left", details: { a: 1 } });
  entry("prune", { prune: [done], media: "gone" });
  entry("compaction", {
    summary: "so far",
    shortSummary: "s",
    firstKeptEntryId: done,
    tokensBefore: 10,
    details: { keep: [prompt] },
    preserveData: {
      snapcompact: { frames: [{ data: "blob:base64:AAAA", mediaType: "image/png", detail: "original" }], dropped: 1 },
    },
  });
  line("leaf", { entryId: done });
  line("seal", { torn: 3 });
  line("input", { state: "end", entryId: prompt, reason: "completed" });
  const second = entry("message", { message: { role: "user", content: [text("again")] }, origin: "input" });
  line("input", { state: "start", entryId: second });
  line("intent", { id: "i0000003", for: "o0000004", effect: "request", replay: "safe" });
  answer([call("c3"), call("c4")], {}, "o0000004");
  line("intent", { id: "i0000004", for: "o0000005", effect: "tool", callId: "c3", tool: "echo", replay: "never" });
  line("intent", { id: "i0000005", for: "o0000006", effect: "child", callId: "c4", replay: "never" });
  return lines;
}

const ids = ["e0000000", "e0000008", "o0000001", "o0000004", "i0000001", "nowhere", "", "../../up", "\u001b[31m"];
const odd: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom<Json | undefined>(
    undefined,
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    "",
    "text",
    [],
    {},
    [null],
    [{}],
    [[]],
    "\ud800",
  ),
  fc.constantFrom<Json>(...ids),
  fc.constantFrom<Json>(
    "blob:sha256:zz",
    `blob:sha256:${"0".repeat(64)}`,
    "blob:base64:!",
    "blob:text:sha256:../../x",
    "blob:literal:a",
  ),
  fc.constantFrom<Json>("message", "tool", "assistant", "tool_call", "compaction", "prune", "constructor", "__proto__"),
  fc.constantFrom<Json>({ toString: 1 }, { length: 3 }, { kind: "text" }, { role: "user" }, { toolCall: null }),
  fc.constant<Json>(JSON.parse('{"__proto__":{"kind":"text"}}')),
);

export interface Change {
  /** Which line, and which value in it, by numbers that are taken modulo what exists. */
  readonly line: number;
  readonly place: number;
  readonly what: "replace" | "nest" | "double" | "swap" | "drop" | "key" | "garbage" | "lengthen";
  readonly value: Json | undefined;
}

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record<Change>({
    line: fc.nat(),
    place: fc.nat(),
    what: fc.oneof(
      { weight: 8, arbitrary: fc.constant("replace" as const) },
      fc.constantFrom("nest", "double", "swap", "drop", "key", "garbage", "lengthen"),
    ),
    value: odd,
  }),
  { minLength: 1, maxLength: 6 },
);

/** The bytes of a journal after these changes. The header is only changed if `spareHeader` is false. */
export function hostileJournal(list: readonly Change[], options: { cwd?: string; spareHeader?: boolean } = {}): Buffer {
  const lines: (Line | Buffer)[] = soundLines(options.cwd);
  const first = options.spareHeader ? 1 : 0;
  for (const change of list) {
    const at = first + (change.line % (lines.length - first));
    const line = lines[at]!;
    if (change.what === "swap") {
      const other = first + (change.place % (lines.length - first));
      [lines[at], lines[other]] = [lines[other]!, line];
    } else if (change.what === "drop") lines.splice(at, at === 0 ? 0 : 1);
    else if (change.what === "double") lines.splice(at + 1, 0, line);
    else if (!Buffer.isBuffer(line)) lines[at] = changed(line, change);
  }
  return Buffer.concat(lines.map((line) => (Buffer.isBuffer(line) ? line : encodeLine(line))));
}

function changed(line: Line, { place, what, value }: Change): Line | Buffer {
  switch (what) {
    case "nest":
      return sealed(JSON.stringify(line).replace(/\}$/, `,"details":${"[".repeat(50_000)}${"]".repeat(50_000)}}`));
    case "key":
      return sealed(JSON.stringify(line).replace(/\}$/, `,"type":${JSON.stringify(value ?? "x")},"id":"twice"}`));
    case "garbage":
      return sealed(`${JSON.stringify(line).slice(0, -1 - (place % 20))}}`);
    case "lengthen":
      return { ...line, id: "x".repeat(300) };
    default:
      return withValue(line, place % countValues(line), value).json as Line;
  }
}

/** Any text with a correct checksum. */
export function sealed(json: string): Buffer {
  const head = Buffer.from(json.slice(0, -1));
  const sum = crc32(head, head.length).toString(16).padStart(8, "0");
  return Buffer.concat([head, Buffer.from(`,"~":"${sum}"}\n`)]);
}

function countValues(json: Json): number {
  if (typeof json !== "object" || json === null) return 1;
  return Object.values(json).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}

/** A copy whose n-th value, counted from the outside in, is replaced; `undefined` removes it. */
function withValue(json: Json, n: number, value: Json | undefined): { json: Json | undefined; left: number } {
  if (n === 0) return { json: value, left: -1 };
  if (typeof json !== "object" || json === null) return { json, left: n - 1 };
  let left = n - 1;
  const replaced = (inner: Json): Json | undefined => {
    if (left < 0) return inner;
    const result = withValue(inner, left, value);
    left = result.left;
    return result.json;
  };
  if (Array.isArray(json)) return { json: json.flatMap((inner) => replaced(inner) ?? []), left };
  const entries = Object.entries(json).map(([key, inner]): [string, Json | undefined] => [key, replaced(inner)]);
  return { json: Object.fromEntries(entries.filter(([, inner]) => inner !== undefined)) as Json, left };
}
