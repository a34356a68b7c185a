// A session as users read it: the messages on the path to the leaf, each call with its result. A projection of the
// journal that pages, texts and exports share.

import { relative } from "node:path";
import type { Journal } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { CardDiff, FileChange, MessageEntry, SessionHeader, TreeEntry } from "@lathe/agent/contract";
import { fileDiff } from "@lathe/agent/files";
import type { Redactor } from "@lathe/agent/policy";
import { pathTo } from "@lathe/agent/record";
import { BROKEN_OFF } from "@lathe/agent/session";
import type { ContentPart, ImageData, JsonObject, JsonValue, ToolCallData } from "@lathe/llm";
import { type AttachedText, readableSummary, wordsAndAttachments } from "./attached-text.ts";
import { resultsAfter } from "./call-results.ts";
import { reportOf } from "./reports.ts";
import { addTokens, type TokenCounts, tokenCounts } from "./tokens.ts";
import { VERIFICATION_ENTRY, verificationNote } from "./verdict.ts";

export interface Transcript {
  readonly header: SessionHeader;
  readonly title?: string;
  /** Reads the file on each iteration: a session may be larger than memory. */
  items(): IterableIterator<Item>;
  /** Parts that could not be read, when opening the file and in the items so far. */
  losses(): readonly string[];
}

interface ItemFields {
  readonly id: string;
  readonly timestamp: string;
  readonly label?: string;
}
export interface UserItem extends ItemFields {
  readonly type: "user";
  /** The words without attachments. */
  readonly text: string;
  /** Files and piped text sent with the prompt. */
  readonly attached: readonly AttachedText[];
  readonly images: readonly ImageData[];
  /** Steering and follow-ups were sent while the agent was working. */
  readonly how: "input" | "steering" | "follow_up";
}
export interface AssistantItem extends ItemFields {
  readonly type: "assistant";
  readonly parts: readonly AssistantPart[];
  /** `provider/model`. */
  readonly model?: string;
  readonly tokens?: TokenCounts;
  readonly cost?: number;
  /** Set only if the answer was cut short. */
  readonly endedBy?: string;
}
/** Something that happened between messages. */
interface NoteItem extends ItemFields {
  readonly type: "note";
  readonly title: string;
  readonly text?: string;
}
export type Item = UserItem | AssistantItem | NoteItem;

type AssistantPart =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "image"; readonly image: ImageData }
  | { readonly kind: "call"; readonly call: Call };

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
  /** Absent if the session ended before the result. */
  readonly result?: CallResult;
}

export interface CallResult {
  readonly text: string;
  readonly images: readonly ImageData[];
  readonly isError: boolean;
  /** A one-line description of the call. */
  readonly summary?: string;
  readonly diffs: readonly CardDiff[];
  readonly durationMs?: number;
  readonly artifact?: { readonly id: number; readonly bytes: number };
}

export function transcriptOf(journal: Journal): Transcript {
  const title = journal.title?.title;
  return {
    header: journal.header,
    ...(title === undefined ? {} : { title }),
    items: () => itemsOf(journal),
    losses: () => journal.lossesSoFar.map((loss) => loss.message),
  };
}

/** A transcript to share: known secrets, and text that looks like a secret, are removed. */
export function sharedTranscript(transcript: Transcript, redactor: Redactor): Transcript {
  return {
    ...transcript,
    header: redactor.redactForSharing(transcript.header),
    ...(transcript.title === undefined ? {} : { title: redactor.redactForSharing(transcript.title) }),
    *items() {
      for (const item of transcript.items()) yield redactor.redactForSharing(item);
    },
  };
}

function* itemsOf(journal: Journal): IterableIterator<Item> {
  const path = pathTo(journal, journal.leaf);
  for (const [at, id] of path.entries()) {
    const entry = journal.entry(id);
    const results = holdsCalls(entry) ? resultsByCall(journal, path, at) : NO_RESULTS;
    const changes = entry.type === "nested_call" ? (entry.changes ?? []) : [];
    const diffs = changes.flatMap((change) => diffOf(change, journal));
    yield* itemOf(entry, results, diffs, journal.labels.get(id));
  }
}

const NO_RESULTS: ReadonlyMap<string, CallResult> = new Map();

const holdsCalls = (entry: TreeEntry): boolean =>
  entry.type === "message" && entry.message.content.some(({ kind }) => kind === "tool_call");

function resultsByCall(journal: Journal, path: readonly string[], answer: number): ReadonlyMap<string, CallResult> {
  const results = new Map<string, CallResult>();
  for (const entry of resultsAfter(journal, path, answer)) addResults(entry, results, journal);
  return results;
}

/** The items of a single entry; calls have no results. */
export const itemsOfEntry = (entry: TreeEntry, label?: string): readonly Item[] => itemOf(entry, NO_RESULTS, [], label);

/** `diffs` belong to a call inside a call; other calls have theirs in their results. */
function itemOf(
  entry: TreeEntry,
  results: ReadonlyMap<string, CallResult>,
  diffs: readonly CardDiff[],
  label: string | undefined,
): Item[] {
  const fields = { id: entry.id, timestamp: entry.timestamp, ...(label === undefined ? {} : { label }) };
  const note = (title: string, text?: string): Item[] => [
    { type: "note", ...fields, title, ...(text === undefined ? {} : { text }) },
  ];
  switch (entry.type) {
    case "message":
      return messageItem(entry, fields, results);
    case "nested_call": {
      const result = entry.message.content.find((part) => part.kind === "tool_result")?.toolResult;
      const title = `${entry.tool} ${entry.summary ?? ""}, called by ${entry.within}`;
      return note(title, [resultText(result?.content ?? ""), ...diffs.map(({ diff }) => diff)].join("\n"));
    }
    case "model_change":
      return note(`Model: ${entry.model}${entry.reason === undefined ? "" : ` (${entry.reason})`}`);
    case "thinking_level_change":
      return note(`Thinking: ${entry.thinkingLevel}`);
    case "mode_change":
      return note(`Mode: ${entry.mode}`);
    case "compaction":
      return note(`Compacted at ${entry.tokensBefore} tokens`, readableSummary(entry.summary));
    case "branch_summary":
      return note("Summary of another branch", entry.summary);
    case "custom_message":
      return entry.display ? note(entry.customType, textOfContent(entry.content)) : [];
    case "session_init":
      return note("Task", entry.task);
    case "custom": {
      const verdict = entry.customType === VERIFICATION_ENTRY ? verificationNote(entry.data) : undefined;
      return verdict ? note(verdict.title, verdict.text === "" ? undefined : verdict.text) : [];
    }
    default:
      return [];
  }
}

function messageItem(entry: MessageEntry, fields: ItemFields, results: ReadonlyMap<string, CallResult>): Item[] {
  const { message } = entry;
  if (message.role === "tool") return [];
  if (message.role !== "assistant") {
    const report = reportOf(entry);
    if (report) return [{ type: "note", ...fields, ...report }];
    const images = message.content.flatMap((part) => (part.kind === "image" ? [part.image] : []));
    const { words, attached } = wordsAndAttachments(message.content);
    return [{ type: "user", ...fields, text: words, attached, images, how: howSent(entry) }];
  }
  const { provider, model, usage, cost, finishReason } = entry;
  return [
    {
      type: "assistant",
      ...fields,
      parts: message.content.flatMap((part) => assistantPart(part, results)),
      ...(model === undefined ? {} : { model: provider === undefined ? model : `${provider}/${model}` }),
      ...(usage === undefined ? {} : { tokens: tokenCounts(usage, provider ?? "") }),
      ...(cost === undefined ? {} : { cost }),
      ...endingOf(finishReason),
    },
  ];
}

/** The reason why the answer was cut short, in words; the vendor's own word if we have none. */
function endingOf({ reason, raw }: NonNullable<MessageEntry["finishReason"]> = { reason: "stop" }): {
  readonly endedBy?: string;
} {
  if (reason === "stop" || reason === "tool_calls") return {};
  return {
    endedBy: ENDINGS[reason] ?? (raw === BROKEN_OFF ? "an interruption" : (raw ?? "the provider, without a reason")),
  };
}

const ENDINGS: Readonly<Partial<Record<string, string>>> = {
  length: "the limit of its length",
  content_filter: "the provider's content filter",
  error: "an error",
};

const howSent = ({ origin }: MessageEntry): UserItem["how"] =>
  origin === "steering" || origin === "follow_up" ? origin : "input";

function assistantPart(part: ContentPart, results: ReadonlyMap<string, CallResult>): AssistantPart[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ kind: "text", text: part.text }];
    case "thinking":
      return part.thinking.text === "" ? [] : [{ kind: "thinking", text: part.thinking.text }];
    case "image":
      return [{ kind: "image", image: part.image }];
    case "tool_call":
      return [{ kind: "call", call: callOf(part.toolCall, results.get(part.toolCall.id)) }];
    default:
      return [];
  }
}

function callOf(call: ToolCallData, result: CallResult | undefined): Call {
  const args = call.rawArguments ?? call.arguments;
  return { id: call.id, name: call.name, arguments: args, ...(result === undefined ? {} : { result }) };
}

function addResults(entry: MessageEntry, results: Map<string, CallResult>, journal: Journal): void {
  for (const part of entry.message.content) {
    if (part.kind !== "tool_result") continue;
    const { toolCallId, content, isError, images = [] } = part.toolResult;
    results.set(toolCallId, {
      text: resultText(content),
      images,
      isError,
      diffs: (entry.changes ?? []).flatMap((change) => diffOf(change, journal)),
      ...(entry.summary === undefined ? {} : { summary: entry.summary }),
      ...(entry.durationMs === undefined ? {} : { durationMs: entry.durationMs }),
      ...(entry.artifact === undefined ? {} : { artifact: entry.artifact }),
    });
  }
}

function resultText(content: string | JsonObject | readonly JsonValue[]): string {
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}

/** The path is relative to the session's directory if the file is in there. */
function diffOf(change: FileChange, { blobs, header }: Journal): CardDiff[] {
  const diff = fileDiff(change, blobs);
  const inside = relative(header.cwd, change.path);
  return diff === "" ? [] : [{ path: inside.startsWith("..") ? change.path : inside, diff }];
}

/** The usage of the whole transcript. */
export interface Totals {
  readonly tokens: TokenCounts;
  readonly cost: number;
  /** Answers with an unknown price. */
  readonly unpriced: number;
}

export function totals(items: Iterable<Item>): Totals {
  let tokens: TokenCounts = { input: 0, cached: 0, output: 0 };
  let cost = 0;
  let unpriced = 0;
  for (const item of items) {
    if (item.type !== "assistant") continue;
    if (item.tokens) tokens = addTokens(tokens, item.tokens);
    cost += item.cost ?? 0;
    if (item.cost === undefined && item.tokens) unpriced++;
  }
  return { tokens, cost, unpriced };
}
