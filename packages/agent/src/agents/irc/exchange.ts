// The exchange of messages between a session and its agents. A message is logged, then put into the queue of the
// recipient's session under an id that makes a second delivery a no-op. If the recipient has no session, the message
// waits here until it has one.

import type { SessionDeps } from "../../base/time/deadline.ts";
import type { IrcMessage, IrcPeer, IrcService, Receipt, Waited } from "../../contract/irc.ts";
import { ToolFailure } from "../../contract/tool.ts";
import { type LogParts, MessageLog } from "./log.ts";
import { checkedReply, checkedText } from "./message.ts";
import { MOST_TALK, Talk } from "./talk.ts";
import {
  type AgentGroup,
  MAIN,
  type Mailbox,
  type OutsideAgents,
  type RelayedMessage,
  type StoredMessage,
} from "./types.ts";
import { type Wait, Waits } from "./waits.ts";

/** How many messages an agent may leave unread; beyond that, the oldest are dropped. */
const MOST_UNREAD = 100;
const DEFAULT_TIMEOUT_MS = 120_000;
const EVERYBODY = "all";

/** What an exchange works with. */
export interface ExchangeParts extends Omit<LogParts, "now"> {
  readonly deps: SessionDeps;
  /** How long a call waits by default; 0: without a limit. */
  readonly timeoutMs?: (() => number) | undefined;
}

interface Place {
  readonly agent: Omit<IrcPeer, "unread">;
  readonly group: AgentGroup;
}

/** A call that waits for a message. */
interface Waiter extends Wait {
  readonly callId: string;
  readonly settle: (waited: Waited) => void;
}

type Wish<K extends "send" | "wait" | "inbox"> = Parameters<IrcService[K]>[0];

/** The messages between a session and its agents. The first session of a tree opens it. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #log: MessageLog;
  readonly #groups = new Set<AgentGroup>();
  #outside: OutsideAgents | undefined;
  readonly #waits: Waits;
  readonly #waiters = new Set<Waiter>();
  readonly #talk = new Talk();
  /** Messages that were sent but are not in a session's queue yet, by recipient. */
  readonly #pending = new Map<string, StoredMessage[]>();

  /** How many messages each recipient lost; kept until it is told. */
  readonly #dropped = new Map<string, number>();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#log = new MessageLog({ ...parts, now: parts.deps.now });
    this.#waits = new Waits(() =>
      [...this.#places().map(({ agent }) => agent), ...this.#outsideFor(MAIN)].flatMap(({ id, state, isGone }) =>
        state === "running" && !isGone ? [id] : [],
      ),
    );
  }

  join(group: AgentGroup): void {
    this.#groups.add(group);
  }

  leave(group: AgentGroup): void {
    this.#groups.delete(group);
  }

  /**
   * Agents in other processes that the session itself can also reach; undefined if there are none any more.
   * `noteChange` reports changes among them.
   */
  reachOutside(agents: OutsideAgents | undefined): void {
    this.#outside = agents;
    this.noteChange();
  }

  /** Delivers a message from an agent in another process to the session itself. */
  async receive({ from, text, replyTo, callId, talk }: RelayedMessage): Promise<Receipt> {
    const draft = { from, to: MAIN, text: checkedText(text), replyTo: checkedReply(replyTo) };
    this.#talk.noteLength(talk, MAIN);
    return this.#sendTo(this.#place(MAIN), draft, callId);
  }

  /**
   * Delivers messages that an earlier process did not: to the session itself now, to an agent as soon as it has a
   * session.
   */
  recover(mailbox: Mailbox): void {
    for (const message of this.#log.recover()) this.#keep(message);
    this.handOver(MAIN, mailbox);
  }

  serviceFor(agentId: string): IrcService {
    return {
      self: agentId,
      peers: () => this.#peersOf(agentId),
      send: (message) => this.#send(agentId, message),
      wait: (wish) => this.#wait(agentId, wish),
      inbox: (wish) => this.#inbox(agentId, wish),
    };
  }

  /** How many messages an agent has not read. */
  unread(agentId: string): number {
    const taken = this.#place(agentId)?.group.mailbox(agentId)?.unread().length ?? 0;
    return taken + (this.#pending.get(agentId)?.length ?? 0);
  }

  /** The agents that a new one can reach: their ids and what they do. */
  roster(): readonly Pick<IrcPeer, "id" | "description">[] {
    return this.#places().flatMap(({ agent }) => (isReachable(agent) ? [agent] : []));
  }

  /** Puts the messages for an agent into the queue of its session. */
  handOver(agentId: string, mailbox: Mailbox): boolean {
    const waiting = this.#pending.get(agentId) ?? [];
    this.#pending.delete(agentId);
    let dropped = false;
    for (const message of waiting) {
      const unread = mailbox.unread();
      const oldest = unread.length < MOST_UNREAD ? undefined : unread[0];
      if (oldest) {
        mailbox.drop(oldest.id);
        this.#countDropped(agentId);
      }
      mailbox.put(message, this.#log.isLeft(message), this.#droppedNote(agentId));
      this.#log.recordDelivery(message.id);
      dropped ||= oldest !== undefined;
    }
    this.#answer(agentId, mailbox);
    return dropped;
  }

  /** Called when an agent has begun or ended. Ends waits that nothing can end any more. */
  noteChange(): void {
    for (const waiter of this.#waiters) {
      const why = this.#waits.problemOf(waiter);
      if (why !== undefined) waiter.settle({ kind: "refused", why });
    }
  }

  /** Called when an agent did something besides talking. */
  noteProgress(agentId: string): void {
    this.#talk.noteProgress(agentId);
  }

  /** Records that an agent waits for something other than a message. The returned function ends the wait. */
  waits(wait: Wait): () => void {
    this.#waits.add(wait);
    this.noteChange();
    return () => this.#waits.remove(wait);
  }

  // ---- inside ----

  async #send(from: string, { to: wished, text: raw, replyTo, callId }: Wish<"send">): Promise<readonly Receipt[]> {
    const message = { from, text: checkedText(raw), replyTo: checkedReply(replyTo) };
    const to = wished.trim();
    if (to === "") throw new ToolFailure('to is empty. Give the id of an agent, or "all".');
    if (same(to, from)) throw new ToolFailure("You cannot send a message to yourself.");
    this.#refuseTalk(from, to);
    const outside = this.#outsideFor(from);
    if (!same(to, EVERYBODY)) {
      const there = outside.find(({ id }) => same(id, to));
      return [
        there
          ? await this.#relay(there.id, message, callId)
          : await this.#sendTo(this.#place(to), { ...message, to }, callId),
      ];
    }
    const live = this.#places().filter(({ agent: { id, state } }) => id !== from && isLive(state));
    const liveOutside = outside.filter(({ state, isGone }) => isLive(state) && !isGone);
    if (live.length + liveOutside.length === 0)
      throw new ToolFailure("No other agent is running or idle, so no agent would get the message.");
    return Promise.all([
      ...live.map((place) => this.#sendTo(place, { ...message, to: place.agent.id }, callId)),
      ...liveOutside.map(({ id }) => this.#relay(id, message, callId)),
    ]);
  }

  async #relay(
    to: string,
    { from, text, replyTo }: Pick<StoredMessage, "from" | "text" | "replyTo">,
    callId: string,
  ): Promise<Receipt> {
    const talk = this.#talk.lengthFor(from);
    const receipt = await this.#outside?.relay({ from, to, text: this.#parts.redact(text), replyTo, callId, talk });
    this.noteChange();
    return receipt ?? { to, outcome: "failed", error: this.#unknown(to, from) };
  }

  async #sendTo(
    place: Place | undefined,
    draft: Pick<StoredMessage, "from" | "to" | "text" | "replyTo">,
    callId: string,
  ): Promise<Receipt> {
    const { from } = draft;
    if (!place) return { to: draft.to, outcome: "failed", error: this.#unknown(draft.to, from) };
    const { id: to } = place.agent;
    let message = this.#log.sentBefore(from, callId, to);
    if (!message) {
      message = this.#log.recordSent({ ...draft, to }, callId);
      this.#keep(message);
    }
    this.#talk.noteMessage(from, to);
    try {
      const { outcome, dropped } = await this.#deliver(place, message);
      this.noteChange();
      return { to, outcome, id: message.id, ...(dropped ? { dropped } : {}) };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      this.#withdraw(message);
      return { to, outcome: "failed", error: error.message };
    }
  }

  async #deliver(
    { agent: { id, state }, group }: Place,
    message: StoredMessage,
  ): Promise<Pick<Receipt, "outcome" | "dropped">> {
    const mailbox = group.mailbox(id);
    if (state === "running") return { outcome: "injected", dropped: mailbox && this.handOver(id, mailbox) };
    // If the call is repeated and the agent has read the message, we do not wake it again.
    const isUnread = this.#isPending(message) || (await group.hasUnread(id, message));
    return { outcome: isUnread ? await group.wake(id, `irc:${message.id}`) : "injected" };
  }

  #refuseTalk(from: string, to: string): void {
    if (this.#talk.lengthFor(from) <= MOST_TALK) return;
    // The chain also counts for the agent that would have answered, so it is stopped too if it goes on.
    this.#talk.noteMessage(from, this.#place(to)?.agent.id ?? to);
    const why = `it only talked: ${MOST_TALK} messages answered each other and no agent did anything else`;
    this.#place(from)?.group.stop(from, why);
    throw new ToolFailure(
      `The message was not sent: ${MOST_TALK} messages answered each other with no work in between.`,
    );
  }

  async #wait(agent: string, { from, timeoutMs, callId, signal }: Wish<"wait">): Promise<Waited> {
    const of = from === undefined ? undefined : this.#nameFor(from, agent);
    const mailbox = this.#place(agent)?.group.mailbox(agent);
    const ready = mailbox?.unread().find((message) => of === undefined || message.from === of);
    if (mailbox && ready) {
      mailbox.take(ready.id, callId);
      return { kind: "message", message: ready };
    }
    const wait: Wait = { agent, of, until: "message" };
    const why = this.#waits.problemOf(wait);
    if (why !== undefined) return { kind: "refused", why };
    const limit = timeOf(timeoutMs) ?? timeOf(this.#parts.timeoutMs?.()) ?? DEFAULT_TIMEOUT_MS;
    // We cannot see whether agents of other processes wait for this one.
    const ms = limit === 0 && this.#outsideFor(agent).length > 0 ? DEFAULT_TIMEOUT_MS : limit;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        timer?.cancel();
        signal.removeEventListener("abort", onAbort);
        this.#waiters.delete(waiter);
        this.#waits.remove(waiter);
      };
      const waiter: Waiter = {
        ...wait,
        callId,
        settle: (waited) => {
          leave();
          resolve(waited);
        },
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      const timer = ms === 0 ? undefined : this.#parts.deps.setTimer(() => waiter.settle({ kind: "timeout", ms }), ms);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiters.add(waiter);
      this.#waits.add(waiter);
      // Others may have waited for this agent.
      this.noteChange();
    });
  }

  #inbox(agent: string, { peek, callId }: Wish<"inbox">): readonly IrcMessage[] {
    const mailbox = this.#place(agent)?.group.mailbox(agent);
    const unread = mailbox?.unread() ?? [];
    if (!peek) for (const { id } of unread) mailbox?.take(id, callId);
    return unread;
  }

  /** Messages that calls wait for become the results of those calls. */
  #answer(agentId: string, mailbox: Mailbox): void {
    for (const message of mailbox.unread()) {
      const waiter = [...this.#waiters].find(
        ({ agent, of }) => agent === agentId && (of === undefined || of === message.from),
      );
      if (!waiter) continue;
      mailbox.take(message.id, waiter.callId);
      waiter.settle({ kind: "message", message });
    }
  }

  #keep(message: StoredMessage): void {
    const waiting = this.#pending.get(message.to) ?? [];
    waiting.push(message);
    const oldest = waiting.length > MOST_UNREAD ? waiting.shift() : undefined;
    if (oldest) {
      this.#log.recordFailure(oldest.id);
      this.#countDropped(message.to);
    }
    this.#pending.set(message.to, waiting);
  }

  #countDropped(agentId: string): void {
    this.#dropped.set(agentId, (this.#dropped.get(agentId) ?? 0) + 1);
  }

  /** Tells the reader of the next message how many were dropped. */
  #droppedNote(agentId: string): string | undefined {
    const count = this.#dropped.get(agentId);
    this.#dropped.delete(agentId);
    if (count === undefined) return undefined;
    return `${count} older unread ${count === 1 ? "message was" : "messages were"} dropped: a mailbox holds ${MOST_UNREAD}`;
  }

  #isPending({ to, id }: StoredMessage): boolean {
    return this.#pending.get(to)?.some((one) => one.id === id) ?? false;
  }

  #withdraw(message: StoredMessage): void {
    const waiting = this.#pending.get(message.to) ?? [];
    if (!this.#isPending(message)) return;
    this.#pending.set(
      message.to,
      waiting.filter(({ id }) => id !== message.id),
    );
    this.#log.recordFailure(message.id);
  }

  #peersOf(self: string): readonly IrcPeer[] {
    const own = this.#places().flatMap(({ agent }) =>
      agent.id === self || agent.state === "aborted" ? [] : [{ ...agent, unread: this.unread(agent.id) }],
    );
    return [...own, ...this.#outsideFor(self).map((agent) => ({ ...agent, unread: 0 }))];
  }

  #outsideFor(self: string): ReturnType<OutsideAgents["agents"]> {
    return self === MAIN ? (this.#outside?.agents() ?? []) : [];
  }

  #places(): readonly Place[] {
    return [...this.#groups].flatMap((group) => group.agents().map((agent) => ({ agent, group })));
  }

  #place(agentId: string): Place | undefined {
    return this.#places().find(({ agent }) => same(agent.id, agentId));
  }

  /** The exact id. Throws for the model if there is no such agent. */
  #nameFor(agentId: string, self: string): string {
    const wished = agentId.trim();
    if (same(wished, self)) throw new ToolFailure("You cannot wait for a message from yourself.");
    const known = this.#place(wished)?.agent ?? this.#outsideFor(self).find(({ id }) => same(id, wished));
    if (!known) throw new ToolFailure(this.#unknown(wished, self));
    return known.id;
  }

  #unknown(agentId: string, self: string): string {
    const known = this.#peersOf(self).map(({ id }) => id);
    const parent = this.#place(agentId.slice(0, Math.max(0, agentId.lastIndexOf("."))))?.agent.id;
    if (parent !== undefined && !isLive(this.#place(parent)!.agent.state))
      return `Agents of ${parent} can be reached while it works; it does not now. Send the message to ${parent}.`;
    return `There is no agent ${agentId}; ${known.length === 0 ? "there are no others" : `known: ${known.join(", ")}`}.`;
  }
}

const isLive = (state: IrcPeer["state"]): boolean => state === "running" || state === "idle";
const isReachable = ({ state, isGone }: Omit<IrcPeer, "unread">): boolean => state !== "aborted" && !isGone;
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Undefined if the number is not a valid time. */
function timeOf(ms: number | undefined): number | undefined {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return undefined;
  return ms === 0 ? 0 : Math.max(1, Math.trunc(ms));
}
