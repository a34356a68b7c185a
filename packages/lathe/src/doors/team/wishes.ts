// Requests about a team at local doors: from `lathe team` and the workers to the leader, and from the leader to a
// worker.

import type { Receipt } from "@lathe/agent/contract";
import type { JsonObject } from "@lathe/llm";
import {
  Checker,
  choice,
  exactly,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Static,
  text,
} from "@lathe/llm/schema";
import type { TeamState } from "./state.ts";

/** A message of `irc`, to the leader or to a worker. */
const message = object({
  kind: exactly("message"),
  from: text(),
  to: text(),
  text: text(),
  replyTo: optional(text()),
  callId: text(),
  talk: integer(),
});
export type TeamMessage = Static<typeof message>;

/** Whom a worker can send messages to. A list with a lower revision is outdated. */
const peers = object({
  kind: exactly("peers"),
  revision: integer(),
  peers: listOf(
    object({
      id: text(),
      state: choice(["running", "idle", "parked", "aborted"]),
      isGone: optional(flag()),
      description: optional(text()),
    }),
  ),
});
export type TeamPeers = Static<typeof peers>;

/** The leader's answer to a message: its receipt, and the current peers. */
export interface MessageAnswer {
  readonly receipt: Receipt;
  readonly peers: TeamPeers;
}

const wish = oneOf(
  /** Starts a team. With `dryRun`, only writes its state. */
  object({
    kind: exactly("start"),
    tasks: listOf(text()),
    workers: optional(integer()),
    dryRun: flag(),
  }),
  /** Answered when the team has changed since `after`, or at once without it. */
  object({ kind: exactly("state"), after: optional(integer()) }),
  object({ kind: exactly("stop") }),
  message,
);
export type TeamWish = Static<typeof wish>;
const WISH = new Checker(wish);

const toWorker = oneOf(peers, message);
const TO_WORKER = new Checker(toWorker);

/** The answer to `lathe team`. `revision` counts changes. */
export interface TeamNews {
  readonly revision: number;
  /** Null if this session has led no team. */
  readonly team: TeamState | null;
}

export const teamWish = (said: JsonObject): TeamWish | undefined =>
  WISH.wrongIn(said) === undefined ? (said as unknown as TeamWish) : undefined;

/** Undefined if it is a request to a leader. */
export const workerWish = (said: JsonObject): Static<typeof toWorker> | undefined =>
  TO_WORKER.wrongIn(said) === undefined ? (said as unknown as Static<typeof toWorker>) : undefined;
