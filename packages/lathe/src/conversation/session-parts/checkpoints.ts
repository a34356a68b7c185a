// Checkpoints that the model may set and go back to, where the settings offer them.

import { Checkpoints } from "@lathe/agent/tools";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function checkpointsPart({ workspace }: Pick<SessionBase, "workspace">): SessionPart | undefined {
  if (!workspace.settings["checkpoint.enabled"]) return undefined;
  return {
    name: "checkpoints",
    // Added to this session only: its children share the other middleware.
    ready: (session) => {
      const checkpoints = new Checkpoints();
      for (const tool of checkpoints.tools()) session.registerTool(tool);
      session.use(checkpoints.middleware());
    },
  };
}
