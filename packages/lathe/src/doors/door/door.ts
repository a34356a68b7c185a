// What a door to a session is: state, events from a number on, commands and answers, for any number of clients at once. Plain data
// and one interface; who holds the session (this process, or a child of it) is the business of the two implementations.

import type { CommandData, CommandName, CommandParams, RpcSessionState } from "../../hosts/rpc/commands.ts";
import type { UiRequest, UiResponse } from "../../hosts/rpc/frames.ts";
import type { Scope } from "../../hosts/rpc/scopes.ts";
import type { WireEvent } from "../../hosts/wire/events.ts";

export type { Scope } from "../../hosts/rpc/scopes.ts";

/** Someone at a door. `name` is shown to the others, for example as the giver of an answer. */
export interface DoorClient {
  readonly name: string;
  readonly kind: "terminal" | "browser" | "editor" | "program";
  readonly scopes: ReadonlySet<Scope>;
}

/** A question that waits for an answer. */
export type Dialog = Extract<UiRequest, { method: "select" | "confirm" | "input" | "editor" }>;
/** An answer without the id of its question, which stands in the address. */
export type DialogAnswer = Omit<UiResponse, "type" | "id" | "by">;

/** What clients see of the others. */
export interface ClientRow {
  readonly name: string;
  readonly kind: DoorClient["kind"];
}

/**
 * One step of the stream. `seq` counts without gaps, in each door from a number that no earlier door to the session has reached. A
 * client that names the last number it has seen gets what came after; where the door does not remember that far, it gets a `snapshot`
 * first, and reads the entries again.
 */
export type DoorFrame = { readonly seq: number } & (
  | { readonly kind: "event"; readonly event: WireEvent }
  | { readonly kind: "question"; readonly question: Dialog }
  /** `by`: the client's name, or `deadline`, or `session` when it was settled in another way. */
  | { readonly kind: "settled"; readonly questionId: string; readonly by: string; readonly answer?: DialogAnswer }
  | { readonly kind: "clients"; readonly clients: readonly ClientRow[] }
  /** Another session is the present one of this door. */
  | { readonly kind: "session"; readonly sessionId: string }
  /** The session's process has ended; `problem`: it was not asked to. */
  | { readonly kind: "closed"; readonly problem?: string }
  | { readonly kind: "snapshot"; readonly snapshot: SessionSnapshot }
);

/** Where the session stands at `seq`. Everything that has ended is in the entries. */
export interface SessionSnapshot {
  readonly state: RpcSessionState;
  readonly lastEntryId: string | null;
  readonly questions: readonly Dialog[];
  readonly clients: readonly ClientRow[];
  /** Events of the turn that is not yet in the entries, with merged deltas: what a client draws of the running turn. */
  readonly running: readonly WireEvent[];
}

/** `settled`: another answer came first, and `by` says whose. */
export type AnswerOutcome =
  | { readonly status: "accepted" }
  | { readonly status: "settled"; readonly by: string }
  | { readonly status: "unknown" };

/** A session that several clients use. */
export interface Door {
  /** Of the present session. */
  readonly sessionId: string;
  readonly isBusy: boolean;
  readonly questions: readonly Dialog[];
  /** Rejects with `Refusal` (code and message) or RpcError. Scopes are the caller's business: see `scopeOf`. */
  command<K extends CommandName>(client: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>>;
  answer(client: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome>;
  /** From the one after `after` on; absent: a snapshot comes first. Ends with the door, or when the reader returns. */
  follow(client: DoorClient, after?: number): AsyncIterable<DoorFrame>;
  close(): Promise<void>;
}
