// One worker of a team: its pane, its session as seen through its door, and the result of its work. The leader decides
// when the work may land.

import { messageOf } from "@lathe/llm";
import type { CommandData } from "../../hosts/rpc/commands.ts";
import type { WireEventOf } from "../../hosts/wire/events.ts";
import { within } from "../../platform/machine/within.ts";
import type { DoorClient, DoorFrame } from "../door/door.ts";
import { joinLocally, type LocalDoor } from "../local/local-door.ts";
import type { StartedPane } from "../tmux/start-session.ts";
import type { TeamWorker } from "./state.ts";
import type { TeamPeers } from "./wishes.ts";

export type Change = Partial<Omit<TeamWorker, "id" | "task" | "view">>;
type Settled = CommandData<"settle_worktree">;
type Ending = WireEventOf<"agent_end">;

export interface WorkerParts {
  readonly startPane: () => Promise<StartedPane>;
  readonly client: DoorClient;
  /** The folder of local doors. */
  readonly doors: string;
  /** Its first message. */
  readonly text: string;
  /** Whom it can send messages to. */
  readonly peers: () => TeamPeers;
  /** Reports a change of its state. */
  readonly tell: (change: Change) => void;
  /** Waits for its turn to write to the project. */
  readonly inTurn: <T>(land: () => Promise<T>) => Promise<T>;
  /** Closes the pane if it still exists. */
  readonly closePane: (pane: StartedPane) => Promise<void>;
  /** Writes a patch of what a process that is gone left in its copy, and removes the copy. */
  readonly keepLeft: () => Promise<string | undefined>;
  /** The patch that the worker's session wrote itself. */
  readonly ownPatch: () => string | undefined;
}

const OPENS_WITHIN_MS = 60_000;
const ENDS_WITHIN_MS = 15_000;

export class Worker {
  readonly #parts: WorkerParts;
  #pane: StartedPane | undefined;
  #door: LocalDoor | undefined;
  #isStopping = false;
  #onStop = (): void => {};
  readonly #stopAsked = new Promise<"stop">((resolve) => {
    this.#onStop = () => resolve("stop");
  });
  #onTask = (_door: LocalDoor): void => {};
  readonly #hasTask = new Promise<LocalDoor>((resolve) => {
    this.#onTask = resolve;
  });
  /** Resolves when the worker's process, pane and copy are gone. */
  readonly done: Promise<void>;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.done = this.#run();
  }

  /** Keeps its work as a patch. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#onStop();
    await within(this.done, ENDS_WITHIN_MS);
    // Hang up a worker that does not answer.
    if (this.#pane) await this.#parts.closePane(this.#pane);
    await this.done;
  }

  /** Sends a line to the worker's side of the team, once it has its task. Rejects if the worker is gone. */
  async say(said: object): Promise<unknown> {
    const door = await Promise.race([this.#hasTask, this.done]);
    if (!door) throw new Error("It has ended.");
    return door.askTeam(this.#parts.client, said);
  }

  async #run(): Promise<void> {
    const { tell } = this.#parts;
    let last: Change;
    try {
      last = await this.#work();
    } catch (error) {
      last = { state: "failed", problem: messageOf(error) };
    }
    await this.#door?.close();
    if (this.#pane) await this.#parts.closePane(this.#pane);
    const state = this.#isStopping && last.state === "failed" ? { state: "stopped" as const } : {};
    tell({ ...last, ...state, ...(last.patch === undefined ? await this.#keepLeft(last) : {}) });
  }

  async #keepLeft({ state, problem = "" }: Change): Promise<Change> {
    // A worker that was hung up reports its patch as it leaves.
    const told = this.#pane && (await within(this.#pane.ended, 0))?.patch;
    if (told !== undefined) return { patch: told };
    try {
      const left = await this.#parts.keepLeft();
      const patch = left ?? (state === "done" ? undefined : this.#parts.ownPatch());
      return patch === undefined ? {} : { patch };
    } catch (error) {
      return { problem: `${problem} Its isolated copy stays (${messageOf(error)}); see: lathe worktree`.trim() };
    }
  }

  async #work(): Promise<Change> {
    const { client, doors, text, tell } = this.#parts;
    const pane = await this.#parts.startPane();
    this.#pane = pane;
    tell({ state: "starting", pane: pane.paneId });
    const session = await Promise.race([pane.opened(OPENS_WITHIN_MS), this.#stopAsked]);
    if (session === "stop") return { state: "stopped" };
    tell({ session });
    const door = await joinLocally(doors, session, client);
    if (!door) throw new Error("Its session has ended.");
    this.#door = door;
    const frames = door.follow(client);
    try {
      await frames.next();
      await door.askTeam(client, this.#parts.peers());
      await door.command(client, "prompt", { message: text, expandPromptTemplates: false });
      this.#onTask(door);
      tell({ state: "working" });
      return await this.#untilOver(frames, door, pane);
    } finally {
      await frames.return?.();
    }
  }

  async #untilOver(frames: AsyncIterator<DoorFrame>, door: LocalDoor, pane: StartedPane): Promise<Change> {
    const { client, tell } = this.#parts;
    const { sessionId } = door;
    for (;;) {
      const next = await Promise.race([this.#stopAsked, frames.next()]);
      if (next === "stop") {
        await door.command(client, "abort", {});
        return this.#keep({ state: "stopped" });
      }
      if (next.done || next.value.kind === "closed") return this.#onLeft(pane);
      const frame = next.value;
      // The pane now shows another session, which is not the team's. Close the pane; that also reports the work.
      if (frame.kind === "session") return leftFor(sessionId);
      if (frame.kind === "question") tell({ state: "asking" });
      if (frame.kind === "settled" && door.questions.length === 0) tell({ state: "working" });
      if (frame.kind !== "event") continue;
      if (frame.event.type === "agent_start") tell({ state: "working" });
      if (frame.event.type !== "agent_end") continue;
      const over = await this.#onWorkEnd(frame.event, door);
      if (over) return over;
    }
  }

  /** Undefined if the worker continues. */
  async #onWorkEnd({ reason, error, verification }: Ending, door: LocalDoor): Promise<Change | undefined> {
    const { tell } = this.#parts;
    if (reason === "interrupted" || reason === "aborted") {
      tell({ state: "interrupted" });
      return undefined;
    }
    const verdict = verification === undefined ? {} : { verdict: verification };
    if (reason !== "completed")
      return this.#keep({ state: "failed", problem: error ?? `It ended: ${reason}.`, ...verdict });
    if (verification === "failed") return this.#keep({ state: "failed", problem: "Its checks fail.", ...verdict });
    tell({ state: "landing", ...verdict });
    return this.#parts.inTurn(() => this.#land(door));
  }

  async #land(door: LocalDoor): Promise<Change | undefined> {
    const { client, tell } = this.#parts;
    const isBusy = async (): Promise<boolean> => (await door.command(client, "get_state", {})).isStreaming;
    // Landing is refused if a user has sent it something meanwhile.
    const settled = (await isBusy())
      ? undefined
      : await door.command(client, "settle_worktree", { how: "land" }).catch(async (error: unknown) => {
          if (await isBusy()) return undefined;
          throw error;
        });
    if (!settled) {
      tell({ state: "working" });
      return undefined;
    }
    const { outcome, files, conflicts } = settled;
    if (outcome !== "conflict" && outcome !== "failed") return { state: "done", files, ...(await this.#readSpent()) };
    if (conflicts.length === 0) return this.#keep({ state: "failed", problem: settled.message });
    return this.#keep({ state: "conflict", conflicts });
  }

  /** Keeps its work as a patch for the user to review. */
  async #keep(change: Change): Promise<Change> {
    const kept = await this.#door
      ?.command(this.#parts.client, "settle_worktree", { how: "patch" })
      .catch((): Settled | undefined => undefined);
    return { ...change, ...(kept?.patch === undefined ? {} : { patch: kept.patch }), ...(await this.#readSpent()) };
  }

  async #readSpent(): Promise<Pick<TeamWorker, "spent">> {
    const stats = await this.#door
      ?.command(this.#parts.client, "get_session_stats", {})
      .catch((): CommandData<"get_session_stats"> | undefined => undefined);
    return stats ? { spent: { usd: stats.cost, turns: stats.assistantMessages } } : {};
  }

  /** Its process ended by itself, or its pane was closed. */
  async #onLeft(pane: StartedPane): Promise<Change> {
    const end = await within(pane.ended, ENDS_WITHIN_MS);
    const lines = (end?.said.trim() ?? "").split("\n");
    const toContinue = lines.find((line) => line.startsWith("To continue:")) ?? "";
    const reason = lines.findLast((line) => line !== "" && line !== toContinue);
    const problem = reason === undefined ? "It left before it had finished" : `It left: ${reason.replace(/\.$/, "")}`;
    return {
      state: "failed",
      problem: `${problem}${toContinue && ` (${toContinue.replace("To", "to")})`}.`,
      ...(end?.patch === undefined ? {} : { patch: end.patch }),
    };
  }
}

const leftFor = (sessionId: string): Change => ({
  state: "failed",
  problem: `It was left for another session (to continue: lathe --resume ${sessionId.slice(0, 8)}).`,
});
