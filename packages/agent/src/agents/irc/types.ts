// What the exchange of messages needs of the agents: where each reads its messages, and what sets it to work.

import type { IrcMessage, IrcPeer, Receipt } from "../../contract/irc.ts";

/** The id of the session that talks with a person. */
export const MAIN = "Main";

/** A message as it is kept: `entry` is the id that it will have in the journal of its recipient. */
export interface StoredMessage extends IrcMessage {
  readonly to: string;
  readonly entry: string;
}

/** The messages that the session of an agent has taken and its model has not read. */
export interface Mailbox {
  /** Called once for each message. `isAgain`: an earlier process may have put it here. `note`: what its reader is told besides. */
  put(message: StoredMessage, isAgain: boolean, note?: string): void;
  /** Unread messages in the order in which they came. */
  unread(): readonly IrcMessage[];
  /** Takes a message out, for the result of this call. */
  take(id: string, callId: string): void;
  /** Removes a message that the agent will not read. */
  drop(id: string): void;
}

/** Agents that one session is responsible for: its children, or itself. */
export interface AgentGroup {
  agents(): readonly Omit<IrcPeer, "unread">[];
  /** Undefined while the agent has no session. */
  mailbox(agentId: string): Mailbox | undefined;
  /** Whether a message still waits in the queue of an agent, with a session or without. */
  hasUnread(agentId: string, message: StoredMessage): Promise<boolean>;
  /** Sets an agent to work on its messages. Throws for the model when that is not possible. */
  wake(agentId: string, callId: string): Promise<Exclude<Receipt["outcome"], "failed">>;
  /** Ends what the agent works on. */
  stop(agentId: string, why: string): void;
}

/** A message between sessions of two processes, each of which is `Main` where it runs. */
export interface RelayedMessage extends Omit<IrcMessage, "id"> {
  readonly to: string;
  /** Of the sender. */
  readonly callId: string;
  /** So many messages, this one included, have answered each other with no work in between. */
  readonly talk: number;
}

/** Agents in other processes. Only the session that talks with a person reaches them. */
export interface OutsideAgents {
  agents(): readonly Omit<IrcPeer, "unread">[];
  /** What became of the message there. */
  relay(message: RelayedMessage): Promise<Receipt>;
}
