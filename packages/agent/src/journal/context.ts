// What the model sees, as a projection of the tree: the path from the root to the leaf, with compaction, pruning and
// tool results put in order. The view follows the leaf, so that one more entry costs the same in a long history.

import { type ContentPart, Message } from "@lathe/llm";
import { applyState, type ContextState, isStateEntry, START_STATE } from "./context-state.ts";
import type { CompactionEntry, PruneEntry, TreeEntry } from "./types.ts";

export const INTERRUPTED_RESULT = "[interrupted before this call finished]";
export const PRUNED_NOTICE = "[pruned to save context]";

export interface Context {
  /** Always a legal history: every tool call is followed by exactly one result, in call order. */
  readonly messages: readonly Message[];
  /** The entry each message comes from; undefined for a result that was filled in. */
  readonly entryIds: readonly (string | undefined)[];
  readonly state: ContextState;
}

/** What a view needs to know of a journal; `meta` must be cheap, `entry` may parse. */
export interface ContextSource {
  meta(id: string): { readonly type: string; readonly parentId: string | null } | undefined;
  entry(id: string): TreeEntry;
}

interface OpenBatch {
  /** Position of the first result in `messages`. */
  readonly start: number;
  readonly callIds: readonly string[];
  readonly answered: boolean[];
}

export class ContextView implements Context {
  readonly #source: ContextSource;
  #leaf: string | null = null;
  #messages: Message[] = [];
  #entryIds: (string | undefined)[] = [];
  #state: ContextState = START_STATE;
  #batch: OpenBatch | undefined;
  /** Entries that are sent without their content (true), or without what is no text (what stands there instead). */
  #pruned = new Map<string, true | string>();
  /** Answers that are sent without what only their maker can read. */
  #unsigned = new Set<string>();
  /** Message per entry (and per filled-in result), so that rebuilding keeps the identity encoders cache by. */
  #made = new Map<string, Message>();

  constructor(source: ContextSource) {
    this.#source = source;
  }

  get leaf(): string | null {
    return this.#leaf;
  }
  /** Live: grows and changes with the view. Copy it to keep it. */
  get messages(): readonly Message[] {
    return this.#messages;
  }
  get entryIds(): readonly (string | undefined)[] {
    return this.#entryIds;
  }
  get state(): ContextState {
    return this.#state;
  }

  /** Follows a new entry. Constant time when it continues the leaf and neither compacts nor prunes. */
  follow(entry: TreeEntry): void {
    if (entry.parentId !== this.#leaf || entry.type === "compaction" || entry.type === "prune") {
      this.moveTo(entry.id);
      return;
    }
    this.#leaf = entry.id;
    if (isStateEntry(entry.type)) this.#state = applyState(this.#state, entry);
    this.#emit(entry);
  }

  /** Rebuilds for another leaf; parses only the entries that are sent or carry state. */
  moveTo(leaf: string | null): void {
    const path = pathTo(this.#source, leaf);
    const known = this.#made;
    this.#leaf = leaf;
    this.#messages = [];
    this.#entryIds = [];
    this.#state = START_STATE;
    this.#batch = undefined;
    this.#made = new Map();
    this.#pruned = new Map();
    this.#unsigned = new Set();
    for (const id of path) this.#takeState(id);
    const compactionAt = path.findLastIndex((id) => this.#source.meta(id)?.type === "compaction");
    const sent = compactionAt === -1 ? path : this.#afterCompaction(path, compactionAt);
    for (const id of sent) this.#emit(this.#source.entry(id), known);
    this.#findLastModel(path, sent);
  }

  #takeState(id: string): void {
    const type = this.#source.meta(id)!.type;
    if (type === "prune") this.#prune(this.#source.entry(id) as PruneEntry);
    else if (isStateEntry(type)) this.#state = applyState(this.#state, this.#source.entry(id));
  }

  #prune({ prune, media, thoughts }: PruneEntry): void {
    if (thoughts) for (const target of prune) this.#unsigned.add(target);
    else for (const target of prune) if (this.#pruned.get(target) !== true) this.#pruned.set(target, media ?? true);
  }

  /** The compaction itself (its summary), the entries it keeps verbatim, its tail, and what came later. */
  #afterCompaction(path: readonly string[], at: number): string[] {
    const compaction = this.#source.entry(path[at]!) as CompactionEntry;
    const keep = new Set(compaction.details?.keep);
    const tailAt = path.indexOf(compaction.firstKeptEntryId);
    const tailStart = tailAt === -1 ? at : tailAt;
    const kept = path.slice(0, tailStart).filter((id) => keep.has(id));
    return [path[at]!, ...kept, ...path.slice(tailStart, at), ...path.slice(at + 1)];
  }

  #emit(entry: TreeEntry, known?: Map<string, Message>): void {
    if (entry.type === "message" && entry.message.role === "assistant") {
      this.#state = applyState(this.#state, entry);
    }
    const made = known?.get(this.#key(entry.id)) ?? toMessage(entry, this.#pruned.get(entry.id));
    const message = made && this.#unsigned.has(entry.id) ? withoutThoughts(made) : made;
    if (!message) return;
    if (message.role === "tool") {
      this.#answer(entry.id, message);
      return;
    }
    this.#push(entry.id, message);
    if (message.role !== "assistant") return;
    const callIds = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall.id] : []));
    this.#batch = { start: this.#messages.length, callIds, answered: callIds.map(() => false) };
    callIds.forEach((toolCallId, index) => {
      const filler = `${entry.id}#${index}`;
      const made = known?.get(filler) ?? Message.toolResult({ toolCallId, content: INTERRUPTED_RESULT, isError: true });
      this.#made.set(filler, made);
      this.#messages.push(made);
      this.#entryIds.push(undefined);
    });
  }

  #push(id: string, message: Message): void {
    this.#made.set(this.#key(id), message);
    this.#messages.push(message);
    this.#entryIds.push(id);
  }

  /** A result without an open call (its call was compacted away, or it is a second answer) is not sent. */
  #answer(id: string, message: Message): void {
    const batch = this.#batch;
    const index = batch?.callIds.findIndex((callId, at) => callId === message.toolCallId && !batch.answered[at]) ?? -1;
    if (!batch || index === -1) return;
    batch.answered[index] = true;
    this.#made.set(this.#key(id), message);
    this.#messages[batch.start + index] = message;
    this.#entryIds[batch.start + index] = id;
  }

  #key(id: string): string {
    const pruned = this.#pruned.get(id);
    if (this.#unsigned.has(id)) return `${id}~`;
    return pruned === undefined ? id : `${id}!${pruned}`;
  }

  /** The last answer says which model is in use, even when it was compacted away. */
  #findLastModel(path: readonly string[], sent: readonly string[]): void {
    if (this.#state.lastModel !== undefined) return;
    const seen = new Set(sent);
    for (let at = path.length - 1; at >= 0; at--) {
      const id = path[at]!;
      if (seen.has(id) || this.#source.meta(id)!.type !== "message") continue;
      this.#state = applyState(this.#state, this.#source.entry(id));
      if (this.#state.lastModel !== undefined) return;
    }
  }
}

/** Ids from the root to `leaf`. */
export function pathTo(source: Pick<ContextSource, "meta">, leaf: string | null): string[] {
  const path: string[] = [];
  for (let id = leaf; id !== null; ) {
    const meta = source.meta(id);
    if (!meta) break;
    path.push(id);
    id = meta.parentId;
  }
  return path.reverse();
}

/** The projection as a plain function. `leaf` null is the empty context; an unknown or absent leaf means the last entry. */
export function buildContext(entries: readonly TreeEntry[], leaf?: string | null): Context {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const view = new ContextView({ meta: (id) => byId.get(id), entry: (id) => byId.get(id)! });
  const known = leaf === null || (leaf !== undefined && byId.has(leaf));
  view.moveTo(known ? leaf : (entries.at(-1)?.id ?? null));
  return view;
}

function toMessage(entry: TreeEntry, pruned: true | string | undefined): Message | undefined {
  switch (entry.type) {
    case "message":
      if (typeof pruned === "string") return sendable(withoutMedia(entry.message, pruned));
      return sendable(pruned ? prunedMessage(entry.message) : entry.message);
    case "custom_message":
      return Message.user(pruned === true ? PRUNED_NOTICE : entry.content);
    case "branch_summary":
      return Message.user(`<branch_summary>\n${entry.summary}\n</branch_summary>`);
    case "compaction":
      return Message.user(`<compaction_summary>\n${entry.summary}\n</compaction_summary>`);
    default:
      return undefined;
  }
}

/** System and developer text in the middle of a history goes in place as user text; the prefix holds the system prompt. */
function sendable(message: Message): Message {
  return message.role === "system" || message.role === "developer" ? { ...message, role: "user" } : message;
}

/** Answers of the model stay: their calls and signed thinking must be replayed as they were. */
function prunedMessage(message: Message): Message {
  if (message.role === "assistant") return message;
  if (message.role !== "tool") return { ...message, content: [{ kind: "text", text: PRUNED_NOTICE }] };
  const part = message.content.find((inner) => inner.kind === "tool_result");
  return Message.toolResult({
    toolCallId: message.toolCallId ?? part?.toolResult.toolCallId ?? "",
    content: PRUNED_NOTICE,
    isError: part?.toolResult.isError ?? false,
  });
}

function withoutMedia(message: Message, notice: string): Message {
  if (message.role === "assistant") return message;
  return { ...message, content: message.content.map((part) => textInstead(part, notice)) };
}

function textInstead(part: ContentPart, notice: string): ContentPart {
  if (part.kind === "image" || part.kind === "audio" || part.kind === "document") return { kind: "text", text: notice };
  if (part.kind !== "tool_result" || part.toolResult.images === undefined) return part;
  const { images: _, content, ...rest } = part.toolResult;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { kind: "tool_result", toolResult: { ...rest, content: text === "" ? notice : `${text}\n${notice}` } };
}

/** Undefined when there was nothing else in it. Made once: what has none left is given back as it is. */
function withoutThoughts(message: Message): Message | undefined {
  if (message.role !== "assistant" || !message.content.some(isSigned)) return message;
  const content = message.content.flatMap((part): ContentPart[] => {
    if (part.kind === "text") return [{ kind: "text", text: part.text }];
    if (part.kind === "tool_call") {
      const { signature: _, origin: __, ...toolCall } = part.toolCall;
      return [{ kind: "tool_call", toolCall }];
    }
    return part.kind === "image" ? [part] : [];
  });
  return content.length === 0 ? undefined : { ...message, content };
}

/** Holds what is only good for the one who made it. */
export function isSigned(part: ContentPart): boolean {
  if (part.kind === "text") return part.signature !== undefined;
  if (part.kind === "tool_call") return part.toolCall.signature !== undefined || part.toolCall.origin !== undefined;
  return part.kind === "thinking" || part.kind === "redacted_thinking" || part.kind === "unknown";
}
