// The agents of a session: their types, models and journals, and warnings about their files.

import { acpProfile } from "../../found/agents/acp/engine.ts";
import type { ModelChoice } from "../../models/models.ts";
import { childFiles } from "../child-journals.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function agentsPart({
  agents,
  models,
  request,
  workspace,
}: Pick<SessionBase, "agents" | "models" | "request" | "workspace">): SessionPart {
  const profileFor = (choice: ModelChoice) => ({ ...models.otherProfile(choice), reasoningEffort: choice.effort });
  return {
    name: "agents",
    subagents: {
      ...agents.options(),
      // In a run with a view, agents work in that view.
      isApart: request.environment !== undefined,
      profileFor: (selector) => acpProfile(selector) ?? profileFor(models.known.choose(selector)),
      ...childFiles(workspace, request.opened.folder),
    },
    ready: (session) => agents.opened((message) => session.warn(message, "agents")),
  };
}
