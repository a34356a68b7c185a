// The context ledger: an encoded request, divided among the owners of its parts. The client's segments say how many
// bytes each message has on the wire, in any protocol; the parts of a message share its bytes.

import { type Message, type Segment, type ToolDefinition, textOf } from "@lathe/llm";
import type { CompactionEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import type { PromptPart } from "../../contract/prompt-part.ts";
import type { RequestInfo } from "../../contract/seams/types.ts";
import { type MessageSource, messageOwners, type WeighedOwner } from "./message-owners.ts";
import { spread } from "./spread.ts";
import type { ContextLedger, LedgerOwner } from "./types.ts";

/** A request, and what we know about how it will be sent. */
export interface LedgerInput {
  readonly info: RequestInfo;
  /**
   * The bytes that the client would send. If the client does not say, this is empty and sizes are those of our own
   * form.
   */
  readonly segments: readonly Segment[];
  /** Size of the whole request, if the client knows. */
  readonly bodyBytes?: number | undefined;
  /** The parts of the system prompt. */
  readonly promptParts?: readonly PromptPart[] | undefined;
  readonly journal: Pick<JournalReader, "entry" | "has">;
  /** Tokens by the vendor's last count; estimated when absent. */
  readonly counted?: number | undefined;
}

const BYTES_PER_TOKEN = 4;
/** What vendors roughly charge for an image, regardless of its bytes. */
const MEDIA_TOKENS = 1500;
/** If the count is far from the estimate, it is about something else, such as a request before a model switch. */
const MOST_SCALE = 3;

type SizedOwner = Omit<LedgerOwner, "tokens">;

/** Pure: the same request gives the same ledger. */
export function contextLedger(input: LedgerInput): ContextLedger {
  const { request, contextWindow } = input.info;
  const content = [...prefixOwners(input), ...historyOwners(input)];
  const framing = (input.bodyBytes ?? 0) - sum(content.map(({ bytes }) => bytes));
  const owners = [...content, { kind: "framing" as const, name: "", bytes: framing }].filter(({ bytes }) => bytes > 0);
  const estimates = owners.map(({ kind, bytes }) => (kind === "media" ? MEDIA_TOKENS : bytes / BYTES_PER_TOKEN));
  const estimate = sum(estimates);
  const counted = input.counted ?? estimate;
  const tokens = Math.round(Math.min(MOST_SCALE * estimate, Math.max(estimate / MOST_SCALE, counted)));
  const shares = spread(tokens, estimates);
  return {
    provider: request.provider ?? "",
    model: request.model,
    window: Math.max(0, contextWindow),
    bytes: sum(owners.map(({ bytes }) => bytes)),
    tokens,
    owners: owners.map((owner, index) => ({ ...owner, tokens: shares[index] ?? 0 })),
  };
}

/** Tools and system prompt. */
function prefixOwners({ info: { request }, segments, promptParts }: LedgerInput): SizedOwner[] {
  const tools = request.tools ?? [];
  const toolWeights = tools.map(toolSize);
  const system = request.messages.filter(isSystem);
  const parts = promptParts ?? [];
  const whole = system.map(textOf).join("");
  const isNoted = parts.reduce((sum, part) => sum + part.characters, 0) === whole.length;
  const noted: readonly PromptPart[] = isNoted
    ? parts
    : [{ kind: "prompt", name: "system prompt", characters: whole.length }];
  const partWeights = weightsIn(whole, noted);
  return [
    ...measureItems(
      tools.map(({ name }) => ({ kind: "tool", name })),
      spread(sentBytes(segments, "tools") ?? sum(toolWeights), toolWeights),
    ),
    ...measureItems(noted, spread(sentBytes(segments, "system") ?? sum(partWeights), partWeights)),
  ];
}

function historyOwners({ info: { request, entryIds }, segments, journal }: LedgerInput): SizedOwner[] {
  const { messages } = request;
  const headLength = messages.length - entryIds.length;
  const wire = wireForms(messages, segments);
  // A request's media are read when it is sent; until then, the segments end before the first message with media.
  const unread = 1 + messages.findLastIndex((message) => wire.has(message));
  const keep = keptBy(entryIds[0], journal);
  const toolOf = toolsByCall(messages);
  const owners: SizedOwner[] = [];
  for (const [index, message] of messages.entries()) {
    if (isSystem(message)) continue;
    const entryId = entryIds[index - headLength];
    const forms = wire.get(message);
    // Nothing of this message is sent, for example because it was only another vendor's thinking.
    if (!forms && index < unread) continue;
    const source: MessageSource = {
      entry: entryId !== undefined && journal.has(entryId) ? journal.entry(entryId) : undefined,
      kept: entryId !== undefined && keep.has(entryId),
      toolOf,
      isSent: forms && ((text) => forms.some((form) => form.text.includes(beginningOf(text)))),
    };
    const parts = messageOwners(message, source);
    const weights = parts.map(({ weight }) => weight);
    const bytes = spread(forms ? sum(forms.map((form) => form.bytes)) : sum(weights), weights);
    owners.push(...measureItems(parts, bytes, entryId));
  }
  return owners;
}

function measureItems(
  owners: readonly Pick<WeighedOwner, "kind" | "name">[],
  bytes: readonly number[],
  entryId?: string,
): SizedOwner[] {
  return owners.map(({ kind, name }, index) => ({
    kind,
    name,
    ...(entryId === undefined ? {} : { entryId }),
    bytes: bytes[index] ?? 0,
  }));
}

/**
 * The segments of each message; a tool result with images has two. What an encoder adds belongs to the message before
 * it.
 */
function wireForms(messages: readonly Message[], segments: readonly Segment[]): Map<Message, Segment[]> {
  const forms = new Map<Message, Segment[]>();
  // A third-party adapter may not say which message its segments belong to.
  if (!segments.some(({ message }) => message !== undefined)) return forms;
  const places = new Map(messages.map((message, index) => [message, index]));
  let at = messages.findIndex((message) => !isSystem(message));
  for (const segment of segments) {
    if (segment.kind !== "message") continue;
    const { message } = segment;
    const place = message === undefined ? at : (places.get(message) ?? copiedFrom(message, messages, at));
    at = Math.max(at, place);
    const owner = messages[place]!;
    const known = forms.get(owner);
    if (known) known.push(segment);
    else forms.set(owner, [segment]);
  }
  return forms;
}

/**
 * Finds the message that the encoder copied: media were read from files, and the encoder saw a copy with their bytes.
 */
function copiedFrom(copy: Message, messages: readonly Message[], from: number): number {
  const place = messages.findIndex((message, index) => index >= from && isCopy(copy, message));
  return place === -1 ? from : place;
}

const isCopy = (copy: Message, original: Message): boolean =>
  copy.role === original.role &&
  copy.content.length === original.content.length &&
  copy.content.every((part, index) => part.kind === original.content[index]?.kind);

/** Ids of the entries that the compaction at the beginning of the context kept. */
function keptBy(first: string | undefined, journal: LedgerInput["journal"]): ReadonlySet<string> {
  if (first === undefined || !journal.has(first)) return new Set();
  const entry = journal.entry(first);
  return new Set(entry.type === "compaction" ? (entry as CompactionEntry).details?.keep : []);
}

function toolsByCall(messages: readonly Message[]): (callId: string) => string {
  const names = new Map<string, string>();
  for (const { content } of messages) {
    for (const part of content) if (part.kind === "tool_call") names.set(part.toolCall.id, part.toolCall.name);
  }
  return (callId) => names.get(callId) ?? "";
}

const BEGINNING = 60;

/** The beginning of a text as JSON, never half a character. Every text contains the empty text. */
const beginningOf = (text: string): string =>
  JSON.stringify(text.slice(0, BEGINNING).replace(/[\ud800-\udbff]$/, "")).slice(1, -1);

function sentBytes(segments: readonly Segment[], kind: Segment["kind"]): number | undefined {
  const own = segments.filter((segment) => segment.kind === kind);
  return segments.length === 0 ? undefined : sum(own.map(({ bytes }) => bytes));
}

function weightsIn(text: string, parts: readonly PromptPart[]): number[] {
  let from = 0;
  return parts.map(({ characters }) => {
    const piece = text.slice(from, from + characters);
    from += characters;
    return Buffer.byteLength(JSON.stringify(piece)) - 2;
  });
}

const toolSize = (tool: ToolDefinition): number => Buffer.byteLength(JSON.stringify(tool));
const isSystem = ({ role }: Message): boolean => role === "system" || role === "developer";
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
