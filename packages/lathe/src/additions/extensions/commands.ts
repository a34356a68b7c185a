// Slash commands of extensions, as entries of the conversation's registry: the text that a command returns is sent in
// its place.

import { messageOf } from "@lathe/llm";
import type { PromptCommand } from "../../conversation/session-contract.ts";
import { type ContextParts, commandContextFor } from "./context.ts";
import type { RunningExtension } from "./running.ts";

export interface CommandParts {
  readonly contextOf: (extension: RunningExtension) => ContextParts;
  /** Tells the user that a command failed. */
  readonly reportFailure: (line: string) => void;
}

export function commandsOf(
  extensions: readonly RunningExtension[],
  { contextOf, reportFailure: failed }: CommandParts,
): readonly PromptCommand[] {
  return extensions.flatMap((extension) =>
    [...extension.added.commands].map(([name, { description, arguments: taken = "[text]", complete, run }]) => ({
      name,
      description,
      arguments: taken,
      whileWorking: true,
      acts: true,
      ...(complete
        ? { complete: (_: unknown, typed: string) => extension.call(`/${name}`, () => complete(typed)) }
        : {}),
      expand: async (argument: string): Promise<string | undefined> => {
        const parts = contextOf(extension);
        try {
          const text = await extension.call<unknown>(`/${name}`, (deadline) =>
            run(argument, commandContextFor(parts, deadline)),
          );
          return typeof text === "string" && text.trim() !== "" ? text : undefined;
        } catch (error) {
          // The failure is reported; nothing goes to the model.
          failed(messageOf(error));
          return undefined;
        }
      },
    })),
  );
}
