// Refuses a message that cannot fit the model's context window, whatever is removed from the history: summaries would
// cost money and change nothing.

import type { InputContent } from "@lathe/agent";
import { CliError, EXIT } from "../platform/usage/exit.ts";
import { tokens } from "../sessions/numbers.ts";
import type { OpenSession } from "./session-contract.ts";

const CHARS_PER_TOKEN = 4;
/** Texts have fewer or more characters per token than that, so a message close to the window is sent. */
const MARGIN = 1.5;

export class MessageTooLarge extends CliError {}

export function refuseTooLarge(content: InputContent, { session, largestWindow }: OpenSession): void {
  const { model, contextWindowSize } = session.profile;
  const estimate = Math.ceil(charactersIn(content) / CHARS_PER_TOKEN);
  if (contextWindowSize <= 0 || estimate <= MARGIN * contextWindowSize) return;
  const window = largestWindow();
  if (estimate <= MARGIN * window) return;
  throw new MessageTooLarge(
    EXIT.usage,
    `This message is too large: about ${tokens(estimate)} tokens, but the context window of ${model} has ${tokens(window)}. Save the text to a file and name the file without @, so that the model reads the parts it needs.`,
  );
}

function charactersIn(content: InputContent): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 0), 0);
}
