// Messages between the sessions of a team. All go through the leader, which knows where each worker is.

import type { Exchange, OutsideAgents, RelayedMessage } from "@lathe/agent/agents";
import type { Receipt } from "@lathe/agent/contract";
import { messageOf } from "@lathe/llm";
import { isOver, LEADER, type TeamWorker } from "./state.ts";
import type { MessageAnswer, TeamMessage, TeamPeers } from "./wishes.ts";

export interface TeamMailParts {
  /** Absent if the leader itself takes and sends no messages. */
  readonly exchange: Exchange | undefined;
  readonly isLeaderAtWork: () => boolean;
  readonly workers: () => readonly TeamWorker[];
  /** Sends a line to a worker's door, once it has its task. Rejects if the worker is gone. */
  readonly say: (workerId: string, said: object) => Promise<unknown>;
}

export class TeamMail implements OutsideAgents {
  readonly #parts: TeamMailParts;
  #revision = 0;

  constructor(parts: TeamMailParts) {
    this.#parts = parts;
    parts.exchange?.reachOutside(this);
  }

  agents(): TeamPeers["peers"] {
    return this.#parts.workers().map(peerOf);
  }

  relay(message: RelayedMessage): Promise<Receipt> {
    return this.#deliver(message);
  }

  /** Delivers a message of a worker. */
  async pass(message: TeamMessage): Promise<MessageAnswer> {
    const receipt = same(message.to, LEADER) ? await this.#take(message) : await this.#deliver(message);
    return { receipt, peers: this.peersFor(message.from) };
  }

  peersFor(workerId: string): TeamPeers {
    const state = this.#parts.isLeaderAtWork() ? "running" : "idle";
    const others = this.agents().filter(({ id }) => id !== workerId);
    return { kind: "peers", revision: ++this.#revision, peers: [{ id: LEADER, state }, ...others] };
  }

  /** A worker or the leader has started, finished or left. */
  noteChange(): void {
    this.#parts.exchange?.noteChange();
    for (const { id, state } of this.#parts.workers().filter(isReachable)) {
      if (state === "planned" || state === "starting") continue;
      // A worker that is leaving needs no list of peers.
      this.#parts.say(id, this.peersFor(id)).catch(() => {});
    }
  }

  close(): void {
    this.#parts.exchange?.reachOutside(undefined);
  }

  async #take(message: RelayedMessage): Promise<Receipt> {
    const { exchange } = this.#parts;
    if (!exchange) return { to: LEADER, outcome: "failed", error: "The leader takes no messages." };
    return { ...(await exchange.receive(message)), to: LEADER };
  }

  async #deliver(message: RelayedMessage): Promise<Receipt> {
    const worker = this.#parts.workers().find(({ id }) => same(id, message.to));
    if (!worker) return { to: message.to, outcome: "failed", error: `The team has no ${message.to}.` };
    const { id: to } = worker;
    if (!isReachable(worker)) return { to, outcome: "failed", error: `${to} has finished.` };
    try {
      return { ...((await this.#parts.say(to, { kind: "message", ...message })) as Receipt), to };
    } catch (error) {
      return { to, outcome: "failed", error: messageOf(error) };
    }
  }
}

/** A worker whose work is landing no longer reads messages. */
const isReachable = (worker: TeamWorker): boolean => !isOver(worker) && worker.state !== "landing";
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const peerOf = (worker: TeamWorker): TeamPeers["peers"][number] => ({
  id: worker.id,
  state: worker.state === "interrupted" ? "idle" : isReachable(worker) ? "running" : "parked",
  ...(isReachable(worker) ? {} : { isGone: true }),
  description: worker.task,
});
