// Switching to another session in the same process: which model it gets, and that a key of this run is used only for the provider
// it was given for.

import type { Journal } from "@lathe/agent";
import { callable, modelOfSession } from "../models/initial-model.ts";
import type { ModelChoice } from "../models/models.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import type { SessionRequest } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** `workspace`: another place than the one the run began in. */
export type RequestFor = (opened: OpenedJournal, workspace?: SessionWorkspace) => Promise<SessionRequest>;

/** A session's own model, when it can still be called. */
export async function modelToResume(workspace: SessionWorkspace, journal: Journal): Promise<ModelChoice | undefined> {
  const selector = modelOfSession(journal, workspace);
  return selector === undefined ? undefined : callable(await workspace.models(), selector, false);
}

/** `keyed`: the provider that --api-key and --base-url were given for. */
export async function requestWith(
  requestFor: RequestFor,
  opened: OpenedJournal,
  model: ModelChoice,
  keyed: string,
  workspace: SessionWorkspace,
): Promise<SessionRequest> {
  const { overrides, ...asked } = await requestFor(opened, workspace);
  return { ...asked, model, ...(overrides && model.provider === keyed ? { overrides } : {}) };
}
