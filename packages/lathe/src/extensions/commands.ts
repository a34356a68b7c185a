// Slash commands of extensions, in the form of the conversation's registry.

import { messageOf } from "@lathe/llm";
import type { CommandView, SlashCommand } from "../conversation/commands/command.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { type ContextParts, commandContextFor } from "./context.ts";
import type { RunningExtension } from "./running.ts";

export type ExtensionSlashCommand = SlashCommand;

export function commandsOf(
  extensions: readonly RunningExtension[],
  contextOf: (extension: RunningExtension) => ContextParts,
): readonly ExtensionSlashCommand[] {
  return extensions.flatMap((extension) =>
    [...extension.added.commands].map(([name, { description, arguments: taken = "[text]", complete, run }]) => ({
      name,
      description,
      arguments: taken,
      whileWorking: true,
      ...(complete
        ? {
            complete: (_conversation: Conversation, typed: string) => extension.call(`/${name}`, () => complete(typed)),
          }
        : {}),
      run: async (conversation: Conversation, argument: string, view: CommandView): Promise<void> => {
        let text: unknown;
        try {
          const parts = contextOf(extension);
          text = await extension.call<unknown>(`/${name}`, (patience) =>
            run(argument, commandContextFor(parts, conversation, patience)),
          );
        } catch (error) {
          // Reported, and done with: nothing goes to the model.
          view.line(messageOf(error), "yellow");
          return;
        }
        if (typeof text !== "string" || text.trim() === "") return;
        if (view.submit) view.submit(text);
        else await conversation.submit(text);
      },
    })),
  );
}
