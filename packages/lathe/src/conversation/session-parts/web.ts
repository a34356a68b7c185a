// The way out to the web: one gate for everything in the session that leaves for it.

import { webGate } from "@lathe/agent/files";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function webPart({ workspace, env, session }: Pick<SessionBase, "workspace" | "env" | "session">): SessionPart {
  const gate = webGate({
    env,
    allowPrivate: workspace.settings["web.allowPrivate"],
    variables: workspace.env,
    onNotice: (message) => session.warn(message, "web"),
  });
  return { name: "web", services: { web: { gate } } };
}
