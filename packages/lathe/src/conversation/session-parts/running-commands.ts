// Commands that calls wait for: the user can send them to the background as soon as their call begins.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function runningCommandsPart({
  request,
  runningCommands,
}: Pick<SessionBase, "request" | "runningCommands">): SessionPart {
  return {
    name: "running commands",
    middleware: [
      {
        name: "running commands",
        beforeCall: ({ callId, tier }) => {
          if (tier === "exec") runningCommands.callBegins(callId);
          return undefined;
        },
      },
    ],
    // Only a user could send a command to the background.
    services: request.person ? { runningCommands } : {},
    onEvent: (event) => {
      if (event.kind === "tool_call_end") runningCommands.callEnds(event.data.call_id);
    },
  };
}
