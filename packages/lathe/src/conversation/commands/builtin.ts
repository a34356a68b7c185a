// The commands that every conversation has.

import { EXIT } from "../../platform/usage/exit.ts";
import { agents } from "./agents.ts";
import { CommandRegistry, commandHelp, type SlashCommand } from "./command.ts";
import { commitCommand } from "./commit-command.ts";
import { compact, context, cost, handoff, uncompact } from "./context.ts";
import { debug } from "./debug.ts";
import { extensions } from "./extensions-command.ts";
import { jobs } from "./jobs.ts";
import { loginCommands } from "./login-commands.ts";
import { modelCommands } from "./model-commands.ts";
import { mcpWithoutServers } from "./no-servers.ts";
import { projectCommands } from "./project-commands.ts";
import { reportCommands } from "./report-commands.ts";
import { reviewCommand } from "./review-command.ts";
import { redo, rewind, undo } from "./rewind.ts";
import { sessionCommands, sessionFileCommands } from "./session-commands.ts";
import { settings } from "./settings-command.ts";
import { todo } from "./todo.ts";
import { treeCommands } from "./tree-commands.ts";
import { worktreeCommand } from "./worktree-command.ts";

export function builtinCommands(): CommandRegistry {
  const registry = new CommandRegistry([
    ...modelCommands,
    ...loginCommands,
    ...projectCommands,
    settings,
    extensions,
    mcpWithoutServers,
    context,
    compact,
    uncompact,
    handoff,
    ...sessionCommands,
    ...treeCommands,
    reviewCommand,
    commitCommand,
    rewind,
    undo,
    redo,
    ...sessionFileCommands,
    cost,
    jobs,
    agents,
    worktreeCommand,
    debug,
    todo,
    ...reportCommands,
    quit,
  ]);
  registry.add({
    name: "help",
    description: "show this list",
    whileWorking: true,
    run: (_conversation, _argument, view) => view.line(commandHelp(registry.list(), view.columns)),
  });
  return registry;
}

/** Hosts that need to confirm first register their own command under this name. */
export const quit = {
  name: "quit",
  aliases: ["exit"],
  description: "quit Lathe",
  whileWorking: true,
  run: (_conversation, _argument, view) => view.leave(EXIT.done),
} satisfies SlashCommand;
