// What takes up the room of a request: the one data structure behind every view of the context.

/** The kinds of content in a request, in the order in which views show them. */
export const OWNER_KINDS = [
  "prompt",
  "instructions",
  "tool",
  "environment",
  "summary",
  "kept",
  "user",
  "note",
  "answer",
  "thinking",
  "call",
  "result",
  "media",
  "framing",
] as const;

/**
 * `prompt`: part of the system prompt; `instructions`: an instruction file in it; `tool`: a tool's schema;
 * `environment`: the block about directory and date; `summary`: the replacement of older history; `kept`: a message
 * that a compaction kept word for word; `user`: a user's message; `note`: text of the program, a hook or an extension;
 * `call`: name and arguments; `media`: an image, a document, a sound; `framing`: what the protocol adds around all of
 * these, and the parameters.
 */
export type OwnerKind = (typeof OWNER_KINDS)[number];

/** One thing that was put into a request. */
export interface LedgerOwner {
  readonly kind: OwnerKind;
  /** A path, the name of a tool, or the first words. */
  readonly name: string;
  /** The journal entry it comes from; absent for the prefix. */
  readonly entryId?: string;
  /** Bytes of the request's body. */
  readonly bytes: number;
  /** Its share of the tokens. An image costs about the same, regardless of its bytes. */
  readonly tokens: number;
}

/** `bytes` and `tokens` are the sums over `owners`: every part of the request has an owner. */
export interface ContextLedger {
  readonly provider: string;
  readonly model: string;
  /** The window in tokens; 0 if unknown. */
  readonly window: number;
  readonly bytes: number;
  readonly tokens: number;
  /** The owners in the order of the request. */
  readonly owners: readonly LedgerOwner[];
}

/** All owners of one kind. */
export interface LedgerGroup {
  readonly kind: OwnerKind;
  readonly count: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** The kinds that occur, each with its sums. */
export function groupsOf({ owners }: Pick<ContextLedger, "owners">): LedgerGroup[] {
  return OWNER_KINDS.flatMap((kind) => {
    const own = owners.filter((owner) => owner.kind === kind);
    if (own.length === 0) return [];
    const sum = (field: "bytes" | "tokens"): number => own.reduce((total, owner) => total + owner[field], 0);
    return [{ kind, count: own.length, bytes: sum("bytes"), tokens: sum("tokens") }];
  });
}
