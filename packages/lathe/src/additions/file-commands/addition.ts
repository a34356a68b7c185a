// The commands and prompt templates of a project and its user, for one session.

import type { AdditionMaker, PromptCommand } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { Source } from "../../found/discovery/types.ts";
import { fileCommand } from "./file-commands.ts";

export const fileCommands: AdditionMaker = async (workspace) => {
  const discovery = await workspace.discovery();
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

/** Only these two sources have settings; others are turned off with `discovery.disabledProviders`. */
function isEnabled(settings: SessionWorkspace["settings"], { provider, level }: Source): boolean {
  const isUser = level === "user";
  if (!isUser && level !== "project") return true;
  if (provider === "claude") return settings[isUser ? "commands.enableClaudeUser" : "commands.enableClaudeProject"];
  if (provider !== "opencode") return true;
  return settings[isUser ? "commands.enableOpencodeUser" : "commands.enableOpencodeProject"];
}
