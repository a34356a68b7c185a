// A running team: its workers, whose work lands one after the other, and its state, which is stored in the leader's
// journal.

import type { BudgetConfig, Session } from "@lathe/agent";
import type { JsonValue } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import { Refusal } from "../../hosts/rpc/handler.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { within } from "../../platform/machine/within.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { DoorClient } from "../door/door.ts";
import { namePane, removeNames } from "../tmux/pane-names.ts";
import { type StartedPane, startPane } from "../tmux/start-session.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { checkChangesAllowed } from "./interview.ts";
import { keepCopy, patchOfView } from "./kept-copy.ts";
import { teamNews, workerLine } from "./lines.ts";
import { isOver, LEADER, stateOfTeam, TEAM_FACT, type TeamState, type TeamWorker } from "./state.ts";
import { TeamMail } from "./team-mail.ts";
import type { MessageAnswer, TeamMessage } from "./wishes.ts";
import { type Change, Worker } from "./worker.ts";
import { withShare, workerArgs } from "./worker-args.ts";
import { workerText } from "./worker-text.ts";

export interface TeamParts {
  readonly machine: Machine;
  readonly conversation: Conversation;
  readonly options: CliOptions;
  readonly tmux: Tmux;
  /** The leader's pane. */
  readonly pane: string;
  /** The workers' program and its first arguments; by default this command. */
  readonly command: readonly string[] | undefined;
  readonly onChange: () => void;
}

const GOES_WITHIN_MS = 10_000;
/** States that `lathe team` prints but the leader's transcript does not. */
const SMALL_STEPS: ReadonlySet<TeamWorker["state"]> = new Set(["starting", "landing"]);

export class TeamRun {
  readonly #parts: TeamParts;
  readonly #tasks: readonly string[];
  readonly #session: Session;
  readonly #workers: Worker[] = [];
  #state: TeamState;
  readonly #mail: TeamMail;
  /** Queues: panes are created one at a time, and so does work land. */
  #panes: Promise<unknown> = Promise.resolve();
  #landings: Promise<unknown> = Promise.resolve();
  #panesLeft = 0;

  constructor(parts: TeamParts, planned: TeamState, tasks: readonly string[]) {
    this.#parts = parts;
    this.#tasks = tasks;
    this.#session = parts.conversation.session;
    this.#state = { ...planned, state: "running" };
    this.#mail = new TeamMail({
      exchange: this.#session.exchange,
      isLeaderAtWork: () => this.#session.state === "processing",
      workers: () => this.#state.workers,
      say: (id, said) => this.#workerOf(id).say(said),
    });
  }

  get state(): TeamState {
    return this.#state;
  }

  start(): void {
    this.#write();
    for (const worker of this.#state.workers) this.#charge(worker, -1);
    this.#state.workers.forEach((worker, at) => {
      this.#workers.push(this.#worker(worker, at));
    });
  }

  /** Passes on a worker's message to another worker or to the leader. */
  pass(message: TeamMessage): Promise<MessageAnswer> {
    const isFromWorker = this.#state.workers.some((worker) => worker.id === message.from && !isOver(worker));
    if (!isFromWorker) throw new Refusal("invalid", `The team has no ${message.from} at work.`);
    return this.#mail.pass(message);
  }

  /** The leader has started or finished working. */
  noteLeader(): void {
    if (this.#state.state === "running") this.#mail.noteChange();
  }

  /** Resolves when all workers are gone. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  #workerOf(id: string): Worker {
    const worker = this.#workers[this.#state.workers.findIndex((one) => one.id === id)];
    if (!worker) throw new Error(`${id} has not begun.`);
    return worker;
  }

  #worker({ id, view }: TeamWorker, at: number): Worker {
    const { machine, conversation } = this.#parts;
    return new Worker({
      startPane: () => this.#inTurn("panes", () => this.#startPane(id, view)),
      client: this.#client,
      doors: homePaths(machine.env, machine.userHome).doors,
      text: workerText({ id, at, tasks: this.#tasks }),
      peers: () => this.#mail.peersFor(id),
      tell: (change) => this.#take(at, change),
      inTurn: (land) =>
        this.#inTurn("landings", async () => {
          checkChangesAllowed(this.#session);
          return land();
        }),
      closePane: (pane) => this.#closePane(pane),
      keepLeft: () => keepCopy(conversation.workspace, view),
      ownPatch: () => patchOfView(conversation.workspace, view),
    });
  }

  get #client(): DoorClient {
    return { name: "the team's leader", kind: "program", scopes: new Set(["read", "prompt", "admin"]) };
  }

  async #startPane(id: string, view: string): Promise<StartedPane> {
    const { machine, conversation, options, tmux, pane, command } = this.#parts;
    const { env, pid, userHome } = machine;
    const started = await startPane({ tmux, pid, doors: homePaths(env, userHome).doors }, pane, {
      cwd: conversation.workspace.cwd,
      env,
      args: workerArgs(options, conversation, { view, limits: this.#state.limits }),
      endsWithStarter: true,
      member: { name: id, leader: this.#state.leader },
      command,
    }).catch((error: unknown) => {
      throw noRoom(error, id);
    });
    await namePane(tmux, pane, LEADER);
    await namePane(tmux, started.paneId, id);
    this.#panesLeft++;
    // Make room for the next pane. If tmux refuses the layout, keep the current one.
    await tmux.ask(["select-layout", "-t", pane, "tiled"]);
    return started;
  }

  /** Hangs up the worker's process, as when a terminal closes. */
  async #closePane(pane: StartedPane): Promise<void> {
    const { tmux } = this.#parts;
    await tmux.ask(["kill-pane", "-t", pane.paneId]);
    await within(pane.ended, GOES_WITHIN_MS);
    pane.release();
    await tmux.ask(["select-layout", "-t", this.#parts.pane, "tiled"]);
    this.#panesLeft--;
    if (this.#panesLeft === 0) await removeNames(tmux, this.#parts.pane);
  }

  #inTurn<T>(which: "panes" | "landings", work: () => Promise<T>): Promise<T> {
    const mine = (which === "panes" ? this.#panes : this.#landings).then(work);
    const settled = mine.catch(() => undefined);
    if (which === "panes") this.#panes = settled;
    else this.#landings = settled;
    return mine;
  }

  #take(at: number, change: Change): void {
    const before = this.#state.workers[at] as TeamWorker;
    const worker = { ...before, ...change };
    if (JSON.stringify(worker) === JSON.stringify(before)) return;
    const workers = this.#state.workers.map((one, n) => (n === at ? worker : one));
    this.#state = { ...this.#state, workers, state: stateOfTeam(workers) };
    if (isOver(worker) && !isOver(before)) this.#charge(worker, 1);
    this.#write();
    if (worker.state !== before.state) this.#mail.noteChange();
    if (this.#state.state !== "running") this.#mail.close();
    if (this.#session.state === "closed") return;
    if (worker.state !== before.state && !SMALL_STEPS.has(worker.state)) this.#session.warn(workerLine(worker), "team");
    // A busy leader, for example one running `lathe team`, reads the news there.
    if (this.#state.state !== "running" && this.#session.state === "idle")
      this.#session.appendCustomMessage("team", teamNews(this.#state), { display: false });
  }

  /** A worker's share is not the leader's to spend meanwhile; what remains of it returns. */
  #charge({ spent }: TeamWorker, sign: 1 | -1): void {
    const { config } = this.#session;
    const { usd, turns, calls } = this.#state.limits;
    const left = {
      ...(usd === undefined ? {} : { usd: Math.max(0, usd - (spent?.usd ?? (sign === 1 ? usd : 0))) }),
      ...(turns === undefined ? {} : { turns: Math.max(0, turns - (spent?.turns ?? (sign === 1 ? turns : 0))) }),
      ...(calls === undefined || sign === 1 ? {} : { calls }),
    };
    config.budget = withShare(config.budget as BudgetConfig, left, sign);
  }

  #write(): void {
    if (this.#session.state !== "closed")
      void this.#session.facts.write(TEAM_FACT, this.#state as unknown as JsonValue);
    this.#parts.onChange();
  }
}

function noRoom(error: unknown, id: string): unknown {
  if (!(error instanceof CliError) || !/no space|too small/.test(error.message)) return error;
  return new CliError(
    EXIT.failed,
    `tmux has no room for a pane for ${id}. Make the terminal larger, or take fewer workers.`,
  );
}
