// `lathe team`: asks the session in this tmux session to lead a team, and waits for the team to end.

import { messageOf } from "@lathe/llm";
import { terminalClient } from "../../doors/attach/terminal-client.ts";
import type { DoorClient } from "../../doors/door/door.ts";
import { joinLocally, type LocalDoor } from "../../doors/local/local-door.ts";
import { teamText, workerLine } from "../../doors/team/lines.ts";
import { assignments, type TeamState } from "../../doors/team/state.ts";
import type { TeamNews, TeamWish } from "../../doors/team/wishes.ts";
import { listManaged } from "../../doors/tmux/managed-sessions.ts";
import { Tmux } from "../../doors/tmux/tmux.ts";
import type { Refusal } from "../../hosts/rpc/handler.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const TEAM_OPTIONS = {
  number: { type: "string", short: "n" },
  "dry-run": { type: "boolean" },
  status: { type: "boolean" },
  stop: { type: "boolean" },
  json: { type: "boolean" },
} as const;

export const teamCommand: Command = async (argv, machine) => {
  const { values, positionals: tasks } = verbArgs(argv, TEAM_OPTIONS, "team");
  const looks = values.status === true || values.stop === true;
  if (looks && (tasks.length > 0 || (values.status && values.stop)))
    throw usageError("--status and --stop take nothing else. See: lathe team --help");
  const workers = values.number === undefined ? undefined : Number(values.number);
  if (!looks) assignments(tasks, workers);
  const leader = await leaderOf(machine);
  try {
    const isJson = values.json === true;
    if (looks) {
      const { team } = await leader.ask({ kind: values.stop ? "stop" : "state" });
      if (!team) throw usageError('This session has led no team. Begin one: lathe team "<task>" -n 2');
      return printTeam(team, isJson, machine);
    }
    const dryRun = values["dry-run"] === true;
    const news = await leader.ask({ kind: "start", tasks: [...tasks], dryRun, ...(workers ? { workers } : {}) });
    return dryRun && news.team
      ? printTeam(news.team, isJson, machine)
      : await followTeam(leader, news, isJson, machine);
  } finally {
    await leader.door.close();
  }
};

const LEADER_GONE =
  "The leader has ended. Its workers stop by themselves, and their work is kept as patches. To see them: lathe --tmux -c, then lathe team --status there.";

interface Leader {
  readonly door: LocalDoor;
  ask(wish: TeamWish): Promise<TeamNews>;
}

async function leaderOf(machine: Machine): Promise<Leader> {
  const { env, userHome } = machine;
  const tmux = Tmux.around(env);
  const pane = env["TMUX_PANE"];
  if (!tmux || pane === undefined)
    throw usageError("A team needs panes of tmux. Start a session with lathe --tmux, and use lathe team there.");
  const around = (await listManaged(tmux)).find(({ panes }) => panes.some(({ paneId }) => paneId === pane));
  const own = around?.panes.find(({ paneId }) => paneId === pane);
  const session = (own?.latheSession ? own : around?.panes.find(({ latheSession }) => latheSession))?.latheSession;
  if (session === undefined)
    throw usageError(
      "No session of lathe --tmux is in this tmux session. Start one with lathe --tmux, and use lathe team there.",
    );
  const client: DoorClient = terminalClient(machine);
  const door = await joinLocally(homePaths(env, userHome).doors, session, client);
  if (!door) throw usageError("The session of this tmux session has ended. Start another one: lathe --tmux");
  const ask = async (wish: TeamWish): Promise<TeamNews> => {
    try {
      return (await door.askTeam(client, wish)) as TeamNews;
    } catch (error) {
      const hasGone = (error as Refusal).code === "closed";
      throw new CliError(hasGone ? EXIT.failed : EXIT.usage, hasGone ? LEADER_GONE : messageOf(error), {
        cause: error,
      });
    }
  };
  return { door, ask };
}

function printTeam(team: TeamState, isJson: boolean, { stdout }: Machine): ExitCode {
  stdout.write(isJson ? `${JSON.stringify(team, null, 2)}\n` : `${teamText(team)}\n`);
  return team.state === "failed" ? EXIT.failed : EXIT.done;
}

/** Prints a line for each step until all workers are done. A signal ends the team. */
async function followTeam(leader: Leader, first: TeamNews, isJson: boolean, machine: Machine): Promise<ExitCode> {
  const { stdout, signals } = machine;
  const onSignal = (): void => void leader.ask({ kind: "stop" }).catch(() => undefined);
  for (const name of ["SIGINT", "SIGTERM"]) signals?.on(name, onSignal);
  const said = new Map<string, string>();
  try {
    for (let news = first; ; news = await leader.ask({ kind: "state", after: news.revision })) {
      const { team } = news;
      if (!team) throw new CliError(EXIT.failed, "The leader has no team any more.");
      for (const worker of isJson ? [] : team.workers) {
        const line = workerLine(worker);
        if (said.get(worker.id) !== line && worker.state !== "planned") stdout.write(`${line}\n`);
        said.set(worker.id, line);
      }
      if (team.state === "running") continue;
      if (isJson) stdout.write(`${JSON.stringify(team, null, 2)}\n`);
      if (team.state === "stopped") return EXIT.interrupted;
      return team.state === "done" ? EXIT.done : EXIT.failed;
    }
  } finally {
    for (const name of ["SIGINT", "SIGTERM"]) signals?.off(name, onSignal);
  }
}
