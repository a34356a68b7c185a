// The request for the next session in the same process: which model it gets. A key given for this run is used only for
// its provider.

import type { Journal } from "@lathe/agent";
import { callableModel, modelOfSession } from "../models/initial-model.ts";
import type { ModelChoice } from "../models/models.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import type { SessionRequest } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** Makes the request to open a session; `workspace` is set if it differs from the run's first one. */
export type RequestFor = (opened: OpenedJournal, workspace?: SessionWorkspace) => Promise<SessionRequest>;

/** The model that the session used, if it can still be called. */
export async function modelToResume(workspace: SessionWorkspace, journal: Journal): Promise<ModelChoice | undefined> {
  const selector = modelOfSession(journal, workspace);
  return selector === undefined ? undefined : callableModel(await workspace.models(), selector, false);
}

/** `keyed` is the provider that --api-key and --base-url were given for. */
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
