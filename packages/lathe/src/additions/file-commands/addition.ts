// The commands and prompt templates of a project and its user, for one session.

import type { Workspace } from "../../config/workspace/workspace.ts";
import type { AdditionMaker, PromptCommand } from "../../conversation/session-contract.ts";
import { discoveryOf } from "../../found/discovery/discovery.ts";
import type { Source } from "../../found/discovery/types.ts";
import { fileCommand } from "./file-commands.ts";

export const fileCommands: AdditionMaker = async (workspace) => {
  const discovery = discoveryOf(workspace);
  const { settings } = workspace;
  return {
    name: "commands",
    commands: async () => {
      const [commands, prompts] = await Promise.all([discovery.of("command"), discovery.of("prompt")]);
      const known = new Map<string, PromptCommand>();
      // A command wins over a template of the same name.
      const inForce = commands.all.filter(
        ({ ignored, source }) => ignored === undefined && isEnabled(settings, source),
      );
      for (const found of [...inForce, ...prompts.active])
        if (!known.has(found.name)) known.set(found.name, fileCommand(workspace, found));
      return [...known.values()];
    },
  };
};

/** Other sources are turned off with `discovery.disabledProviders`. */
function isEnabled(settings: Workspace["settings"], { provider, level }: Source): boolean {
  const isUser = level === "user";
  if (!isUser && level !== "project") return true;
  if (provider === "claude") return settings[isUser ? "commands.enableClaudeUser" : "commands.enableClaudeProject"];
  if (provider !== "opencode") return true;
  return settings[isUser ? "commands.enableOpencodeUser" : "commands.enableOpencodeProject"];
}
