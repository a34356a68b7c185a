// The sessions of `lathe serve`: each open one is a child process behind a door. Those that nobody uses are closed to their journals and
// opened again on use; one that dies while it works is opened again and goes on.

import { messageOf } from "@lathe/llm";
import type { CommandName } from "../../../hosts/rpc/commands.ts";
import type { WireEvent } from "../../../hosts/wire/events.ts";
import { sessionName } from "../../../sessions/list.ts";
import type { DoorFrame } from "../../door/door.ts";
import type { CommandListener } from "../../door/shared-door.ts";
import type { WatchedDoor } from "../../local/listen.ts";
import type { NewSession, SessionQuery, SessionRow } from "../client.ts";
import { Refused } from "../refused.ts";
import type { KeptModes } from "./kept-modes.ts";
import type { Roots } from "./roots.ts";
import type { SavedSessions } from "./saved-sessions.ts";
import { commandAt, type LiveSession, type ServedSessions, WATCHER } from "./served-sessions.ts";
import { MOST_TRIES, type UnfinishedWork } from "./unfinished-work.ts";

/** A session to be opened: a saved one by its file, else a new one. */
export interface DoorRequest extends NewSession {
  readonly path?: string | undefined;
}

export interface LiveSessionsOptions {
  readonly roots: Roots;
  readonly saved: SavedSessions;
  readonly unfinished: UnfinishedWork;
  readonly modes: KeptModes;
  readonly openDoor: (request: DoorRequest, onCommand: CommandListener) => Promise<WatchedDoor>;
  /** For other processes of this user. */
  readonly openLocally: (door: WatchedDoor, cwd: string) => Promise<unknown>;
  readonly now: () => number;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** A session that was not used for so long is closed. */
  readonly idleMs: number;
  readonly mostOpen: number;
  /** One line for whoever runs the server. */
  readonly note: (line: string) => void;
}

/** After one of them the session may be working. */
const STARTS_WORK: ReadonlySet<CommandName> = new Set(["prompt", "follow_up", "abort_and_prompt", "continue", "steer"]);
interface OpenSession extends LiveSession {
  readonly door: WatchedDoor;
  /** Of the session that it was in when that was last looked at. */
  id: string;
  /** Everyone who follows it, here and at its local door. */
  clients: number;
  /** Milliseconds since the epoch. */
  lastUsed: number;
}

const PAGE = 50;
const LOOK_EVERY_MS = 60_000;
/** How long the process of a killed server may take to end, and how often it is looked whether it has. */
const RELEASED_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 100;

export class LiveSessions implements ServedSessions {
  readonly #options: LiveSessionsOptions;
  readonly #open = new Set<OpenSession>();
  readonly #opening = new Map<string, Promise<OpenSession>>();
  #idleTimer: { cancel(): void } | undefined;
  #isEnding = false;

  constructor(options: LiveSessionsOptions) {
    this.#options = options;
    this.#lookLater();
  }

  get roots(): readonly string[] {
    return this.#options.roots.list;
  }
  /** How many processes are open. */
  get count(): number {
    return this.#open.size;
  }

  async page({ search, limit = PAGE, after }: SessionQuery): ReturnType<ServedSessions["page"]> {
    const saved = await this.#options.saved.list(search);
    const rows = saved.map((session): SessionRow => {
      const { id, cwd, modified } = session;
      return {
        id,
        title: sessionName(session, 80),
        cwd,
        updatedAt: new Date(modified).toISOString(),
        ...this.#life(id),
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

  async open(id: string): Promise<LiveSession> {
    const live = this.#find(id) ?? (await this.#openOnce(id));
    live.lastUsed = this.#options.now();
    return live;
  }

  async close(id: string): Promise<void> {
    const live = this.#find(id);
    if (live) await live.door.close();
    else await this.#saved(id);
  }

  async command(...[id, client, name, params]: Parameters<ServedSessions["command"]>): Promise<unknown> {
    this.#checkPlace(name, params);
    const { door } = await this.open(id);
    const { unfinished } = this.#options;
    // Noted before it begins: the process may die before it has said that it works.
    if (STARTS_WORK.has(name) && unfinished.tries(id) === undefined) unfinished.note(id, 0);
    return commandAt(door, client, name, params);
  }

  /** Sessions that were working when the server was killed go on. */
  async continueUnfinished(): Promise<void> {
    for (const id of this.#options.unfinished.list())
      if ((await this.#options.saved.find(id)) !== undefined) await this.#continue(id);
  }

  /** `forgets`: what is working now does not go on with the next start. */
  async closeAll({ forgets }: { readonly forgets: boolean }): Promise<void> {
    this.#isEnding = true;
    this.#idleTimer?.cancel();
    await Promise.allSettled(this.#opening.values());
    const open = [...this.#open];
    if (forgets) for (const { door } of open) this.#options.unfinished.done(door.sessionId);
    await Promise.all(open.map(({ door }) => door.close()));
  }

  // ---- inside ----

  #checkPlace(name: CommandName, params: Readonly<Record<string, unknown>>): void {
    if (name === "move_session") this.#options.roots.folder(String(params["directory"]));
    const path = name === "switch_session" ? params["sessionPath"] : params["parentSession"];
    if (typeof path === "string" && this.#options.saved.at(path) === undefined)
      throw new Refused(403, "outside_roots", `Only sessions of folders below ${this.roots.join(", ")} are served.`);
  }

  #find(id: string): OpenSession | undefined {
    for (const live of this.#open) if (live.door.sessionId === id) return live;
    return undefined;
  }

  #life(id: string): Pick<SessionRow, "live" | "busy" | "questions"> {
    const door = this.#find(id)?.door;
    return { live: door !== undefined, busy: door?.isBusy ?? false, questions: door?.questions.length ?? 0 };
  }

  async #saved(id: string): Promise<{ readonly cwd: string; readonly path: string }> {
    const saved = await this.#options.saved.find(id);
    if (saved) return saved;
    throw new Refused(404, "unknown_session", "There is no such session here. See: GET /v1/sessions");
  }

  #openOnce(id: string): Promise<OpenSession> {
    const known = this.#opening.get(id);
    if (known) return known;
    const opening = this.#saved(id)
      .then(({ cwd, path }) => this.#start({ cwd: this.#options.roots.folder(cwd), path }))
      .finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #start(request: DoorRequest): Promise<OpenSession> {
    if (this.#isEnding) throw new Refused(503, "ending", "The server is ending.");
    await this.#makeRoom();
    let door: WatchedDoor;
    try {
      const { modes } = this.#options;
      door = await this.#options.openDoor(request, (name, params) => modes.heard(door.sessionId, name, params));
      if (request.permissionMode !== undefined) modes.keep(door.sessionId, request.permissionMode);
      if (request.path !== undefined) await modes.restore(door);
    } catch (error) {
      throw new Refused(502, "session_failed", `The session could not be opened. ${lastWordOf(error)}`);
    }
    const open: OpenSession = { door, id: door.sessionId, clients: 0, lastUsed: this.#options.now() };
    this.#open.add(open);
    door.watch((frame) => this.#take(open, frame));
    await this.#options.openLocally(door, request.cwd);
    return open;
  }

  async #makeRoom(): Promise<void> {
    if (this.#open.size < this.#options.mostOpen) return;
    const [oldest] = [...this.#open].filter(isUnused).sort((a, b) => a.lastUsed - b.lastUsed);
    if (oldest === undefined)
      throw new Refused(503, "too_many_sessions", `${this.#open.size} sessions are in use. Close one first.`, 30);
    await oldest.door.close();
    this.#open.delete(oldest);
  }

  #take(open: OpenSession, frame: DoorFrame): void {
    const { sessionId } = open.door;
    if (frame.kind === "event") this.#noteWork(sessionId, frame.event);
    if (frame.kind === "session") this.#options.modes.moved(open.id, frame.sessionId);
    open.id = sessionId;
    if (frame.kind === "clients") open.clients = frame.clients.length;
    if (frame.kind !== "closed") return;
    this.#open.delete(open);
    if (frame.problem === undefined || this.#isEnding) return;
    this.#options.note(`Session ${sessionId} has ended: ${frame.problem}`);
    void this.#continue(sessionId);
  }

  #noteWork(id: string, event: WireEvent): void {
    const { unfinished } = this.#options;
    // What ends because the server ends goes on with the next start.
    if (this.#isEnding) return;
    if (event.type === "agent_start" && unfinished.tries(id) === undefined) unfinished.note(id, 0);
    else if (event.type === "turn_end" && unfinished.tries(id) !== 0) unfinished.note(id, 0);
    else if (event.type === "agent_end") unfinished.done(id);
  }

  async #continue(id: string): Promise<void> {
    const { unfinished, note } = this.#options;
    const tries = unfinished.tries(id);
    if (tries === undefined || this.#isEnding) return;
    if (tries >= MOST_TRIES) {
      unfinished.done(id);
      note(`Session ${id} has died ${MOST_TRIES} times without getting on. It waits for you: send it \`continue\`.`);
      return;
    }
    await this.#isReleased(id);
    unfinished.note(id, tries + 1);
    let live: LiveSession;
    try {
      live = await this.open(id);
    } catch (error) {
      note(`Session ${id}: ${messageOf(error)}`);
      return this.#continue(id);
    }
    await this.#finishInput(live).catch((error: unknown) => note(`Session ${id} does not go on: ${messageOf(error)}`));
  }

  /** The process that worked on it may still be ending, when its server was killed and is started again at once. */
  async #isReleased(id: string): Promise<void> {
    const { saved, now, setTimer } = this.#options;
    const deadline = now() + RELEASED_WITHIN_MS;
    while (now() < deadline && !this.#isEnding && (await saved.isHeld(id)))
      await new Promise<void>((resolve) => setTimer(resolve, LOOK_AGAIN_MS));
  }

  async #finishInput({ door }: LiveSession): Promise<void> {
    const { unfinished, note } = this.#options;
    const { unfinishedInput } = await door.command(WATCHER, "get_state", {});
    if (!unfinishedInput) return unfinished.done(door.sessionId);
    note(`Session ${door.sessionId} goes on with what it was doing.`);
    await door.command(WATCHER, "continue", {});
  }

  #lookLater(): void {
    const { idleMs, setTimer } = this.#options;
    this.#idleTimer = setTimer(() => void this.#closeUnused(), Math.min(idleMs, LOOK_EVERY_MS));
  }

  async #closeUnused(): Promise<void> {
    const { idleMs, now } = this.#options;
    const unused = [...this.#open].filter((live) => isUnused(live) && now() - live.lastUsed >= idleMs);
    await Promise.all(unused.map(({ door }) => door.close()));
    if (!this.#isEnding) this.#lookLater();
  }
}

/** What the child said when it gave up; before it may come notes, such as those on a folder that is not trusted. */
function lastWordOf(error: unknown): string {
  const lines = messageOf(error).split("\n");
  return lines.findLast((line) => line.startsWith("lathe: "))?.slice("lathe: ".length) ?? lines.join(" ");
}

const isUnused = ({ door, clients }: OpenSession): boolean =>
  clients === 0 && !door.isBusy && door.questions.length === 0;
