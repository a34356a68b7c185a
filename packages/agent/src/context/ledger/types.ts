// Who takes the room of a request: the one data structure behind every view of the context.

/** What takes room in a request, in the order in which views show it. */
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
 * `prompt`: part of the system prompt; `instructions`: an instruction file in it; `tool`: a tool's schema; `environment`: the
 * block about directory and date; `summary`: what stands for older history; `kept`: a message that a compaction kept word for
 * word; `user`: what a person said; `note`: text of the program, a hook or an extension; `call`: name and arguments;
 * `media`: a picture, a document, a sound; `framing`: what the protocol puts around all of these, and the parameters.
 */
export type OwnerKind = (typeof OWNER_KINDS)[number];

/** One thing that was put into a request. */
export interface LedgerOwner {
  readonly kind: OwnerKind;
  /** A path, the name of a tool, or the first words. */
  readonly name: string;
  /** The entry of the journal it comes from; absent for the prefix. */
  readonly entryId?: string;
  /** Bytes of the request's body. */
  readonly bytes: number;
  /** Its share of the tokens; a picture costs about the same whatever its bytes. */
  readonly tokens: number;
}

/** The sums over `owners` are `bytes` and `tokens`: nothing of the request is without an owner. */
export interface ContextLedger {
  readonly provider: string;
  readonly model: string;
  /** The window in tokens; 0 when unknown. */
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

/** The kinds that are there, each with its sums. */
export function groupsOf({ owners }: Pick<ContextLedger, "owners">): LedgerGroup[] {
  return OWNER_KINDS.flatMap((kind) => {
    const own = owners.filter((owner) => owner.kind === kind);
    if (own.length === 0) return [];
    const sum = (field: "bytes" | "tokens"): number => own.reduce((total, owner) => total + owner[field], 0);
    return [{ kind, count: own.length, bytes: sum("bytes"), tokens: sum("tokens") }];
  });
}
