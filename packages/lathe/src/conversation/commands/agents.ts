// `/agents`: list the agents of the session, show one, send it a message, stop or revive it.

import type { AgentDirectory, AgentOverview } from "@lathe/agent/contract";
import { usageError } from "../../platform/usage/exit.ts";
import { printableLine } from "../../sessions/list.ts";
import { dollars } from "../../sessions/numbers.ts";
import type { Conversation } from "../conversation.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

const VERBS = ["send", "stop", "revive"] as const;
const FORM = /^(?:(send|stop|revive)\s+)?(\S+)(?:\s+([\s\S]+))?$/;
/** A word that is never an agent's id. */
const ALL = "all";
const USAGE =
  "Use: /agents, /agents <id>, /agents send <id> <message>, /agents stop <id>, /agents stop all, or /agents revive <id>.";

export const agents: SlashCommand = {
  name: "agents",
  arguments: "[id | send id message | stop id | stop all | revive id]",
  description: "list the agents of this session, message or stop them",
  whileWorking: true,
  complete: (conversation, typed) => {
    const ids = directoryOf(conversation)
      .list()
      .map(({ agentId }) => agentId);
    const all = [...ids, ...VERBS.flatMap((verb) => ids.map((id) => `${verb} ${id}`)), `stop ${ALL}`];
    return all.filter((one) => one.startsWith(typed));
  },
  run: async (conversation, argument, view) => {
    const directory = directoryOf(conversation);
    await directory.load();
    if (argument === "") return overview(directory, view);
    const [, verb, id = "", message] = FORM.exec(argument) ?? [];
    if (id === "" || (message !== undefined) !== (verb === "send")) throw usageError(USAGE);
    await reportErrors(async () => {
      if (verb === "send") {
        const { how } = await directory.send(id, message ?? "");
        view.line(`Sent to ${id}: ${how}.`, "dim");
      } else if (verb === "stop" && id === ALL) await stopAll(directory, view);
      else if (verb === "stop") view.line(lineOf(await directory.stop(id)), "dim");
      else if (verb === "revive") view.line(lineOf(await directory.revive(id)), "dim");
      else showAgent(directory, id, view);
    });
  },
};

const directoryOf = ({ session }: Conversation): AgentDirectory => session.subagents.directory;

function overview(directory: AgentDirectory, view: CommandView): void {
  const listed = directory.list();
  if (listed.length === 0) view.line("There are no agents in this session.", "dim");
  else if (view.showAgents) view.showAgents();
  else for (const agent of listed) view.line(lineOf(agent));
}

async function stopAll(directory: AgentDirectory, view: CommandView): Promise<void> {
  const stopped = await directory.stopAll();
  if (stopped.length === 0) view.line("No agent is running.", "dim");
  for (const agent of stopped) view.line(lineOf(agent), "dim");
}

function showAgent(directory: AgentDirectory, id: string, view: CommandView): void {
  const output = directory.outputOf(id);
  const agent = directory.list().find(({ agentId }) => agentId === id);
  if (agent) view.line(lineOf(agent));
  for (const line of output === "" ? (agent?.tail ?? []) : output.split("\n")) view.line(line);
}

function lineOf({
  agentId,
  agent,
  state,
  status,
  requests,
  cost,
  doing,
  description,
  assignment,
  view,
}: AgentOverview): string {
  const facts = [
    ...(agent === undefined ? [] : [agent]),
    state === "running" || status === "completed" ? state : `${state}, ${status}`,
    ...(view === undefined ? [] : [`isolated copy (${view})`]),
    `${requests} ${requests === 1 ? "request" : "requests"}`,
    ...(cost > 0 ? [dollars(cost)] : []),
  ];
  return `${agentId}  ${facts.join(" · ")}  ${printableLine(doing === "" ? (description ?? assignment) : doing)}`;
}

/** The directory's errors are about what the user typed, so they become usage errors. */
async function reportErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw usageError((error as Error).message);
  }
}
