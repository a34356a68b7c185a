// The sessions of `lathe serve`: each open one is a child process behind a door. Unused sessions are closed and
// reopened on use; one that dies while working is reopened and continues. A session that another process shares is
// joined there instead and belongs to that process.

import { messageOf } from "@lathe/llm";
import type { CommandName } from "../../../hosts/rpc/commands.ts";
import { Refusal } from "../../../hosts/rpc/handler.ts";
import { EXIT } from "../../../platform/usage/exit.ts";
import { sessionName } from "../../../sessions/list.ts";
import type { DoorFrame } from "../../door/door.ts";
import type { CommandListener } from "../../door/shared-door.ts";
import { Refused } from "../../http/refused.ts";
import type { WatchedDoor } from "../../local/listen.ts";
import type { NewSession, SessionQuery, SessionRow } from "../client.ts";
import type { Roots } from "./roots.ts";
import type { SavedSessions } from "./saved-sessions.ts";
import { commandAt, type LiveSession, type ServedSessions, WATCHER } from "./served-sessions.ts";
import type { SessionsElsewhere } from "./sessions-elsewhere.ts";
import type { StoredModes } from "./stored-modes.ts";
import type { UnfinishedWork } from "./unfinished-work.ts";
import { WorkContinuation } from "./work-continuation.ts";

/** A session to open: a saved one by its file, or a new one. */
export interface DoorRequest extends NewSession {
  readonly path?: string | undefined;
}

export interface LiveSessionsOptions {
  readonly roots: Roots;
  readonly saved: SavedSessions;
  readonly unfinished: UnfinishedWork;
  readonly modes: StoredModes;
  readonly held: Pick<SessionsElsewhere, "join" | "ids" | "expect">;
  readonly openDoor: (request: DoorRequest, onCommand: CommandListener) => Promise<WatchedDoor>;
  /** Shares the session with other processes of this user. */
  readonly openLocally: (door: WatchedDoor, cwd: string, release: () => Promise<void>) => Promise<unknown>;
  readonly now: () => number;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** A session that is unused for this long is closed. */
  readonly idleMs: number;
  readonly mostOpen: number;
  /** Prints one line for the operator. */
  readonly note: (line: string) => void;
}

/** Commands that may start work. */
const STARTS_WORK: ReadonlySet<CommandName> = new Set(["prompt", "follow_up", "abort_and_prompt", "continue", "steer"]);
interface OpenSession extends LiveSession {
  readonly door: WatchedDoor;
  readonly isJoined: boolean;
  isElsewhere: boolean;
  /** The id of its session when last checked. */
  id: string;
  /** The number of clients that follow it, here and at its local door. */
  clients: number;
  /** Milliseconds since the epoch. */
  lastUsed: number;
  /** Set while its process is ending; requests wait for that and open the session again. */
  closing?: Promise<void>;
}

const PAGE = 50;
const LOOK_EVERY_MS = 60_000;

export class LiveSessions implements ServedSessions {
  readonly #options: LiveSessionsOptions;
  readonly #open = new Set<OpenSession>();
  readonly #opening = new Map<string, Promise<OpenSession>>();
  #idleTimer: { cancel(): void } | undefined;
  /** Processes that are being started. */
  #starting = 0;
  #isEnding = false;
  readonly #work: WorkContinuation;

  constructor(options: LiveSessionsOptions) {
    this.#options = options;
    const { unfinished, saved, now, setTimer, note } = options;
    const open = (id: string): Promise<OpenSession> => this.open(id);
    this.#work = new WorkContinuation({ unfinished, saved, open, isEnding: () => this.#isEnding, now, setTimer, note });
    this.#scheduleIdleCheck();
  }

  get roots(): readonly string[] {
    return this.#options.roots.list;
  }
  /** The number of open child processes; joined sessions do not count. */
  get count(): number {
    return this.#children.length;
  }

  async page({ search, limit = PAGE, after }: SessionQuery, only?: string): ReturnType<ServedSessions["page"]> {
    const all = await this.#options.saved.list(search);
    const saved = only === undefined ? all : all.filter(({ id }) => id === only);
    const held = this.#options.held.ids();
    const rows = saved.map((session): SessionRow => {
      const { id, cwd, modified } = session;
      return {
        id,
        title: sessionName(session, 80),
        cwd,
        updatedAt: new Date(modified).toISOString(),
        ...this.#life(id, held),
      };
    });
    const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
    return { sessions: rows.slice(from, from + limit), more: rows.length > from + limit };
  }

  async create({ cwd, ...session }: NewSession): Promise<string> {
    const folder = this.#options.roots.folder(cwd);
    const { door } = await this.#start({ ...session, cwd: folder });
    return door.sessionId;
  }

  async open(id: string): Promise<OpenSession> {
    const live = this.#find(id) ?? (await this.#openOnce(id));
    live.lastUsed = this.#options.now();
    return live;
  }

  async close(id: string): Promise<void> {
    const live = this.#find(id);
    if (live?.isJoined)
      throw new Refused(409, "held_elsewhere", "This session is open in another process. Close it there.");
    if (live) await close(live);
    else await this.#findSaved(id);
  }

  async command(...[id, client, name, params]: Parameters<ServedSessions["command"]>): Promise<unknown> {
    this.#checkPlace(name, params);
    const { door, isJoined } = await this.open(id);
    if (!isJoined && STARTS_WORK.has(name)) this.#work.noteStart(id);
    const data = await commandAt(door, client, name, params);
    if (isJoined) this.#options.modes.onCommand(id, name, params);
    return data;
  }

  /** Continues the sessions that were working when the server was killed. */
  continueUnfinished(): Promise<void> {
    return this.#work.continueAll();
  }

  /** With `forgets`, running work is not continued at the next start. */
  async closeAll({ forgets }: { readonly forgets: boolean }): Promise<void> {
    this.#isEnding = true;
    this.#idleTimer?.cancel();
    await Promise.allSettled(this.#opening.values());
    const open = [...this.#open];
    if (forgets) for (const { door } of open) this.#work.forget(door.sessionId);
    await Promise.all(open.map(close));
  }

  #checkPlace(name: CommandName, params: Readonly<Record<string, unknown>>): void {
    if (name === "move_session") this.#options.roots.folder(String(params["directory"]));
    const path = name === "switch_session" ? params["sessionPath"] : params["parentSession"];
    if (typeof path === "string" && this.#options.saved.at(path) === undefined)
      throw new Refused(403, "outside_roots", `Only sessions of folders below ${this.roots.join(", ")} are served.`);
  }

  #find(id: string): OpenSession | undefined {
    for (const live of this.#open) if (live.door.sessionId === id && !live.closing) return live;
    return undefined;
  }

  get #children(): readonly OpenSession[] {
    return [...this.#open].filter(({ isJoined }) => !isJoined);
  }

  #life(id: string, held: ReadonlySet<string>): Pick<SessionRow, "live" | "busy" | "questions"> {
    const door = this.#find(id)?.door;
    return {
      live: door !== undefined || held.has(id),
      busy: door?.isBusy ?? false,
      questions: door?.questions.length ?? 0,
    };
  }

  async #findSaved(id: string): Promise<{ readonly cwd: string; readonly path: string }> {
    const saved = await this.#options.saved.find(id);
    if (saved) return saved;
    throw new Refused(404, "unknown_session", "There is no such session here.");
  }

  #openOnce(id: string): Promise<OpenSession> {
    const known = this.#opening.get(id);
    if (known) return known;
    const opening = this.#openSaved(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #openSaved(id: string): Promise<OpenSession> {
    for (const { door, closing } of [...this.#open]) if (door.sessionId === id) await closing;
    const { path, cwd: folder } = await this.#findSaved(id);
    const cwd = this.#options.roots.folder(folder);
    const held = await this.#options.held.join(id, path);
    if (held) return this.#addJoined(held);
    try {
      return await this.#start({ cwd, path });
    } catch (error) {
      // Another process may have opened it meanwhile.
      const taken = await this.#options.held.join(id, path);
      if (taken) return this.#addJoined(taken);
      throw error;
    }
  }

  async #closeWhenEnding(door: WatchedDoor): Promise<void> {
    if (!this.#isEnding) return;
    await door.close();
    throw new Refused(503, "ending", "The server is shutting down.");
  }

  async #addJoined(door: WatchedDoor): Promise<OpenSession> {
    await this.#closeWhenEnding(door);
    const open = this.#add(door, true);
    await this.#checkJoined(open);
    return open;
  }

  /** Closes the session for an editor, whose process cannot join; the server's clients join it there. */
  async #release(open: OpenSession): Promise<void> {
    if (!isIdle(open))
      throw new Refusal("busy", "The session is working, or waits for an answer. Try again when it is done.");
    open.isElsewhere = true;
    this.#options.held.expect(open.door.sessionId);
    await close(open);
  }

  #add(door: WatchedDoor, isJoined: boolean): OpenSession {
    const open = {
      door,
      isJoined,
      isElsewhere: isJoined,
      id: door.sessionId,
      clients: 0,
      lastUsed: this.#options.now(),
    };
    this.#open.add(open);
    door.watch((frame) => this.#take(open, frame));
    return open;
  }

  /** Another process may have changed the mode, which we store, or the folder, which must be served. */
  async #checkJoined({ door }: OpenSession): Promise<void> {
    const { modes, roots } = this.#options;
    const state = await door.command(WATCHER, "get_state", {}).catch(() => undefined);
    if (state === undefined) return;
    modes.keep(state.sessionId, state.permissionMode);
    if (!roots.serves(state.cwd)) await door.close();
  }

  async #start(request: DoorRequest): Promise<OpenSession> {
    if (this.#isEnding) throw new Refused(503, "ending", "The server is shutting down.");
    // Count before the first await, so that many requests at once cannot exceed the limit.
    this.#starting++;
    try {
      await this.#makeRoom();
      return await this.#startNow(request);
    } finally {
      this.#starting--;
    }
  }

  async #startNow(request: DoorRequest): Promise<OpenSession> {
    let door: WatchedDoor | undefined;
    try {
      const { modes } = this.#options;
      const opened = await this.#options.openDoor(request, (...heard) => modes.onCommand(opened.sessionId, ...heard));
      door = opened;
      if (request.permissionMode !== undefined) modes.keep(door.sessionId, request.permissionMode);
      if (request.path !== undefined) await modes.restore(door);
    } catch (error) {
      await door?.close();
      throw openingFailure(error);
    }
    await this.#closeWhenEnding(door);
    const open = this.#add(door, false);
    await this.#options.openLocally(door, request.cwd, () => this.#release(open));
    return open;
  }

  async #makeRoom(): Promise<void> {
    const children = this.#children.filter(({ closing }) => !closing);
    if (children.length + this.#starting <= this.#options.mostOpen) return;
    const [oldest] = children.filter(isUnused).sort((a, b) => a.lastUsed - b.lastUsed);
    if (oldest === undefined)
      throw new Refused(503, "too_many_sessions", `${children.length} sessions are in use. Close one first.`, 30);
    await close(oldest);
    this.#open.delete(oldest);
  }

  #take(open: OpenSession, frame: DoorFrame): void {
    const { sessionId } = open.door;
    if (frame.kind === "event" && !open.isJoined) this.#work.onEvent(open.door, frame.event);
    if (open.isJoined && mayChange(frame)) void this.#checkJoined(open);
    if (frame.kind === "session") this.#options.modes.onMove(open.id, frame.sessionId);
    open.id = sessionId;
    if (frame.kind === "clients") open.clients = frame.clients.length;
    if (frame.kind !== "closed") return;
    this.#open.delete(open);
    if (frame.problem === undefined || this.#isEnding) return;
    // The user of the other process decides whether its work continues.
    if (open.isJoined) return;
    this.#options.note(`Session ${sessionId} has ended: ${frame.problem}`);
    void this.#work.continue(sessionId);
  }

  #scheduleIdleCheck(): void {
    const { idleMs, setTimer } = this.#options;
    this.#idleTimer = setTimer(() => void this.#closeUnused(), Math.min(idleMs, LOOK_EVERY_MS));
  }

  async #closeUnused(): Promise<void> {
    const { idleMs, now } = this.#options;
    const unused = [...this.#open].filter((live) => isUnused(live) && now() - live.lastUsed >= idleMs);
    await Promise.all(unused.map(close));
    if (!this.#isEnding) this.#scheduleIdleCheck();
  }
}

/** Frames after which a joined session may have another mode or folder. */
const mayChange = (frame: DoorFrame): boolean =>
  frame.kind === "session" ||
  frame.kind === "question" ||
  (frame.kind === "event" && (frame.event.type === "agent_start" || frame.event.type === "agent_end"));

/** Takes the last error of the child; other notes, such as one on an untrusted folder, may come before it. */
function openingFailure(error: unknown): Refused {
  const [, exit, said = messageOf(error)] = /^The agent ended \((.*?)\): (.*)$/s.exec(messageOf(error)) ?? [];
  const lines = said.split("\n");
  const word = lines.findLast((line) => line.startsWith("lathe: "))?.slice("lathe: ".length) ?? lines.join(" ");
  const message = `The session could not be opened. ${word}`;
  // A mistake of the caller, such as an unknown model: trying again would not help.
  const isMistake = exit === `exit code ${EXIT.usage}`;
  return isMistake ? new Refused(422, "session_refused", message) : new Refused(502, "session_failed", message);
}

function close(open: OpenSession): Promise<void> {
  open.closing ??= open.door.close();
  return open.closing;
}

const isIdle = ({ door }: OpenSession): boolean => !door.isBusy && door.questions.length === 0;
const isUnused = (open: OpenSession): boolean => open.clients === 0 && isIdle(open);
