// The children of a session as the message exchange sees them.

import { ToolFailure } from "../../contract/tool.ts";
import { queuedIn } from "../../record/journal/queue-lines.ts";
import type { AgentGroup, Mailbox, StoredMessage } from "../irc/types.ts";
import type { Child } from "./child.ts";
import { readJournal } from "./life.ts";
import type { ParentSession } from "./parent.ts";
import { stop } from "./run-limits.ts";

/** How many characters of the assignment replace a missing description. */
const SHORT_TASK = 80;

export class ChildMail implements AgentGroup {
  readonly #children: ReadonlyMap<string, Child>;
  readonly #parent: ParentSession;
  readonly #wake: (child: Child, callId: string) => ReturnType<AgentGroup["wake"]>;

  constructor(
    children: ReadonlyMap<string, Child>,
    parent: ParentSession,
    wake: (child: Child, callId: string) => ReturnType<AgentGroup["wake"]>,
  ) {
    this.#children = children;
    this.#parent = parent;
    this.#wake = wake;
  }

  agents(): ReturnType<AgentGroup["agents"]> {
    return [...this.#children.values()].map((child) => ({
      id: child.facts.header.agentId,
      state: child.state,
      agent: child.facts.agent,
      description: child.facts.description ?? shortTask(child.facts.task),
      isGone: isGone(child),
    }));
  }

  mailbox(agentId: string): Mailbox | undefined {
    return this.#children.get(agentId)?.session?.mailbox;
  }

  async hasUnread(agentId: string, { id, entry }: StoredMessage): Promise<boolean> {
    const mailbox = this.mailbox(agentId);
    if (mailbox) return mailbox.unread().some((message) => message.id === id);
    const child = this.#children.get(agentId);
    // Messages that were kept in memory ended with their process.
    if (!child || !this.#parent.options.journal) return false;
    return readJournal(child, this.#parent, (journal) => queuedIn(journal).has(entry));
  }

  wake(agentId: string, callId: string): ReturnType<AgentGroup["wake"]> {
    return this.#wake(this.#children.get(agentId)!, callId);
  }

  stop(agentId: string, why: string): void {
    const child = this.#children.get(agentId);
    if (child) stop(child, why);
  }
}

/** Throws for the model if this child cannot be woken again. */
export function mustTakeMessages(child: Child): void {
  const { agentId } = child.facts.header;
  if (child.state === "aborted")
    throw new ToolFailure(`The agent ${agentId} was ended for good. Start another one for further work.`);
  if (isGone(child))
    throw new ToolFailure(`The agent ${agentId} worked on a copy that is gone. Start another one for further work.`);
}

/**
 * A nested child spends its parent's budget and works for its parent's result, so it works only while the parent does.
 */
export function mustBeAtWork({ agentId, isAtWork }: ParentSession, child: Child): void {
  if (agentId === undefined || isAtWork) return;
  const { agentId: id } = child.facts.header;
  throw new ToolFailure(`The agent ${id} works only while ${agentId} does. Send the message to ${agentId}.`);
}

/** True if its isolated copy is gone. A child that has not begun gets another one. */
const isGone = ({ facts, report, unread }: Child): boolean =>
  facts.isIsolated && report.status !== "running" && unread === undefined;

function shortTask(task: string): string {
  const [first = ""] = task.trim().split("\n", 1);
  return first.length > SHORT_TASK ? `${first.slice(0, SHORT_TASK)}…` : first;
}
