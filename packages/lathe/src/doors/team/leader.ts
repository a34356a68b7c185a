// Answers requests about the team of a session in one of our panes: starts a team, reports its state, stops it. One
// team at a time.

import type { JsonObject, JsonValue } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import { Refusal } from "../../hosts/rpc/handler.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { Tmux } from "../tmux/tmux.ts";
import { checkChangesAllowed } from "./interview.ts";
import { patchOfView } from "./kept-copy.ts";
import { assignments, planTeam, readTeam, TEAM_FACT, type TeamState } from "./state.ts";
import { TeamRun } from "./team-run.ts";
import { type MessageAnswer, type TeamNews, type TeamWish, teamWish } from "./wishes.ts";
import { exhaustedLimit, workerLimits } from "./worker-args.ts";

export interface LeaderParts {
  readonly machine: Machine;
  readonly conversation: Conversation;
  /** Options of the leader's run. */
  readonly options: CliOptions;
}

export class TeamLeader {
  readonly #parts: LeaderParts;
  #run: TeamRun | undefined;
  #revision = 0;
  #waiting: (() => void)[] = [];
  readonly #stopWatching: () => void;

  constructor(parts: LeaderParts) {
    this.#parts = parts;
    // A team belongs to the session that started it.
    this.#stopWatching = parts.conversation.watch({
      onSession: () => void this.stop(),
      onEvent: (_session, { kind }) => {
        if (kind === "state_changed") this.#run?.noteLeader();
      },
    });
  }

  readonly answer = async (said: JsonObject): Promise<TeamNews | MessageAnswer> => {
    const wish = teamWish(said);
    if (!wish) throw new Refusal("invalid", "Unknown team request. Does it come from another version of Lathe?");
    if (wish.kind === "message") {
      if (!this.#run) throw new Refusal("invalid", "This session leads no team.");
      return this.#run.pass(wish);
    }
    if (wish.kind === "start") {
      const planned = this.#start(wish);
      if (wish.dryRun) return { ...this.#state, team: planned };
    }
    if (wish.kind === "stop") await this.stop();
    if (wish.kind === "state" && wish.after !== undefined) await this.#waitForChange(wish.after);
    return this.#state;
  };

  /** Stops the workers and keeps their work. */
  async stop(): Promise<void> {
    await this.#run?.stop();
  }

  async close(): Promise<void> {
    this.#stopWatching();
    await this.stop();
    this.#notifyChange();
  }

  get #state(): TeamNews {
    const { session, workspace } = this.#parts.conversation;
    const team = this.#run?.state ?? readTeam(session.facts.read(TEAM_FACT), (view) => patchOfView(workspace, view));
    return { revision: this.#revision, team: team ?? null };
  }

  #start({ tasks: given, workers: count, dryRun }: Extract<TeamWish, { kind: "start" }>): TeamState {
    const { machine, conversation, options } = this.#parts;
    const { env, deps } = machine;
    const { session, workspace } = conversation;
    if (this.#run?.state.state === "running")
      throw usageError("This session's team is still working. See: lathe team --status, or end it: lathe team --stop");
    if (workspace.view)
      throw usageError(
        "This session works in an isolated copy, but its workers would land in the project. Lead a team without --worktree.",
      );
    checkChangesAllowed(session);
    const tasks = assignments(given, count);
    const limits = workerLimits(session, tasks.length);
    const exhausted = exhaustedLimit(limits);
    if (exhausted !== undefined)
      throw usageError(
        `What is left of ${exhausted} is too small for ${tasks.length} workers. Use fewer workers, or raise it.`,
      );
    const planned = planTeam(
      {
        id: deps.uuid().slice(-6),
        leader: session.id,
        project: workspace.cwd,
        startedAt: new Date(deps.now()).toISOString(),
        limits,
      },
      tasks,
    );
    // Also needed in a session without any message yet.
    session.journal.persist();
    if (dryRun) {
      // Keep the state of an earlier team: it names its patches.
      const { team } = this.#state;
      if (team && team.state !== "planned") return planned;
      void session.facts.write(TEAM_FACT, planned as unknown as JsonValue);
      this.#notifyChange();
      return planned;
    }
    const tmux = Tmux.around(env);
    const pane = env["TMUX_PANE"];
    if (!tmux || pane === undefined) throw usageError("This session is not in tmux. Start one that is: lathe --tmux");
    const command = env["LATHE_TEAM_WORKER_COMMAND"]?.split(" ").filter((word) => word !== "");
    this.#run = new TeamRun(
      {
        ...{ machine, conversation, options, tmux, pane },
        command: command?.length ? command : undefined,
        onChange: () => this.#notifyChange(),
      },
      planned,
      tasks,
    );
    this.#run.start();
    return planned;
  }

  #notifyChange(): void {
    this.#revision++;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  async #waitForChange(revision: number): Promise<void> {
    if (this.#revision > revision) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
