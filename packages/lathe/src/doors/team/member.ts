// The worker's side of its team: whom it can send messages to, and messages that arrive. Everything goes through the
// leader.

import type { OutsideAgents, RelayedMessage } from "@lathe/agent/agents";
import type { Receipt } from "@lathe/agent/contract";
import { type JsonObject, messageOf } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine, TeamMember } from "../../platform/machine/machine.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { DoorClient } from "../door/door.ts";
import { joinLocally, type LocalDoor } from "../local/local-door.ts";
import { type MessageAnswer, type TeamNews, type TeamPeers, teamWish, workerWish } from "./wishes.ts";

export class WorkerSide implements OutsideAgents {
  readonly #machine: Machine;
  readonly #member: TeamMember;
  readonly #session: Conversation["session"];
  #peers: TeamPeers = { kind: "peers", revision: 0, peers: [] };
  #leader: Promise<LocalDoor | undefined> | undefined;

  constructor(machine: Machine, { session }: Conversation, member: TeamMember) {
    this.#machine = machine;
    this.#member = member;
    this.#session = session;
    session.exchange?.reachOutside(this);
  }

  readonly answer = async (said: JsonObject): Promise<Receipt | TeamNews | undefined> => {
    if (teamWish(said)?.kind === "state") return (await this.#askLeader(said)) as TeamNews;
    const wish = workerWish(said);
    if (!wish) throw usageError("A worker cannot lead a team. Use lathe team in the leader's pane.");
    if (wish.kind === "peers") {
      this.#take(wish);
      return undefined;
    }
    const { exchange } = this.#session;
    if (!exchange || this.#session.state === "closed")
      return { to: this.#member.name, outcome: "failed", error: `${this.#member.name} takes no messages.` };
    return exchange.receive(wish);
  };

  agents(): TeamPeers["peers"] {
    return this.#peers.peers;
  }

  async relay(message: RelayedMessage): Promise<Receipt> {
    const { name: from } = this.#member;
    try {
      const { receipt, peers } = (await this.#askLeader({ kind: "message", ...message, from })) as MessageAnswer;
      this.#take(peers);
      return receipt;
    } catch (error) {
      return { to: message.to, outcome: "failed", error: messageOf(error) };
    }
  }

  async close(): Promise<void> {
    const leader = await this.#leader?.catch(() => undefined);
    await leader?.close();
  }

  get #client(): DoorClient {
    return { name: this.#member.name, kind: "program", scopes: new Set(["read"]) };
  }

  async #askLeader(said: object): Promise<unknown> {
    try {
      this.#leader ??= this.#joinLeader();
      const leader = await this.#leader;
      if (!leader) throw new Error("The leader has ended.");
      return await leader.askTeam(this.#client, said);
    } catch (error) {
      // The next call connects again.
      this.#leader = undefined;
      throw error;
    }
  }

  #joinLeader(): Promise<LocalDoor | undefined> {
    const { env, userHome } = this.#machine;
    return joinLocally(homePaths(env, userHome).doors, this.#member.leader, this.#client);
  }

  #take(peers: TeamPeers): void {
    if (peers.revision <= this.#peers.revision) return;
    this.#peers = peers;
    this.#session.exchange?.noteChange();
  }
}
