// Messages between the agents of a session, as the tool sees them. The session that the user talks to is `Main`; the
// others go by their ids.

import type { AgentState } from "./subagents.ts";

/** A message as its recipient reads it. */
export interface IrcMessage {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  /** The message that this one answers. */
  readonly replyTo?: string | undefined;
}

/**
 * What happened to a message: a running agent reads it at its next step; an idle or parked agent is woken by it; or it
 * was not delivered.
 */
export interface Receipt {
  readonly to: string;
  readonly outcome: "injected" | "woken" | "revived" | "failed";
  /** The id of the message. */
  readonly id?: string | undefined;
  readonly error?: string | undefined;
  /** The recipient's mailbox was full, so its oldest message was dropped. */
  readonly dropped?: boolean | undefined;
}

/** Another agent of the session. */
export interface IrcPeer {
  readonly id: string;
  readonly state: AgentState;
  /** The agent has ended and cannot be reached any more. */
  readonly isGone?: boolean | undefined;
  /** The kind of agent. */
  readonly agent?: string | undefined;
  readonly description?: string | undefined;
  /** Number of messages that it has not read. */
  readonly unread: number;
}

/**
 * How waiting for a message ended: with a message, at the time limit (milliseconds), or because no message could come.
 */
export type Waited =
  | { readonly kind: "message"; readonly message: IrcMessage }
  | { readonly kind: "timeout"; readonly ms: number }
  | { readonly kind: "refused"; readonly why: string };

/** What one agent can do with messages. */
export interface IrcService {
  /** The id of the agent itself. */
  readonly self: string;
  /** The other agents, except aborted ones. */
  peers(): readonly IrcPeer[];
  /** Returns one receipt per recipient. Repeating the same call never sends twice. */
  send(message: {
    readonly to: string;
    readonly text: string;
    readonly replyTo?: string | undefined;
    readonly callId: string;
  }): Promise<readonly Receipt[]>;
  /** Waits for the next message from `from`, or from any agent. `timeoutMs` 0: no limit. */
  wait(wish: {
    readonly from?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly callId: string;
    readonly signal: AbortSignal;
  }): Promise<Waited>;
  /** Messages that this agent has not read. They count as read afterwards, unless `peek` is set. */
  inbox(wish: { readonly peek: boolean; readonly callId: string }): readonly IrcMessage[];
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly irc?: IrcService;
  }
}
