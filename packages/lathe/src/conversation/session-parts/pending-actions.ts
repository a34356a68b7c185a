// What a tool has shown and the model has to apply or discard. Offered where a tool of the host or of an addition may do so.

import { PendingActions } from "@lathe/agent/tools";
import type { SessionPart } from "../session-contract.ts";
import type { PartBase } from "./base.ts";

export function pendingActionsPart({ otherTools, session }: Pick<PartBase, "otherTools" | "session">): SessionPart {
  const pendingActions = new PendingActions({
    isOffered: () => otherTools.some((provider) => provider.tools().some(mayDefer)),
    force: (choice) => {
      if (!session.current.profile.modelInfo?.refusesForcedTools) session.current.forceToolChoice(choice);
    },
  });
  return {
    name: "pending actions",
    middleware: [pendingActions.middleware()],
    toolProviders: [pendingActions],
    services: { pendingActions },
  };
}

const mayDefer = (tool: object): boolean => "deferrable" in tool && tool.deferrable === true;
