// Checkpoints that the model can set and return to, if the settings offer them.

import { Checkpoints } from "@lathe/agent/tools";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function checkpointsPart({ workspace }: Pick<SessionBase, "workspace">): SessionPart | undefined {
  if (!workspace.settings["checkpoint.enabled"]) return undefined;
  return {
    name: "checkpoints",
    // Registered on this session only, because child agents share the parts' other middleware.
    ready: (session) => {
      const checkpoints = new Checkpoints();
      for (const tool of checkpoints.tools()) session.registerTool(tool);
      session.use(checkpoints.middleware());
    },
  };
}
