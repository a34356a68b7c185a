// Lets the model ask the user, and the user type into a command's terminal. Absent when no user is present.

import { answererWithin } from "../ask-timeout.ts";
import { callAnswers } from "../call-answers.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function questionsPart({
  workspace,
  request,
  permissions,
  session,
}: Pick<SessionBase, "workspace" | "request" | "permissions" | "session">): SessionPart | undefined {
  if (!request.person) return undefined;
  const { answer, showTerminal, terminalSize } = request.person;
  const patience = {
    seconds: workspace.settings["ask.timeout"],
    setTimer: workspace.machine.deps.setTimer,
    isPlanning: () => permissions.mode === "plan",
    answersFor: (callId: string) => callAnswers(() => session.current, callId),
  };
  return {
    name: "questions",
    services: {
      ...(answer ? { answerer: answererWithin(answer, patience) } : {}),
      ...(showTerminal && terminalSize ? { showTerminal, terminalSize } : {}),
    },
  };
}
