// The sessions of one connection: those that are open, and those on disk that it can open.

import { realpathSync } from "node:fs";
import { join } from "node:path";
import type {
  ForkSessionRequest,
  ForkSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { realJournalPath } from "@lathe/agent/record";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { Run } from "../../hosts/run.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { sessionFiles } from "../../sessions/files.ts";
import { cwdOf, idOf } from "../../sessions/find.ts";
import {
  existingJournal,
  forkedJournal,
  newJournal,
  type OpenedJournal,
} from "../../sessions/journals/journal-files.ts";
import { listSessions, sessionName } from "../../sessions/list.ts";
import { removeSession } from "../../sessions/remove.ts";
import { SessionHeld } from "../../sessions/which-journal.ts";
import { heldOrOpen, releaseHeld } from "./held-session.ts";
import { type AcpHost, AcpSession, type SessionPlace } from "./session.ts";

const LISTED_AT_ONCE = 100;
const TITLE_LENGTH = 80;

export class AcpSessions {
  readonly #host: AcpHost;
  readonly #open = new Map<string, AcpSession>();

  constructor(host: AcpHost) {
    this.#host = host;
  }

  find(sessionId: string): AcpSession | undefined {
    return this.#open.get(sessionId);
  }

  get(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (session) return session;
    throw new RequestError(
      -32002,
      `Session ${sessionId} is not open here. Open it with session/load or session/resume.`,
    );
  }

  async create(request: NewSessionRequest): Promise<NewSessionResponse> {
    const session = await this.#start(request, newJournal);
    return { sessionId: session.id, ...(await session.state()) };
  }

  async load(request: LoadSessionRequest): Promise<LoadSessionResponse> {
    const session = await this.#openExisting(request);
    await session.replay();
    return session.state();
  }

  async resume(request: ResumeSessionRequest): Promise<ResumeSessionResponse> {
    return (await this.#openExisting(request)).state();
  }

  async fork(request: ForkSessionRequest): Promise<ForkSessionResponse> {
    const open = this.#open.get(request.sessionId);
    if (open?.conversation.isBusy) throw usageError("The agent is working in that session. Cancel it first, or wait.");
    const session = await this.#start(request, (workspace) =>
      forkedJournal(workspace, pathOf(workspace, request.sessionId)),
    );
    return { sessionId: session.id, ...(await session.state()) };
  }

  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const workspace = await this.#anyWorkspace();
    const from = cursor ? Number(cursor) : 0;
    if (!Number.isSafeInteger(from) || from < 0) throw usageError(`"${cursor}" is not a cursor from an earlier list.`);
    const { paths, machine } = workspace;
    const listed = listSessions({
      sessionsRoot: paths.sessions,
      ...(cwd ? { cwd: realFolder(cwd) } : {}),
      limit: from + LISTED_AT_ONCE + 1,
      cacheFile: join(paths.cache, "session-heads.json"),
      now: machine.deps.now(),
    });
    const page = listed.slice(from, from + LISTED_AT_ONCE);
    return {
      sessions: page.map((session) => ({
        sessionId: session.id,
        cwd: session.cwd,
        title: sessionName(session, TITLE_LENGTH),
        updatedAt: new Date(session.modified).toISOString(),
      })),
      ...(listed.length > from + LISTED_AT_ONCE ? { nextCursor: String(from + LISTED_AT_ONCE) } : {}),
    };
  }

  async close(sessionId: string): Promise<Record<string, never>> {
    const session = this.get(sessionId);
    this.#open.delete(sessionId);
    await session.close();
    return {};
  }

  async remove(sessionId: string): Promise<Record<string, never>> {
    if (this.#open.has(sessionId)) await this.close(sessionId);
    const workspace = await this.#anyWorkspace();
    await removeSession(workspace, pathOf(workspace, sessionId));
    return {};
  }

  async closeAll(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map((session) => session.close()));
  }

  /** A session that is already open stays as it is, since its settings and servers were chosen when it was opened. */
  async #openExisting(request: SessionPlace & { readonly sessionId: string }): Promise<AcpSession> {
    const { sessionId, cwd } = request;
    const open = this.#open.get(sessionId);
    if (open) return open;
    const start = (): Promise<AcpSession> =>
      this.#start(request, (workspace) => {
        const path = pathOf(workspace, sessionId);
        const there = cwdOf(path);
        if (there !== undefined && there !== workspace.cwd)
          throw usageError(`Session ${sessionId} is in another project (${there}), not in ${cwd}. Open it there.`);
        return heldOrOpen(path, () => existingJournal(workspace, path));
      });
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof SessionHeld)) throw error;
      await releaseHeld(sessionId, this.#host.machine);
      return start();
    }
  }

  async #start(place: SessionPlace, journal: (workspace: SessionWorkspace) => OpenedJournal): Promise<AcpSession> {
    const session = await AcpSession.open(this.#host, place, journal);
    this.#open.set(session.id, session);
    return session;
  }

  #anyWorkspace(): Promise<SessionWorkspace> {
    return new Run(this.#host.machine).open(this.#host.options);
  }
}

function pathOf(workspace: SessionWorkspace, sessionId: string): string {
  const found = sessionFiles(workspace.paths.sessions).find(({ path }) => idOf(path) === sessionId);
  if (!found) throw new RequestError(-32002, `There is no session ${sessionId}. See session/list.`);
  return realJournalPath(found.path);
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // The folder is gone: its sessions are listed under its old name.
  }
}
