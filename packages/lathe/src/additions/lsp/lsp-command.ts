// `/lsp`: the project's language servers with their state, and why one is off.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { SlashCommand } from "../../conversation/commands/command.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { listing } from "../../sessions/tables/listing.ts";
import type { Engine } from "./engine.ts";
import { stateOf } from "./server-state.ts";

export function lspCommand(load: () => Promise<Engine>, env: () => ExecutionEnvironment | undefined): SlashCommand {
  return {
    name: "lsp",
    arguments: "[reload]",
    description: "show the language servers, or restart them",
    whileWorking: true,
    run: async (_conversation, argument, view) => {
      const verb = argument.trim();
      if (verb !== "" && verb !== "reload") throw usageError(`/lsp knows reload, not ${verb}.`);
      const { servers } = await load();
      if (verb === "reload") for (const server of servers.started) await servers.restart(server);
      const place = env();
      const fitting = place ? await servers.forProject(place) : [];
      if (fitting.length === 0) view.line("No language server fits this project.");
      else
        view.line(
          listing(
            fitting.map((one) => [one.row.name, stateOf(one)]),
            view.columns,
          ),
        );
    },
  };
}
