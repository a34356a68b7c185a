// Opens a session: the base that its parts share, the parts, then the loop over them. Every host starts here.

import { Session } from "@lathe/agent";
import { noHistory } from "../changes/rewind/file-history.ts";
import { isAnythingHere } from "../found/discovery/agent-places.ts";
import { placeOf } from "../found/discovery/place.ts";
import { readJournal } from "../sessions/journals/journal-files.ts";
import { makeAdditions } from "./additions.ts";
import { SessionGates } from "./gates/session-gates.ts";
import { earlierSessions } from "./handoff.ts";
import { placeOfSession, sessionBase } from "./session-base.ts";
import { sessionConfig, streamTimeouts } from "./session-config.ts";
import type { OpenSession, SessionRequest } from "./session-contract.ts";
import type { SessionBase } from "./session-parts/base.ts";
import { closeParts, JoinedParts } from "./session-parts/join.ts";
import { builtInParts } from "./session-parts/list.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

export async function openSession(shared: SessionWorkspace, request: SessionRequest): Promise<OpenSession> {
  const place = placeOfSession(shared, request);
  const { workspace } = place;
  // Setting up the base asks git, which answers while the additions are loaded.
  let anything: boolean | undefined;
  const hasFiles = (): boolean => {
    anything ??= isAnythingHere(placeOf(workspace));
    return anything;
  };
  const making = sessionBase(place, request, hasFiles);
  const adding = makeAdditions(workspace, request, hasFiles);
  try {
    const base = await making;
    const added = await adding;
    const parts = new JoinedParts(await builtInParts(base), added);
    await parts.recover();
    const session = makeSession(base, parts);
    base.session.fill(session);
    await parts.ready(session);
    return openOver(base, parts, session);
  } catch (error) {
    await closeParts((await adding).parts);
    throw error;
  }
}

/**
 * Opens a session for one piece of work without a conversation (a single call, a preview of a request, a replay) and
 * closes it afterwards.
 */
export async function withSession<T>(
  workspace: SessionWorkspace,
  request: SessionRequest,
  work: (open: OpenSession) => Promise<T>,
): Promise<T> {
  const open = await openSession(workspace, request);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

function makeSession(base: SessionBase, parts: JoinedParts): Session {
  const { workspace, request, models } = base;
  const { journal } = request.opened;
  return new Session({
    profile: base.profile,
    env: base.env,
    sharedEnv: request.environment !== undefined,
    client: base.client,
    deps: workspace.machine.deps,
    journal,
    earlierSessions: () => earlierSessions(journal, (path) => readJournal(workspace, path)),
    config: { ...sessionConfig(workspace, request), ...streamTimeouts(workspace, models.known, request.model) },
    surroundings: base.surroundings.reader(parts),
    ...(request.arrangePrompt ? { arrangePrompt: request.arrangePrompt } : {}),
    redactor: workspace.redactor,
    asksAboutSecrets: () => base.permissions.asksAboutSecrets,
    profilesForRole: (role) => models.forRole(role),
    ...parts.around,
    middleware: parts.middleware,
    toolProviders: [...(request.toolProviders ?? []), ...parts.toolProviders],
    schemes: parts.schemes,
    services: parts.services,
    subagents: parts.subagents,
    onEvent: (event) => {
      parts.onEvent(event);
      request.onEvent?.(event);
    },
  });
}

function openOver(base: SessionBase, parts: JoinedParts, session: Session): OpenSession {
  const { workspace, request, client, models, history } = base;
  return {
    session,
    client,
    accounts: base.accounts,
    permissions: base.permissions,
    compaction: base.compaction,
    runningCommands: base.runningCommands,
    journal: request.opened,
    gates: new SessionGates(session, request.person, workspace.machine.deps.now),
    limits: request.limits,
    get model() {
      return models.current;
    },
    get editVariant() {
      return models.editVariant;
    },
    learnedVariant: models.learnedVariant,
    largestWindow: () => {
      const { info } = models.current;
      const larger =
        info && workspace.settings["contextPromotion.enabled"]
          ? models.known.registry.promotionTarget(info)
          : undefined;
      return Math.max(session.profile.contextWindowSize, larger?.contextWindow ?? 0);
    },
    switchModel: async (selector) => {
      const choice = await models.known.find(selector);
      await models.switchTo(choice);
      return choice;
    },
    rewinder: async () => {
      if (history) return history.rewinder(session);
      throw noHistory(workspace);
    },
    parts,
    close: async () => {
      await parts.closing();
      await session.close();
      await parts.close();
      await client.close();
    },
  };
}
