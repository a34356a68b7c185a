// Decides whether the changes of a run with --worktree may be written to the project. Ordinary files may, because the
// user chose to apply them; protected files are judged as when an isolated agent's changes are landed.

import type { LandingPermit } from "../config/workspace/run-view.ts";
import type { OpenSession } from "./session-contract.ts";

/** `id` is the id of the view. */
export function landingPermit({ session, permissions }: OpenSession, id: string): LandingPermit {
  return async (files) => {
    const asked = permissions.protectedAmong(files);
    if (asked.length === 0) return undefined;
    return session.beside.permitLanding({ agentId: id, files: asked, verify: undefined }, new AbortController().signal);
  };
}
