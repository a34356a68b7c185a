// The interface of a door to a session: state, numbered events, commands and answers, for any number of clients at
// once. Its two implementations decide whether this process or a child process holds the session.

import type { CommandData, CommandName, CommandParams, RpcSessionState } from "../../hosts/rpc/commands.ts";
import type { UiRequest, UiResponse } from "../../hosts/rpc/frames.ts";
import type { Scope } from "../../hosts/rpc/scopes.ts";
import type { WireEvent } from "../../hosts/wire/events.ts";

export type { Scope } from "../../hosts/rpc/scopes.ts";

/** A client at a door. The others see its `name`, for example when it answers a question. */
export interface DoorClient {
  readonly name: string;
  readonly kind: "terminal" | "browser" | "editor" | "program";
  readonly scopes: ReadonlySet<Scope>;
}

/** A question that waits for an answer. */
export type Dialog = Extract<UiRequest, { method: "select" | "confirm" | "input" | "editor" }>;
/** An answer without the id of its question, which is part of the address. */
export type DialogAnswer = Omit<UiResponse, "type" | "id" | "by">;

/** What clients see of each other. */
export interface ClientRow {
  readonly name: string;
  readonly kind: DoorClient["kind"];
}

/**
 * One step of the stream. `seq` counts without gaps; each door starts above every number of an earlier door to the
 * session. A client that passes the last number it has seen gets what came after; if the door no longer has those
 * frames, it gets a `snapshot` first and reads the entries again.
 */
export type DoorFrame = { readonly seq: number } & (
  | { readonly kind: "event"; readonly event: WireEvent }
  | { readonly kind: "question"; readonly question: Dialog }
  /** `by` is the name of a client, or `deadline`, or `session` if the question was closed in another way. */
  | { readonly kind: "settled"; readonly questionId: string; readonly by: string; readonly answer?: DialogAnswer }
  | { readonly kind: "clients"; readonly clients: readonly ClientRow[] }
  /** The door now shows another session. */
  | { readonly kind: "session"; readonly sessionId: string }
  /** The session's process has ended; `problem` is set if it was not asked to. */
  | { readonly kind: "closed"; readonly problem?: string }
  | { readonly kind: "snapshot"; readonly snapshot: SessionSnapshot }
);

/** The state of the session at `seq`. Everything that has ended is in the entries. */
export interface SessionSnapshot {
  readonly state: RpcSessionState;
  readonly lastEntryId: string | null;
  readonly questions: readonly Dialog[];
  readonly clients: readonly ClientRow[];
  /**
   * Events of the current turn that are not in the entries yet, with merged deltas: a client draws the running turn
   * from these.
   */
  readonly running: readonly WireEvent[];
}

/** `settled`: another answer came first, given by `by`. */
export type AnswerOutcome =
  | { readonly status: "accepted" }
  | { readonly status: "settled"; readonly by: string }
  | { readonly status: "unknown" };

/** A session that several clients use. */
export interface Door {
  /** The id of the current session. */
  readonly sessionId: string;
  readonly isBusy: boolean;
  readonly questions: readonly Dialog[];
  /** Rejects with `Refusal` (code and message) or RpcError. The caller checks scopes: see `scopeOf`. */
  command<K extends CommandName>(client: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>>;
  answer(client: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome>;
  /**
   * Frames after number `after`; without it, a snapshot comes first. Ends with the door, or when the reader returns.
   */
  follow(client: DoorClient, after?: number): AsyncIterable<DoorFrame>;
  close(): Promise<void>;
}
