// What the exchange of messages needs to know about agents: where each reads its messages, and how to wake it.

import type { IrcMessage, IrcPeer, Receipt } from "../../contract/irc.ts";

/** The id of the session that talks with the user. */
export const MAIN = "Main";

/** A stored message. `entry` is the id that it will have in the recipient's journal. */
export interface StoredMessage extends IrcMessage {
  readonly to: string;
  readonly entry: string;
}

/** Messages that an agent's session has received but its model has not read. */
export interface Mailbox {
  /**
   * Called once for each message. `isAgain`: an earlier process may already have put it here. `note`: added text for
   * the reader.
   */
  put(message: StoredMessage, isAgain: boolean, note?: string): void;
  /** Unread messages in order of arrival. */
  unread(): readonly IrcMessage[];
  /** Removes a message that becomes the result of this call. */
  take(id: string, callId: string): void;
  /** Removes a message that the agent will not read. */
  drop(id: string): void;
}

/** Agents that one session is responsible for: its children, or itself. */
export interface AgentGroup {
  agents(): readonly Omit<IrcPeer, "unread">[];
  /** Undefined while the agent has no session. */
  mailbox(agentId: string): Mailbox | undefined;
  /** Whether a message still waits in the agent's queue, even if the agent has no session. */
  hasUnread(agentId: string, message: StoredMessage): Promise<boolean>;
  /** Wakes an agent to read its messages. Throws for the model if that is not possible. */
  wake(agentId: string, callId: string): Promise<Exclude<Receipt["outcome"], "failed">>;
  /** Stops the agent's current work. */
  stop(agentId: string, why: string): void;
}

/** A message between sessions of two processes, each of which is `Main` in its own process. */
export interface RelayedMessage extends Omit<IrcMessage, "id"> {
  readonly to: string;
  /** The sender's call. */
  readonly callId: string;
  /** How many messages in a row, including this one, have answered each other with no work in between. */
  readonly talk: number;
}

/** Agents in other processes. Only the session that talks with the user can reach them. */
export interface OutsideAgents {
  agents(): readonly Omit<IrcPeer, "unread">[];
  /** Sends a message to another process and returns what happened to it there. */
  relay(message: RelayedMessage): Promise<Receipt>;
}
