// The fields that readers rely on in each kind of line. Lines of other kinds are kept and not checked.

import {
  anyObject,
  anything,
  bytes,
  Checker,
  choice,
  exactly,
  type Fields,
  flag,
  isOptional,
  listOf,
  number,
  oneOf,
  openObject,
  optional,
  orNull,
  schemaOf,
  text,
} from "@lathe/llm/schema";
import type { OutsideLine, TreeEntry } from "../../contract/journal.ts";
import { ENTRY_ID } from "./line.ts";

export const entryId = text({ pattern: ENTRY_ID.source, expects: "an id of at most 64 plain characters" });
const maybeText = optional(text());
const maybeNumber = optional(number());
const texts = listOf(text());
const media = openObject({ url: maybeText, data: optional(bytes()), mediaType: maybeText, fileName: maybeText });
const pictured = openObject({ frames: listOf(media), dropped: number() });
const origin = optional(openObject({ provider: text(), model: text(), itemId: maybeText }));
const thinking = { thinking: openObject({ text: text(), signature: maybeText, redacted: flag(), origin }) };

/** The fields of each kind of message part. */
const PARTS: Readonly<Record<string, Fields>> = {
  text: { text: text(), signature: maybeText, origin },
  image: { image: media },
  audio: { audio: media },
  document: { document: media },
  tool_call: {
    toolCall: openObject({
      id: text(),
      name: text(),
      arguments: oneOf(text(), anyObject()),
      type: choice(["function", "custom"]),
      rawArguments: maybeText,
      signature: maybeText,
      origin,
    }),
  },
  tool_result: {
    toolResult: openObject({
      toolCallId: text(),
      content: oneOf(text(), anyObject(), listOf(anything())),
      isError: flag(),
      images: optional(listOf(media)),
    }),
  },
  thinking,
  redacted_thinking: thinking,
  unknown: { raw: optional(anything()), origin },
};

export const contentShape = listOf(
  oneOf(...Object.entries(PARTS).map(([kind, fields]) => openObject({ kind: exactly(kind), ...fields }))),
);

const message = openObject({
  role: choice(["system", "developer", "user", "assistant", "tool"]),
  content: contentShape,
  name: maybeText,
  toolCallId: maybeText,
});

export const sourceShape = openObject({
  kind: choice(["user", "agent", "job", "host"]),
  id: maybeText,
  type: optional(choice(["irc:incoming"])),
  messageId: maybeText,
  replyTo: maybeText,
});

const decidedPart = openObject({
  tier: text(),
  what: text(),
  decision: choice(["allow", "ask", "deny"]),
  reason: text(),
  rule: maybeText,
});

const content = openObject({ sha256: text(), bytes: number() });
const changes = listOf(
  openObject({ path: text(), before: optional(content), after: optional(content), added: number(), removed: number() }),
);

export const usageShape = openObject({
  inputTokens: number(),
  outputTokens: number(),
  totalTokens: number(),
  reasoningTokens: maybeNumber,
  cacheReadTokens: maybeNumber,
  cacheWriteTokens: maybeNumber,
});

const amountsShape = openObject({ tokens: number(), usd: number() });

const resultFacts = {
  message,
  artifact: optional(openObject({ id: number(), bytes: number() })),
  durationMs: maybeNumber,
  settled: optional(choice(["interrupted", "skipped"])),
  summary: maybeText,
  changes: optional(changes),
  reads: optional(listOf(text())),
  fromWeb: optional(openObject({ source: text(), links: listOf(text()) })),
  effects: optional(choice(["none", "done", "unknown"])),
};

const TREE: Readonly<Record<TreeEntry["type"], Fields>> = {
  message: {
    ...resultFacts,
    provider: maybeText,
    model: maybeText,
    responseId: maybeText,
    usage: optional(usageShape),
    cost: maybeNumber,
    uncertain: optional(amountsShape),
    finishReason: optional(
      openObject({
        reason: choice(["stop", "length", "tool_calls", "content_filter", "error", "other"]),
        raw: maybeText,
      }),
    ),
    origin: optional(choice(["input", "steering", "follow_up", "loop_detection", "injected"])),
    awaits: optional(openObject({ what: choice(["question", "plan"]), text: text() })),
    source: optional(sourceShape),
  },
  nested_call: {
    ...resultFacts,
    callId: text(),
    within: text(),
    tool: text(),
    arguments: optional(anyObject()),
  },
  model_change: { model: text(), role: maybeText, reason: maybeText },
  thinking_level_change: { thinkingLevel: text() },
  service_tier_change: { serviceTier: orNull(text()) },
  compaction: {
    summary: text(),
    shortSummary: maybeText,
    firstKeptEntryId: text(),
    tokensBefore: number(),
    details: optional(openObject({ keep: optional(texts) })),
    preserveData: optional(
      openObject({
        snapcompact: optional(pictured),
        openaiRemoteCompaction: optional(openObject({ provider: text(), model: text(), item: openObject({}) })),
      }),
    ),
  },
  prune: { prune: texts, media: maybeText, thoughts: optional(exactly(true)) },
  branch_summary: { fromId: text(), summary: text() },
  custom: { customType: text(), data: optional(anything()) },
  custom_message: { customType: text(), content: oneOf(text(), contentShape), display: flag() },
  label: { targetId: text(), label: maybeText },
  mode_change: { mode: text() },
  session_init: { systemPrompt: text(), task: text(), tools: texts },
  ttsr_injection: { injectedRules: texts },
  mcp_tool_selection: { selectedToolNames: texts },
};

const rewindShape = openObject({
  to: orNull(text()),
  from: orNull(text()),
  files: flag(),
  conversation: flag(),
  plan: text(),
  takesBack: optional(number()),
});

const OUTSIDE: Readonly<Record<OutsideLine["type"], Fields>> = {
  intent: {
    id: entryId,
    for: entryId,
    effect: choice(["request", "tool", "child", "maintenance"]),
    callId: maybeText,
    tool: maybeText,
    replay: choice(["safe", "never"]),
    within: maybeText,
    summary: maybeText,
    reserved: optional(amountsShape),
  },
  settle: {
    intentId: text(),
    outcome: choice(["failed", "cancelled", "interrupted"]),
    error: maybeText,
    usage: optional(usageShape),
    cost: maybeNumber,
    uncertain: optional(amountsShape),
  },
  decision: {
    callId: text(),
    within: maybeText,
    decision: choice(["allow", "deny"]),
    by: text(),
    reason: maybeText,
    asked: maybeText,
    parts: optional(listOf(decidedPart)),
    remembered: optional(texts),
  },
  leaf: { entryId: orNull(text()) },
  title: { title: text(), source: choice(["auto", "user"]) },
  snapshot: {
    phase: choice(["before", "joined", "after", "unrecorded"]),
    entryId: orNull(text()),
    blob: text(),
    reason: maybeText,
    found: optional(texts),
    rewind: optional(rewindShape),
    isPartial: optional(flag()),
    isAbandoned: optional(flag()),
  },
  prefix: {
    systemPrompt: text(),
    tools: text(),
    environment: text(),
    reason: text(),
    promptParts: optional(
      listOf(openObject({ kind: choice(["prompt", "instructions"]), name: text(), characters: number() })),
    ),
  },
  input: {
    state: choice(["start", "end"]),
    entryId: text(),
    model: maybeText,
    reason: maybeText,
    verification: optional(
      openObject({ verdict: choice(["verified", "failed", "unverified", "none"]), reasons: listOf(text()) }),
    ),
  },
  host: { kind: text(), data: optional(anything()) },
  seal: { torn: number() },
};

const TREE_FIELDS = { id: entryId, parentId: orNull(entryId), timestamp: text() };

interface LineField {
  readonly key: string;
  readonly isRequired: boolean;
  readonly checker: Checker;
}

/** Shapes by kind of line; each is created for the first line of its kind. */
const known = new Map<string, readonly LineField[]>();

function fieldsOf(type: string): readonly LineField[] {
  let fields = known.get(type);
  if (fields === undefined) {
    fields = Object.entries(definitionOf(type) ?? {}).map(([key, field]) => ({
      key,
      isRequired: !isOptional(field),
      checker: new Checker(schemaOf(field), { hidesValues: true }),
    }));
    known.set(type, fields);
  }
  return fields;
}

function definitionOf(type: string): Fields | undefined {
  if (isTreeType(type)) return { ...TREE_FIELDS, ...TREE[type as TreeEntry["type"]] };
  return Object.hasOwn(OUTSIDE, type) ? { ...OUTSIDE[type as OutsideLine["type"]], timestamp: text() } : undefined;
}

export const isTreeType = (type: string): boolean => Object.hasOwn(TREE, type);

export interface Misfits {
  /** The problem that makes the line unusable. */
  readonly problem?: string;
  /** Optional fields with unusable values; the line is valid without them. */
  readonly spare: readonly string[];
}

const FITS: Misfits = { spare: [] };

/** The fields that do not fit a line of a known kind; other kinds are not checked. */
export function misfitsOf(type: string, line: Readonly<Record<string, unknown>>): Misfits {
  let spare: string[] | undefined;
  for (const { key, isRequired, checker } of fieldsOf(type)) {
    const value = Object.hasOwn(line, key) ? line[key] : undefined;
    if (value === undefined ? !isRequired : checker.fits(value)) continue;
    if (isRequired)
      return { problem: value === undefined ? `${key} is missing` : (checker.wrongIn(value, key) ?? key), spare: [] };
    spare ??= [];
    spare.push(key);
  }
  return spare ? { spare } : FITS;
}

export const headerChecker = new Checker(
  openObject({
    type: exactly("session"),
    version: number(),
    id: text(),
    timestamp: text(),
    cwd: text(),
    title: maybeText,
    titleSource: optional(choice(["auto", "user"])),
    parentSession: maybeText,
    parentCall: maybeText,
    agentId: maybeText,
    runId: maybeText,
    runDigest: maybeText,
  }),
  { hidesValues: true },
);
