// The way out to the web: one gate for everything in the session that leaves for it.

import { webGate } from "@lathe/agent/files";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function webPart({
  workspace,
  env,
  session,
  permissions,
}: Pick<SessionBase, "workspace" | "env" | "session" | "permissions">): SessionPart {
  const gate = webGate({
    env,
    allowPrivate: workspace.settings["web.allowPrivate"],
    variables: workspace.env,
    onNotice: (message) => session.warn(message, "web"),
  });
  permissions.shown?.followTyped((address) => gate.openTyped(address));
  const redirectProblem = (from: URL, to: URL): string | undefined => permissions.redirectProblem(from, to);
  return { name: "web", services: { web: { gate, fetch: { redirectProblem } } } };
}
