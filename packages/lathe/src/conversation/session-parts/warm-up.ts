// Loads what calls need, such as the grammar of commands, while the model thinks about its first answer. If the answer
// comes sooner, its calls load what they need themselves.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

/** Longer than a server without a model takes, shorter than a model. */
const THINKING_MS = 300;

export function warmUpPart({ session, profile }: Pick<SessionBase, "session" | "profile">): SessionPart {
  let timer: NodeJS.Timeout | undefined;
  const warmUp = async (): Promise<void> => {
    const tools = profile.toolRegistry.names().map((name) => session.current.toolNamed(name));
    // The call that needs what failed to load reports the failure.
    await Promise.allSettled(tools.map((tool) => tool?.prepare?.()));
  };
  return {
    name: "warm-up",
    onEvent: ({ kind }) => {
      if (kind === "turn_start") timer ??= setTimeout(warmUp, THINKING_MS).unref();
      else if (kind === "assistant_text_start" || kind === "processing_end") clearTimeout(timer);
    },
    close: async () => clearTimeout(timer),
  };
}
