// What the model sees, as a projection of the tree: the path from the root to the leaf, with compaction, pruning and
// tool results put in order. The view follows the leaf at constant cost per entry, however long the history is.

import { type ContentPart, Message } from "@lathe/llm";
import { withoutForeignParts } from "../../contract/input-content.ts";
import type { CompactionEntry, PruneEntry, TreeEntry, VendorHistory } from "../../contract/journal.ts";
import type { Context, ContextState } from "../../contract/journal-reader.ts";
import { isStateEntry, StateFold } from "./context-state.ts";

/** The result of a call that was interrupted. */
export const INTERRUPTED_RESULT = "[interrupted before this call finished]";
/** Replaces content that was pruned. */
export const PRUNED_NOTICE = "[pruned to save context]";

/** Matches the text that replaces a result that was emptied to save context. */
export const PRUNED_RESULT = /^\[Output truncated - \d+ tokens\]$/m;

/** What a view needs from a journal; `meta` must be cheap, `entry` may parse. */
export interface ContextSource {
  meta(id: string): { readonly type: string; readonly parentId: string | null } | undefined;
  entry(id: string): TreeEntry;
}

/** Positions in `messages` of the results of an answer's calls, by call. Servers may give two calls the same id. */
type OpenBatch = Map<string, { readonly places: number[]; answered: number }>;

/** The context at a leaf; follows new entries at constant cost. */
export class ContextView implements Context {
  readonly #source: ContextSource;
  #leaf: string | null = null;
  #messages: Message[] = [];
  #entryIds: (string | undefined)[] = [];
  #state = new StateFold();
  #batch: OpenBatch | undefined;
  /** Entries that are sent without their content (true), or with this text in place of their non-text parts. */
  #pruned = new Map<string, true | string>();
  /** Answers that are sent without the parts that only their own model can read. */
  #unsigned = new Set<string>();
  #isCompacted = false;

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
    return this.#state.state;
  }
  /** Part of the path is left out or shortened. */
  get isShortened(): boolean {
    return this.#isCompacted || this.#pruned.size > 0;
  }

  /** Follows a new entry. Constant time if it continues the leaf and neither compacts nor prunes. */
  follow(entry: TreeEntry): void {
    if (entry.parentId !== this.#leaf || entry.type === "compaction" || entry.type === "prune") {
      this.moveTo(entry.id);
      return;
    }
    this.#leaf = entry.id;
    if (isStateEntry(entry.type)) this.#state.add(entry);
    this.#emit(entry);
  }

  /** Rebuilds for another leaf; parses only the entries that are sent or carry state. */
  moveTo(leaf: string | null): void {
    const known = this.#messagesById();
    this.#leaf = leaf;
    this.#messages = [];
    this.#entryIds = [];
    this.#state = new StateFold();
    this.#batch = undefined;
    this.#pruned = new Map();
    this.#unsigned = new Set();
    const { path, stateful, compactions } = this.#walk(leaf);
    const compaction = this.#firstUsable(compactions);
    const restoredAt = compaction?.summary === "" ? path.indexOf(compaction.id) : -1;
    const restored = new Set(path.slice(0, Math.max(0, restoredAt)));
    for (const id of stateful) this.#takeState(this.#source.entry(id), restored.has(id));
    const { sent, hidden } = this.#sentOf(path, compaction);
    this.#isCompacted = hidden.length > 0;
    for (const id of sent) this.#emit(this.#source.entry(id), known);
    this.#findLastModel(hidden);
  }

  /** Ids on the path to the leaf, root first; `compactions` start at the leaf. */
  #walk(leaf: string | null): { path: string[]; stateful: string[]; compactions: string[] } {
    const path: string[] = [];
    const stateful: string[] = [];
    const compactions: string[] = [];
    for (let id = leaf; id !== null; ) {
      const meta = this.#source.meta(id);
      if (!meta) break;
      path.push(id);
      if (meta.type === "compaction") compactions.push(id);
      else if (meta.type === "prune" || isStateEntry(meta.type)) stateful.push(id);
      id = meta.parentId;
    }
    return { path: path.reverse(), stateful: stateful.reverse(), compactions };
  }

  /**
   * Messages by entry (and by filled-in result), so that rebuilding preserves the object identity that encoders cache
   * by.
   */
  #messagesById(): Map<string, Message> {
    const made = new Map<string, Message>();
    let answer = "";
    let filled = 0;
    for (const [at, id] of this.#entryIds.entries()) {
      const message = this.#messages[at]!;
      if (message.role === "assistant") {
        answer = id ?? "";
        filled = at + 1;
      }
      made.set(id === undefined ? `${answer}#${at - filled}` : this.#key(id), message);
    }
    return made;
  }

  /** `isRestored`: content that it emptied was requested again later. What a vendor refused stays out. */
  #takeState(entry: TreeEntry, isRestored: boolean): void {
    if (entry.type !== "prune") this.#state.add(entry);
    else if (!isRestored || entry.media !== undefined || entry.thoughts) this.#prune(entry);
  }

  #prune({ prune, media, thoughts }: PruneEntry): void {
    if (thoughts) for (const target of prune) this.#unsigned.add(target);
    else for (const target of prune) if (this.#pruned.get(target) !== true) this.#pruned.set(target, media ?? true);
  }

  /**
   * After a compaction: the compaction itself (its summary), the entries it keeps verbatim, its tail, and everything
   * later. The summary replaces the rest of the path.
   */
  #sentOf(
    path: readonly string[],
    compaction: CompactionEntry | undefined,
  ): { readonly sent: readonly string[]; readonly hidden: readonly string[] } {
    if (!compaction) return { sent: path, hidden: [] };
    const keep = new Set(compaction.details?.keep);
    const at = path.indexOf(compaction.id);
    const tailAt = path.indexOf(compaction.firstKeptEntryId);
    const before = path.slice(0, tailAt === -1 ? at : tailAt);
    const kept = before.filter((id) => keep.has(id));
    // The tail may contain an earlier summary, which the new one already covers.
    const tail = path.slice(before.length, at).filter((id) => this.#source.meta(id)?.type !== "compaction");
    return {
      sent: [compaction.id, ...kept].concat(tail, path.slice(at + 1)),
      hidden: before.filter((id) => !keep.has(id)),
    };
  }

  #firstUsable(compactions: readonly string[]): CompactionEntry | undefined {
    for (const id of compactions) {
      const entry = this.#source.entry(id);
      if (entry.type === "compaction") return entry;
    }
    return undefined;
  }

  #emit(entry: TreeEntry, known?: Map<string, Message>): void {
    if (entry.type === "message") this.#state.add(entry);
    const made = known?.get(this.#key(entry.id)) ?? toMessage(entry, this.#pruned.get(entry.id));
    const message = made && this.#unsigned.has(entry.id) ? withoutThoughts(made) : made;
    if (!message) return;
    if (message.role === "tool") {
      this.#answer(entry.id, message);
      return;
    }
    this.#push(entry.id, message);
    if (message.role !== "assistant") return;
    this.#batch = new Map();
    const callIds = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall.id] : []));
    for (const [index, toolCallId] of callIds.entries()) {
      const open = this.#batch.get(toolCallId) ?? { places: [], answered: 0 };
      open.places.push(this.#messages.length);
      this.#batch.set(toolCallId, open);
      const filler = known?.get(`${entry.id}#${index}`);
      this.#messages.push(filler ?? Message.toolResult({ toolCallId, content: INTERRUPTED_RESULT, isError: true }));
      this.#entryIds.push(undefined);
    }
  }

  #push(id: string, message: Message): void {
    this.#messages.push(message);
    this.#entryIds.push(id);
  }

  /** A result without an open call (the call was compacted away, or this is a second answer) is not sent. */
  #answer(id: string, message: Message): void {
    const open = this.#batch?.get(message.toolCallId ?? "");
    const place = open?.places[open.answered++];
    if (place === undefined) return;
    this.#messages[place] = message;
    this.#entryIds[place] = id;
  }

  #key(id: string): string {
    const pruned = this.#pruned.get(id);
    if (this.#unsigned.has(id)) return `${id}~`;
    return pruned === undefined ? id : `${id}!${pruned}`;
  }

  /** The last answer determines the model in use, even if it was compacted away. */
  #findLastModel(hidden: readonly string[]): void {
    for (let at = hidden.length - 1; at >= 0 && this.#state.lastModel === undefined; at--) {
      const id = hidden[at]!;
      if (this.#source.meta(id)!.type === "message") this.#state.add(this.#source.entry(id));
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

/**
 * The projection as a plain function. A null `leaf` gives the empty context; an unknown or absent one means the last
 * entry.
 */
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
      // A placeholder for an unusable entry.
      if (entry.message.role === "user" && entry.message.content.length === 0) return undefined;
      if (typeof pruned === "string") return sendable(withoutMedia(entry.message, pruned));
      return sendable(pruned ? prunedMessage(entry.message) : entry.message);
    case "custom_message":
      return Message.user(pruned === true ? PRUNED_NOTICE : entry.content);
    case "branch_summary":
      return Message.user(`<branch_summary>\n${entry.summary}\n</branch_summary>`);
    case "compaction":
      // An undone compaction: everything is sent again.
      if (entry.summary === "") return undefined;
      return typeof pruned === "string" ? withoutMedia(compactionMessage(entry), pruned) : compactionMessage(entry);
    default:
      return undefined;
  }
}

function compactionMessage({ summary, preserveData }: CompactionEntry): Message {
  const text = `<compaction_summary>\n${summary}\n</compaction_summary>`;
  const frames = preserveData?.snapcompact?.frames ?? [];
  const vendor = preserveData?.openaiRemoteCompaction;
  if (frames.length === 0 && !vendor) return Message.user(text);
  const images = frames.map((image): ContentPart => ({ kind: "image", image }));
  return Message.user([{ kind: "text", text }, ...images, ...(vendor ? [compactedPart(vendor)] : [])]);
}

const compactedPart = ({ provider, model, item }: VendorHistory): ContentPart => ({
  kind: "unknown",
  raw: item,
  origin: { provider, model },
});

/**
 * System and developer text in the middle of a history is sent as user text in its position; the prefix holds the
 * system prompt.
 */
function sendable(message: Message): Message {
  if (message.role === "assistant" || message.role === "tool") return message;
  const content = withoutForeignParts(message.content);
  return message.role === "user" && content === message.content ? message : { ...message, role: "user", content };
}

/** Answers of the model stay complete, because their calls and signed thinking must be replayed unchanged. */
function prunedMessage(message: Message): Message {
  if (message.role === "assistant") return message;
  if (message.role !== "tool") return { ...message, content: [{ kind: "text", text: PRUNED_NOTICE }] };
  const part = message.content.find((inner) => inner.kind === "tool_result");
  const { content = "" } = part?.toolResult ?? {};
  const characters = typeof content === "string" ? content.length : JSON.stringify(content).length;
  return Message.toolResult({
    toolCallId: message.toolCallId ?? part?.toolResult.toolCallId ?? "",
    content: `[Output truncated - ${Math.ceil(characters / 4)} tokens]`,
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

/** Undefined if there was nothing else in it. A message without such parts is returned unchanged. */
function withoutThoughts(message: Message): Message | undefined {
  if (!message.content.some(isSigned)) return message;
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

/** Parts that only the model that made them can use. */
export function isSigned(part: ContentPart): boolean {
  if (part.kind === "text") return part.signature !== undefined;
  if (part.kind === "tool_call") return part.toolCall.signature !== undefined || part.toolCall.origin !== undefined;
  return part.kind === "thinking" || part.kind === "redacted_thinking" || part.kind === "unknown";
}
