// `/mcp`: lists the servers with their state, and changes one.

import type { Workspace } from "../../config/workspace/workspace.ts";
import type { SlashCommand } from "../../conversation/commands/command.ts";
import type { CommandView } from "../../conversation/commands/command-view.ts";
import { NO_SERVERS } from "../../conversation/commands/no-servers.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { listing } from "../../sessions/tables/listing.ts";
import { logInTo, logOutOf } from "./login.ts";
import type { ServerManager } from "./manager.ts";
import type { Server } from "./server.ts";
import type { ServerState } from "./types.ts";

const VERBS = ["list", "reconnect", "enable", "disable", "login", "logout"] as const;
type Verb = (typeof VERBS)[number];

export function mcpCommand(manager: ServerManager, workspace: Workspace): SlashCommand {
  return {
    name: "mcp",
    arguments: "[reconnect|enable|disable|login|logout <server>]",
    description: "show the MCP servers, or change one",
    whileWorking: true,
    complete: (_conversation, typed) => completions(manager, typed),
    run: async (_conversation, argument, view) => {
      const [verb = "list", name, ...more] = argument.split(/\s+/).filter((word) => word !== "");
      if (!isVerb(verb)) throw usageError(`/mcp knows ${VERBS.join(", ")}, not ${verb}.`);
      if (more.length > 0) throw usageError(`/mcp ${verb} takes one server.`);
      if (verb === "list") {
        view.line(stateTable(manager, view.columns));
        return;
      }
      const server = serverNamed(manager, name, verb);
      view.line(await ACTIONS[verb](server, { manager, workspace, view }));
    },
  };
}

interface Place {
  readonly manager: ServerManager;
  readonly workspace: Workspace;
  readonly view: CommandView;
}

const ACTIONS: Readonly<Record<Exclude<Verb, "list">, (server: Server, place: Place) => Promise<string>>> = {
  reconnect: (server, { manager }) => describeConnection(server, manager),
  enable: (server, { manager }) => describeConnection(server, manager),
  disable: async (server, { manager }) => {
    await manager.disable(server);
    return `${server.name} is off in this session. The model no longer has its tools.`;
  },
  login: async (server, { manager, workspace, view }) => {
    await logInTo(server.config, workspace, view, server.neededScope);
    return describeConnection(server, manager);
  },
  logout: async (server, { workspace }) => logOutOf(server.config, workspace),
};

/** A failure is shown as the server's state. */
async function describeConnection(server: Server, manager: ServerManager): Promise<string> {
  await manager.enable(server).catch(() => {});
  return `${server.name}: ${stateText(server.state)}`;
}

const isVerb = (word: string): word is Verb => (VERBS as readonly string[]).includes(word);

function serverNamed(manager: ServerManager, name: string | undefined, verb: string): Server {
  const names = manager.servers.map((server) => server.name).join(", ");
  if (name === undefined) throw usageError(`Name a server: /mcp ${verb} <server>. There are: ${names}`);
  const server = manager.server(name);
  if (!server) throw usageError(`There is no MCP server ${name}. There are: ${names}`);
  return server;
}

function completions({ servers }: ServerManager, typed: string): readonly string[] {
  const [verb, name] = typed.split(/\s+/);
  if (name === undefined) return VERBS.filter((one) => one.startsWith(verb ?? ""));
  return servers.filter((server) => server.name.startsWith(name)).map((server) => `${verb} ${server.name}`);
}

function stateTable(manager: ServerManager, columns?: number): string {
  if (manager.servers.length === 0) return NO_SERVERS;
  return listing(
    manager.servers.map((server) => {
      const { tools, prompts, hasResources } = manager.definitions(server) ?? {};
      const offers = [
        count(tools?.length, "tool"),
        count(prompts?.length, "prompt"),
        ...(hasResources ? ["resources"] : []),
        server.config.file,
      ].filter((text) => text !== "");
      return [server.name, `${stateText(server.state)}; ${offers.join(", ")}`];
    }),
    columns,
  );
}

const count = (of: number | undefined, what: string): string => (of ? `${of} ${what}${of === 1 ? "" : "s"}` : "");

export function stateText(state: ServerState): string {
  switch (state.kind) {
    case "waiting":
      return "starts when it is needed";
    case "connected":
      return `connected (${state.server})`;
    case "failed":
      return `failed: ${state.reason}`;
    case "signed-out":
      return "needs a sign-in";
    case "disabled":
      return "off";
    case "connecting":
      return "connecting";
  }
}
