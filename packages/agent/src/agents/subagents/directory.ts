// All agents of one session, whichever agent started them: what each is doing, and what can be done with it. Hosts
// learn at once when an agent begins or ends; progress is throttled, so that many agents together cannot flood a host.

import type { SessionDeps } from "../../base/time/deadline.ts";
import type { SessionEvent } from "../../contract/events/types.ts";
import type { AgentDirectory, AgentOverview, AgentReport, SendReceipt } from "../../contract/subagents.ts";
import { ToolFailure } from "../../contract/tool.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { Activity } from "./activity.ts";
import type { Child } from "./child.ts";
import { rememberedChild } from "./child.ts";
import { knownAgents } from "./records.ts";

/** Interval between two progress reports of an agent. */
const PROGRESS_MS = 150;
const STOPPED = "the user stopped it";
const WAITING = { turn: "Waiting for its turn", memory: "Waiting for memory" } as const;

/** The session or agent that started an agent and can reach it. */
export interface AgentOwner {
  /** The agent that this owner is; undefined for the session itself. */
  readonly agentId: string | undefined;
  /** True if its session has ended, so that it can reach no agent any more. */
  readonly isClosed: boolean;
  send(agentId: string, message: string): Promise<AgentReport>;
  stop(agentId: string, why: string): Promise<AgentReport>;
  revive(agentId: string): Promise<AgentReport>;
  withJournal<T>(child: Child, read: (journal: Journal) => T): Promise<T>;
}

interface DirectoryParts {
  readonly deps: SessionDeps;
  /** Whether hosts get progress reports; see `SubagentOptions.isTaped`. */
  readonly tellsProgress: boolean;
  tell(kind: "agent_lifecycle" | "agent_progress", agent: AgentOverview): void;
}

interface Entry {
  child: Child;
  owner: AgentOwner;
  readonly activity: Activity;
  /** True once we know the agents that it started in an earlier process. */
  isLoaded: boolean;
  toldAt: number;
  timer: { cancel(): void } | undefined;
}

export class Directory implements AgentDirectory {
  readonly #parts: DirectoryParts;
  readonly #entries = new Map<string, Entry>();
  /** Set by the code that delivers messages: how many an agent has not read. */
  unread: (agentId: string) => number = () => 0;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  /** Adds a new agent, or one that its reopened parent remembers. */
  add(child: Child, owner: AgentOwner): void {
    const { agentId } = child.facts.header;
    const known = this.#entries.get(agentId);
    if (known) Object.assign(known, { child, owner });
    else
      this.#entries.set(agentId, {
        child,
        owner,
        activity: new Activity(),
        // A working agent reports its own agents.
        isLoaded: child.state === "running",
        toldAt: Number.NEGATIVE_INFINITY,
        timer: undefined,
      });
  }

  /** Handles an event of the agent's session. */
  noteEvent(agentId: string, event: SessionEvent): void {
    const entry = this.#entries.get(agentId);
    if (!entry?.activity.follow(event) || entry.timer || !this.#parts.tellsProgress) return;
    const due = entry.toldAt + PROGRESS_MS - event.timestamp;
    if (due <= 0) this.#progress(entry, event.timestamp);
    else entry.timer = this.#parts.deps.setTimer(() => this.#progress(entry, this.#parts.deps.now()), due);
  }

  /** Called when the agent's state has changed. */
  noteChange({ facts, state }: Child): void {
    const entry = this.#entries.get(facts.header.agentId);
    if (!entry) return;
    entry.timer?.cancel();
    entry.timer = undefined;
    // What it did is in its journal; a parked agent keeps nothing in memory.
    if (state === "parked" || state === "aborted") entry.activity.clear();
    this.#parts.tell("agent_lifecycle", this.#overview(entry));
  }

  /** Called when the agent starts or stops waiting for something. */
  waits({ facts }: Child): void {
    const entry = this.#entries.get(facts.header.agentId);
    if (entry && this.#parts.tellsProgress) this.#progress(entry, this.#parts.deps.now());
  }

  /**
   * For all agents except this one and those above it: how many work themselves instead of waiting for their own
   * agents, and how many of those have not sent their first request yet.
   */
  others(agentId: string): { readonly atWork: number; readonly starting: number } {
    const running = [...this.#entries].flatMap(([id, { child }]) => (child.run ? [{ id, run: child.run }] : []));
    const isBelow = (id: string, above: string): boolean => id.startsWith(`${above}.`);
    const others = running.filter(
      ({ id, run }) =>
        id !== agentId &&
        run.waitsFor === undefined &&
        !running.some((other) => isBelow(other.id, id)) &&
        !isBelow(agentId, id),
    );
    return { atWork: others.length, starting: others.filter(({ run }) => run.requests === 0).length };
  }

  /** Called when the session has ended. */
  close(): void {
    for (const entry of this.#entries.values()) entry.timer?.cancel();
  }

  list(): readonly AgentOverview[] {
    const below = new Map<string | undefined, Entry[]>();
    for (const entry of this.#entries.values()) {
      const { agentId: parent } = entry.owner;
      const siblings = below.get(parent);
      if (siblings) siblings.push(entry);
      else below.set(parent, [entry]);
    }
    const tree = (parent: string | undefined): AgentOverview[] =>
      (below.get(parent) ?? []).flatMap((entry) => [this.#overview(entry), ...tree(entry.child.facts.header.agentId)]);
    return tree(undefined);
  }

  get running(): number {
    let count = 0;
    for (const { child } of this.#entries.values()) if (child.run) count++;
    return count;
  }

  async send(agentId: string, message: string): Promise<SendReceipt> {
    const entry = this.#reachable(agentId);
    if (message.trim() === "") throw new ToolFailure(`The message to ${agentId} is empty. Say what it should do.`);
    const { state, report } = entry.child;
    const how = report.status === "running" ? "steered" : state === "parked" ? "revived" : "continued";
    await entry.owner.send(agentId, message);
    return { how, agent: this.#overview(entry) };
  }

  async stop(agentId: string): Promise<AgentOverview> {
    const entry = this.#reachable(agentId);
    if (!entry.child.run) throw new ToolFailure(`The agent ${agentId} is not at work: it is ${entry.child.state}.`);
    await entry.owner.stop(agentId, STOPPED);
    return this.#overview(entry);
  }

  async stopAll(): Promise<readonly AgentOverview[]> {
    const running = [...this.#entries].filter(([, { child, owner }]) => child.run && !owner.isClosed);
    await Promise.all(running.map(([agentId, { owner }]) => owner.stop(agentId, STOPPED)));
    return running.map(([, entry]) => this.#overview(entry));
  }

  async revive(agentId: string): Promise<AgentOverview> {
    const entry = this.#reachable(agentId);
    await entry.owner.revive(agentId);
    return this.#overview(entry);
  }

  outputOf(agentId: string): string {
    return this.#entry(agentId).child.report.output;
  }

  /** The content that the agent was given but has not read. */
  unreadBy(agentId: string): string | undefined {
    return this.#entry(agentId).child.unread;
  }

  has(agentId: string): boolean {
    return this.#entries.has(agentId);
  }

  withJournal<T>(agentId: string, read: (journal: Journal) => T): Promise<T> {
    const { owner, child } = this.#entry(agentId);
    return owner.withJournal(child, read);
  }

  async load(): Promise<void> {
    // The loop also visits agents that it adds, because iterating a Map includes entries added meanwhile.
    for (const [agentId, entry] of this.#entries) {
      if (entry.isLoaded || entry.child.session) continue;
      entry.isLoaded = true;
      const records = await entry.owner.withJournal(entry.child, (journal) => knownAgents({ journal }));
      for (const record of records)
        if (!this.#entries.has(record.header.agentId))
          this.add(rememberedChild(record), pastOwner(agentId, entry.owner));
    }
  }

  #progress(entry: Entry, now: number): void {
    entry.timer = undefined;
    entry.toldAt = now;
    this.#parts.tell("agent_progress", this.#overview(entry));
  }

  #overview({ child, owner, activity }: Entry): AgentOverview {
    const { facts, report, state, session, run, ended, view } = child;
    const { agentId } = facts.header;
    const { usage, cost, turns } = session?.usage ?? child.spent;
    const startedAt = run?.startedAt ?? ended?.startedAt;
    return {
      agentId,
      ...(owner.agentId === undefined ? {} : { parentId: owner.agentId }),
      ...(facts.agent === undefined ? {} : { agent: facts.agent }),
      ...(facts.description === undefined ? {} : { description: facts.description }),
      assignment: facts.task,
      ...(view === undefined ? {} : { view }),
      state,
      status: report.status,
      cost,
      tokens: usage.totalTokens,
      requests: turns,
      doing: run?.waitsFor === undefined ? activity.doing : WAITING[run.waitsFor],
      tail: activity.lines,
      unread: this.unread(agentId),
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(run || !ended ? {} : { endedAt: ended.endedAt }),
    };
  }

  #reachable(agentId: string): Entry {
    const entry = this.#entry(agentId);
    const { owner } = entry;
    if (!owner.isClosed) return entry;
    const parent = owner.agentId === undefined ? "a session that has ended" : `${owner.agentId}, which is not open`;
    const next = owner.agentId === undefined ? "" : ` Send ${owner.agentId} a message first.`;
    throw new ToolFailure(`The agent ${agentId} belongs to ${parent}.${next}`);
  }

  #entry(agentId: string): Entry {
    const entry = this.#entries.get(agentId);
    if (!entry) throw new ToolFailure(unknownAgent(agentId, [...this.#entries.keys()]));
    return entry;
  }
}

/** The owner for agents whose parent has no session: they can be read, but not reached. */
function pastOwner(agentId: string, above: AgentOwner): AgentOwner {
  const unreachable = (): never => {
    throw new Error(`${agentId} has no session`);
  };
  return {
    agentId,
    isClosed: true,
    send: unreachable,
    stop: unreachable,
    revive: unreachable,
    withJournal: (child, read) => above.withJournal(child, read),
  };
}

/** The message lists the agents that exist. */
export function unknownAgent(agentId: string, known: readonly string[]): string {
  return `There is no agent ${agentId}; ${known.length === 0 ? "there are none" : `known: ${known.join(", ")}`}.`;
}
