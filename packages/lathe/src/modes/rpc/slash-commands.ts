// Commands that extensions and files have brought, when a host sends them as a prompt. Built-in commands have frames of their own; what
// is no command goes to the model as it is.

import type { CommandView, SlashCommand } from "../../conversation/commands/command.ts";
import { CommandRegistry } from "../../conversation/commands/command.ts";
import type { HandlerContext } from "./handler.ts";

/** Whether it was a command; then it is done. */
export async function ranAsCommand(message: string, { current, person }: HandlerContext): Promise<boolean> {
  if (!message.startsWith("/")) return false;
  const { conversation } = current;
  const added = await conversation.open.additions.commands();
  const registry = new CommandRegistry(added satisfies readonly SlashCommand[]);
  const command = registry.parse(message);
  if (!command || !registry.get(command.name)) return false;
  const view: CommandView = {
    line: (text) => person.sign({ method: "notify", message: text, notifyType: "info" }),
    ask: (question, signal) => person.extensionUi.input(question, "", signal ? { signal } : {}),
    showPast: async () => {},
    prefill: (text) => person.extensionUi.setEditorText(text),
    leave: () => person.extensionUi.shutdown(),
  };
  await registry.run(conversation, command, view);
  return true;
}
