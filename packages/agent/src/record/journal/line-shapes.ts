// What each kind of line must hold, as far as readers rely on it. Kinds that are not here are kept and passed over.

import type { OutsideLine, TreeEntry } from "../../contract/journal.ts";
import { isEntryId } from "./line.ts";
import {
  anything,
  bytes,
  either,
  fields,
  flag,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  tagged,
  text,
} from "./shape.ts";

export const entryId: Shape = (value) => (typeof value === "string" && isEntryId(value) ? undefined : " is not an id");
const maybeText = optional(text);
const maybeNumber = optional(number);
const texts = listOf(text);
const media = fields({ url: maybeText, data: optional(bytes), mediaType: maybeText, fileName: maybeText });
const pictured = fields({ frames: listOf(media), dropped: number });
const origin = optional(fields({ provider: text, model: text, itemId: maybeText }));
const thinking = fields({ thinking: fields({ text, signature: maybeText, redacted: flag, origin }) });

export const contentShape = listOf(
  tagged("kind", {
    text: fields({ text, signature: maybeText, origin }),
    image: fields({ image: media }),
    audio: fields({ audio: media }),
    document: fields({ document: media }),
    tool_call: fields({
      toolCall: fields({
        id: text,
        name: text,
        arguments: either(text, record),
        type: oneOf("function", "custom"),
        rawArguments: maybeText,
        signature: maybeText,
        origin,
      }),
    }),
    tool_result: fields({
      toolResult: fields({
        toolCallId: text,
        content: either(text, either(record, listOf(anything))),
        isError: flag,
        images: optional(listOf(media)),
      }),
    }),
    thinking,
    redacted_thinking: thinking,
    unknown: fields({ raw: anything, origin }),
  }),
);

const message = fields({
  role: oneOf("system", "developer", "user", "assistant", "tool"),
  content: contentShape,
  name: maybeText,
  toolCallId: maybeText,
});

export const sourceShape = fields({
  kind: oneOf("user", "agent", "job", "host"),
  id: maybeText,
  type: oneOf(undefined, "irc:incoming"),
  messageId: maybeText,
  replyTo: maybeText,
});

const decidedPart = fields({
  tier: text,
  what: text,
  decision: oneOf("allow", "ask", "deny"),
  reason: text,
  rule: maybeText,
});

const content = fields({ sha256: text, bytes: number });
const changes = listOf(
  fields({ path: text, before: optional(content), after: optional(content), added: number, removed: number }),
);

export const usageShape = fields({
  inputTokens: number,
  outputTokens: number,
  totalTokens: number,
  reasoningTokens: maybeNumber,
  cacheReadTokens: maybeNumber,
  cacheWriteTokens: maybeNumber,
});

const TREE: Readonly<Record<TreeEntry["type"], Readonly<Record<string, Shape>>>> = {
  message: {
    message,
    provider: maybeText,
    model: maybeText,
    responseId: maybeText,
    usage: optional(usageShape),
    cost: maybeNumber,
    finishReason: optional(
      fields({
        reason: oneOf("stop", "length", "tool_calls", "content_filter", "error", "other"),
        raw: maybeText,
      }),
    ),
    origin: oneOf(undefined, "input", "steering", "follow_up", "loop_detection", "injected"),
    artifact: optional(fields({ id: number, bytes: number })),
    durationMs: maybeNumber,
    settled: oneOf(undefined, "interrupted", "skipped"),
    awaits: optional(fields({ what: oneOf("question", "plan"), text })),
    source: optional(sourceShape),
    summary: maybeText,
    changes: optional(changes),
    reads: optional(listOf(text)),
    effects: oneOf(undefined, "none", "done", "unknown"),
  },
  model_change: { model: text, role: maybeText, reason: maybeText },
  thinking_level_change: { thinkingLevel: text },
  service_tier_change: { serviceTier: orNull(text) },
  compaction: {
    summary: text,
    shortSummary: maybeText,
    firstKeptEntryId: text,
    tokensBefore: number,
    details: optional(fields({ keep: optional(texts) })),
    preserveData: optional(
      fields({
        snapcompact: optional(pictured),
        openaiRemoteCompaction: optional(fields({ provider: text, model: text, item: fields({}) })),
      }),
    ),
  },
  prune: { prune: texts, media: maybeText, thoughts: oneOf(undefined, true) },
  branch_summary: { fromId: text, summary: text },
  custom: { customType: text, data: anything },
  custom_message: { customType: text, content: either(text, contentShape), display: flag },
  label: { targetId: text, label: maybeText },
  mode_change: { mode: text },
  session_init: { systemPrompt: text, task: text, tools: texts },
  ttsr_injection: { injectedRules: texts },
  mcp_tool_selection: { selectedToolNames: texts },
};

const rewindShape = fields({
  to: orNull(text),
  from: orNull(text),
  files: flag,
  conversation: flag,
  plan: text,
  takesBack: optional(number),
});

const OUTSIDE: Readonly<Record<OutsideLine["type"], Readonly<Record<string, Shape>>>> = {
  intent: {
    id: entryId,
    for: entryId,
    effect: oneOf("request", "tool", "child", "maintenance"),
    callId: maybeText,
    tool: maybeText,
    replay: oneOf("safe", "never"),
  },
  settle: {
    intentId: text,
    outcome: oneOf("failed", "cancelled", "interrupted"),
    error: maybeText,
    usage: optional(usageShape),
    cost: maybeNumber,
  },
  decision: {
    callId: text,
    decision: oneOf("allow", "deny"),
    by: text,
    reason: maybeText,
    asked: maybeText,
    parts: optional(listOf(decidedPart)),
    remembered: optional(texts),
  },
  leaf: { entryId: orNull(text) },
  title: { title: text, source: oneOf("auto", "user") },
  snapshot: {
    phase: oneOf("before", "joined", "after", "unrecorded"),
    entryId: orNull(text),
    blob: text,
    reason: maybeText,
    found: optional(texts),
    rewind: optional(rewindShape),
    isPartial: optional(flag),
  },
  prefix: {
    systemPrompt: text,
    tools: text,
    environment: text,
    reason: text,
    promptParts: optional(listOf(fields({ kind: oneOf("prompt", "instructions"), name: text, characters: number }))),
  },
  input: { state: oneOf("start", "end"), entryId: text, reason: maybeText },
  host: { kind: text, data: anything },
  seal: { torn: number },
};

const TREE_FIELDS = { id: entryId, parentId: orNull(entryId), timestamp: text };

type LineFields = readonly (readonly [key: string, shape: Shape])[];
const FIELDS: ReadonlyMap<string, LineFields> = new Map([
  ...Object.entries(TREE).map(([type, own]): [string, LineFields] => [
    type,
    Object.entries({ ...TREE_FIELDS, ...own }),
  ]),
  ...Object.entries(OUTSIDE).map(([type, own]): [string, LineFields] => [
    type,
    Object.entries({ ...own, timestamp: text }),
  ]),
]);

export const isTreeType = (type: string): boolean => Object.hasOwn(TREE, type);

export interface Misfits {
  /** What makes the line unusable. */
  readonly problem?: string;
  /** Optional fields that say nothing usable; the line is good without them. */
  readonly spare: readonly string[];
}

const FITS: Misfits = { spare: [] };

/** Of a line of a kind that this version knows; others are not looked into. */
export function misfitsOf(type: string, line: Readonly<Record<string, unknown>>): Misfits {
  let spare: string[] | undefined;
  for (const [key, shape] of FIELDS.get(type) ?? []) {
    const problem = shape(Object.hasOwn(line, key) ? line[key] : undefined);
    if (problem === undefined) continue;
    if (shape(undefined) !== undefined) return { problem: `${key}${problem}`, spare: [] };
    spare ??= [];
    spare.push(key);
  }
  return spare ? { spare } : FITS;
}

export const headerShape = fields({
  type: oneOf("session"),
  version: number,
  id: text,
  timestamp: text,
  cwd: text,
  title: maybeText,
  titleSource: oneOf(undefined, "auto", "user"),
  parentSession: maybeText,
  parentCall: maybeText,
  agentId: maybeText,
  runId: maybeText,
  runDigest: maybeText,
});
