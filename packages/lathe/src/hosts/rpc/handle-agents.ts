// Commands about the agents of the session.

import { agentOf } from "../wire/map-events.ts";
import type { Handlers } from "./handler.ts";

export const agentHandlers: Handlers<"get_agents" | "agent_send" | "agent_stop"> = {
  get_agents: async (_params, { current }) => {
    const { directory } = current.session.subagents;
    await directory.load();
    return { agents: directory.list().map(agentOf) };
  },

  agent_send: async ({ agentId, message }, { current }) => {
    const { how, agent } = await current.session.subagents.directory.send(agentId, message);
    return { how, agent: agentOf(agent) };
  },

  agent_stop: async ({ agentId }, { current }) => {
    const { directory } = current.session.subagents;
    const agent = agentOf(await directory.stop(agentId));
    return { agent, output: directory.outputOf(agentId) };
  },
};
