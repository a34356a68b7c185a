// Keeps the whole output of a child in a file beside the session, for people and programs that read files.

import { messageOf } from "@lathe/llm";
import type { ParentSession } from "./parent.ts";
import type { RunOutcome } from "./records.ts";

/**
 * The journal has the output as well, so a file that cannot be written is only a warning. A replay runs in another
 * place, so a recorded run names no file.
 */
export function withKeptOutput({ options, redact: redacted, warn }: ParentSession, outcome: RunOutcome): RunOutcome {
  if (!options.keepOutput || options.isTaped) return outcome;
  const { agentId, output } = outcome;
  try {
    return { ...outcome, outputPath: options.keepOutput(agentId, redacted(output)) };
  } catch (error) {
    warn(`the output of agent ${agentId} was not saved: ${messageOf(error)}`);
    return outcome;
  }
}
