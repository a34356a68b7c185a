// A briefing for a new session, written by the model that has the whole of this one in front of it.

import { Message } from "@lathe/llm";
import type { SideCall } from "../seams/types.ts";
import prompt from "./prompts/handoff.md";

const TIMEOUT_MS = 300_000;

/**
 * For `session.callModel`. Tools may be called as before, so that the request continues the last one byte for byte; a model that
 * does so instead of writing is asked once more, without them.
 */
export function handoffCall(focus?: string, without?: "tools"): SideCall {
  const attention = focus === undefined ? "" : `\n\nThe user asks you to pay special attention to: ${focus}`;
  return {
    messages: [Message.user(`${prompt.trim()}${attention}`)],
    continuing: true,
    ...(without === undefined ? {} : { toolChoice: { mode: "none" } }),
    timeoutMs: TIMEOUT_MS,
  };
}

/** As the new session gets it. */
export const handoffMessage = (document: string): string =>
  `<handoff-context>\n${document}\n</handoff-context>\n\nThis is the briefing of an earlier session. Continue from it.`;
