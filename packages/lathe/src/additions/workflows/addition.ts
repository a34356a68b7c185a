// Workflows as an addition to sessions: each begins with a command. The code is loaded then, or if the session is
// already in one.

import type { Middleware, Session } from "@lathe/agent";
import type { AdditionMaker, OpenSession, PartCommand, PromptCommand } from "../../conversation/session-contract.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { GOAL_FACT } from "../goal/goal.ts";
import { WORKFLOWS } from "./definitions.ts";
import type { SessionWorkflows } from "./session-workflows.ts";
import { teamCommand } from "./team-skill.ts";
import { WORKFLOW_FACT } from "./workflow.ts";

export const workflowsAddition: AdditionMaker = async (workspace, request) => {
  let session: Session | undefined;
  let open: OpenSession | undefined;
  let made: SessionWorkflows | undefined;
  const workflows = async (): Promise<SessionWorkflows> => {
    const { SessionWorkflows } = await import("./session-workflows.ts");
    made ??= new SessionWorkflows({
      workspace,
      opened: request.opened,
      session: session as Session,
      gates: () => (open as OpenSession).gates,
      beginGoal: async (goal, parts) => open?.parts.goals?.begin(goal, parts),
    });
    return made;
  };
  const isInOne = (): boolean => session?.facts.read(WORKFLOW_FACT) !== undefined;
  const middleware: Middleware = {
    name: "workflows",
    // Inputs of subagents do not concern the workflow.
    onInput: async ({ content }, { agentId }) =>
      agentId === undefined && isInOne() ? (await workflows()).onInput(content) : undefined,
    beforeCall: async (call) => (isInOne() ? (await workflows()).beforeCall(call) : undefined),
  };
  return {
    name: "workflows",
    middleware: [middleware],
    // A user's skill of the same name takes precedence.
    commands: async () => [
      ...Object.values(WORKFLOWS).map(
        (definition): PromptCommand => ({
          name: `skill:${definition.name}`,
          arguments: definition.arguments,
          description: definition.description,
          expand: async (wish, target) => {
            if (target.session.state === "processing")
              throw usageError("The agent is working. Interrupt it first, then begin the workflow.");
            return (await workflows()).begin(definition, wish);
          },
        }),
      ),
      teamCommand(workspace.machine),
      workflowCommand(workflows),
    ],
    onEvent: (event) => {
      if (event.kind === "fact_changed" && event.data.kind === GOAL_FACT) made?.onGoal();
      if (event.kind === "processing_end" && event.data.reason === "interrupted") made?.onInterrupted();
    },
    ready: async (opening) => {
      session = opening;
      if (opening.journal.leaf === null || !isInOne()) return;
      const found = await workflows();
      found.arm();
      // The process may have ended between the proof and the move.
      found.onGoal();
    },
    opened: (opened) => {
      open = opened;
      opened.gates.dialog = async () => (isInOne() ? (await workflows()).dialog() : undefined);
    },
  };
};

/** Prints lines at a terminal; in other hosts, the same text is a notice. */
function workflowCommand(workflows: () => Promise<SessionWorkflows>): PartCommand & PromptCommand {
  const answer = async (argument: string): Promise<string> => {
    const word = argument.trim();
    if (word !== "" && word !== "stop") throw usageError("Use: /workflow, or /workflow stop.");
    const at = await workflows();
    return word === "stop" ? at.stop() : at.text();
  };
  return {
    name: "workflow",
    arguments: "[stop]",
    description: "show the state of this session's workflow, or end it",
    whileWorking: true,
    acts: true,
    complete: (_target, typed) => ["stop"].filter((verb) => verb.startsWith(typed)),
    run: async (_conversation, argument, view) => {
      for (const line of (await answer(argument)).split("\n")) view.line(line);
    },
    expand: async (argument, { session }) => {
      session.warn(await answer(argument), "workflow");
      return undefined;
    },
  };
}
