// Commands about the view that the run works in.

import { landingPermit } from "../../conversation/landing-permit.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { Handlers } from "./handler.ts";

export const worktreeHandlers: Handlers<"get_worktree" | "settle_worktree"> = {
  get_worktree: async (_params, { current }) => {
    const { view, cwd } = current.conversation.workspace;
    if (!view) return { worktree: null };
    const { files, leftOut, isSettled } = await view.changes();
    return { worktree: { id: view.id, kind: view.kind, cwd, files, leftOut, settled: isSettled } };
  },

  settle_worktree: async ({ how }, { current }) => {
    const { view } = current.conversation.workspace;
    if (!view) throw usageError("This run works in the project itself. Start the agent with --worktree.");
    if (current.isBusy) throw usageError("The agent is working. Abort it first, or wait for its end.");
    const { how: _how, ...settled } = await view.settle(how, landingPermit(current.conversation.open, view.id));
    return { id: view.id, ...settled };
  },
};
