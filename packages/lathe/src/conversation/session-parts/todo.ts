// Keeps the todo list of the session short and up to date.

import type { SessionPart } from "../session-contract.ts";
import { TodoUpkeep } from "../todo/upkeep.ts";
import type { SessionBase } from "./base.ts";

export function todoPart({
  workspace,
  request,
  session,
}: Pick<SessionBase, "workspace" | "request" | "session">): SessionPart {
  const upkeep = new TodoUpkeep({
    session: () => session.current,
    setTimer: workspace.machine.deps.setTimer,
    clearDelay: request.tape ? -1 : workspace.settings["tasks.todoClearDelay"],
  });
  return { name: "todo", middleware: [upkeep.middleware()], closing: async () => upkeep.close() };
}
