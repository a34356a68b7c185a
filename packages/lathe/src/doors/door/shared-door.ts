// A door over anything that speaks the commands of RPC: many clients, one numbered stream, one answer per question.
// What it speaks to is a link: a child process, or a conversation in this one.

import type { ClientDeps } from "@lathe/llm";
import type { CommandData, CommandName, CommandParams, RpcSessionState } from "../../hosts/rpc/commands.ts";
import type { UiRequest } from "../../hosts/rpc/frames.ts";
import { notAvailable, Refusal } from "../../hosts/rpc/handler.ts";
import type { EventListener } from "../../hosts/rpc-client/client.ts";
import type { UiAnswer, UiHandler } from "../../hosts/rpc-client/host-side.ts";
import type { WireEvent } from "../../hosts/wire/events.ts";
import type { AnswerOutcome, ClientRow, Dialog, DialogAnswer, Door, DoorClient, DoorFrame } from "./door.ts";
import { FrameLog, type FrameLogOptions } from "./frame-log.ts";
import { FrameReader } from "./frame-reader.ts";
import { OpenQuestions } from "./open-questions.ts";
import { RunningTurn } from "./running-turn.ts";
import { UnconfirmedAnswers } from "./unconfirmed-answers.ts";

/** The session behind a door. RpcClient implements it. */
export interface SessionLink {
  readonly hasEnded: boolean;
  /** Only if the session has a process of its own. */
  readonly pid?: number | undefined;
  request<K extends CommandName>(command: K, params: CommandParams<K>): Promise<CommandData<K>>;
  onEvent(listener: EventListener): void;
  /** Dialogs that need an answer, and notices that need none. */
  onUiRequest(handler: UiHandler): void;
  /** Called when an accepted command fails later, or when the session's process ends; `hasEnded` is then true. */
  onFailure(listener: (error: Error) => void): void;
  stop(): Promise<unknown>;
}

/** Called for each command that was carried out, whichever client sent it. */
export type CommandListener = (name: CommandName, params: unknown) => void;

export interface SharedDoorOptions extends Pick<FrameLogOptions, "mostFrames" | "mostChars"> {
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  readonly onCommand?: CommandListener | undefined;
  /** True if the session's host cannot switch sessions: commands that would are refused. */
  readonly stays?: boolean | undefined;
}

/** Commands that replace the current session by another. */
export const LEAVING: ReadonlySet<CommandName> = new Set([
  "branch",
  "fork",
  "move_session",
  "new_session",
  "switch_session",
]);
/** These need a host that serves them as long as the session lives, and clients come and go. */
const FOR_HOSTS: ReadonlySet<CommandName> = new Set(["set_host_tools", "set_host_uri_schemes"]);

export class SharedDoor implements Door {
  readonly #link: SessionLink;
  readonly #log: FrameLog;
  readonly #questions: OpenQuestions;
  readonly #unconfirmed: UnconfirmedAnswers;
  readonly #running = new RunningTurn();
  readonly #onCommand: CommandListener | undefined;
  /** The client of each reader; a client may have several readers. */
  readonly #readers = new Map<FrameReader, DoorClient>();
  readonly #watchers = new Set<(frame: DoorFrame) => void>();
  /** The last state received; a session that has ended answers no more. */
  #state: RpcSessionState | undefined;
  #sessionId = "";
  /** The entry that the frames have reached; undefined before the first event. */
  #lastEntryId: string | null | undefined;
  #isBusy = false;
  /** Counts frames that began or ended work or changed the session. */
  #moves = 0;
  #isClosing = false;
  #dialogs = 0;
  readonly #first: number;
  readonly #stays: boolean;

  private constructor(link: SessionLink, { deps, stays = false, onCommand, ...limits }: SharedDoorOptions) {
    this.#link = link;
    this.#stays = stays;
    this.#onCommand = onCommand;
    // Higher than any number of an earlier door to this session: a client that returns with an old number gets a
    // snapshot.
    this.#first = deps.now() * 1000;
    this.#log = new FrameLog({ ...limits, setTimer: deps.setTimer, first: this.#first });
    this.#log.onFrame = (frame) => {
      for (const watcher of [...this.#watchers]) watcher(frame);
    };
    this.#questions = new OpenQuestions((frame) => this.#log.push(frame));
    this.#unconfirmed = new UnconfirmedAnswers(deps.setTimer);
    link.onEvent((event, sessionId, entryId) => this.#take(event, sessionId, entryId));
    link.onUiRequest((request, signal) => this.#ask(request, signal));
    link.onFailure((error) => this.#onFailure(error));
  }

  /** Pass `start` if the link is not running yet; the door then misses none of its events. */
  static async open(
    link: SessionLink,
    options: SharedDoorOptions,
    start: () => Promise<void> = async () => {},
  ): Promise<SharedDoor> {
    const door = new SharedDoor(link, options);
    await start();
    const state = await link.request("get_state", {});
    door.present(state.sessionId);
    door.#state = state;
    // Events that came after the answer are newer than it.
    if (door.#moves === 0) door.#isBusy = state.isStreaming;
    return door;
  }

  get sessionId(): string {
    return this.#sessionId;
  }
  get isBusy(): boolean {
    return this.#isBusy;
  }
  /** Only if the session has a process of its own. */
  get pid(): number | undefined {
    return this.#link.pid;
  }
  get questions(): readonly Dialog[] {
    return this.#questions.list;
  }

  async command<K extends CommandName>(client: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>> {
    if (FOR_HOSTS.has(name)) throw notAvailable(`${name} at a door`);
    if (this.#stays && LEAVING.has(name)) throw notAvailable(`${name} in a session that belongs to an editor`);
    if (this.#log.isOver) throw new Refusal("closed", "This session is closed. Open it again.");
    // Shows the others whose answer it was; clients cannot choose the name.
    const given = name === "workflow_gate_response" ? { ...params, by: client.name } : params;
    const data = await this.#link.request(name, given);
    this.#onCommand?.(name, params);
    const { sessionId } = (data ?? {}) as { readonly sessionId?: string };
    if (sessionId !== undefined) this.present(sessionId);
    return data;
  }

  async answer(client: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome> {
    if (!client.scopes.has("approve")) throw new Refusal("wrong_scope", `${client.name} may not answer questions.`);
    const outcome = this.#questions.answer(client.name, questionId, answer);
    if (outcome.status === "accepted") await this.#unconfirmed.wait(questionId);
    return outcome;
  }

  follow(client: DoorClient, after?: number): AsyncIterableIterator<DoorFrame> {
    const reader = new FrameReader(this.#log, {
      after,
      snapshot: () => this.#snapshot(),
      onEnd: () => this.#changeReaders(() => this.#readers.delete(reader)),
    });
    this.#changeReaders(() => this.#readers.set(reader, client));
    return reader;
  }

  /** Calls `watcher` with each frame, without being a client. Returns a function that stops it. */
  watch(watcher: (frame: DoorFrame) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Makes this the session behind the door. */
  present(sessionId: string): void {
    if (sessionId === this.#sessionId) return;
    const isFirst = this.#sessionId === "";
    this.#sessionId = sessionId;
    if (isFirst) return;
    this.#isBusy = false;
    this.#moves++;
    this.#lastEntryId = undefined;
    this.#running.clear();
    this.#log.push({ kind: "session", sessionId });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#link.stop();
    this.#end();
  }

  #take(event: WireEvent, sessionId: string, entryId: string | null): void {
    this.present(sessionId);
    this.#lastEntryId = entryId;
    if (event.type === "agent_start") this.#isBusy = true;
    if (event.type === "agent_end") this.#isBusy = false;
    if (event.type === "agent_start" || event.type === "agent_end") this.#moves++;
    this.#running.add(event);
    this.#log.event(event);
  }

  /** The link's ids start again with each process, and an answer from before must not match a later question. */
  async #ask(request: Exclude<UiRequest, { method: "cancel" }>, signal: AbortSignal): Promise<UiAnswer> {
    if (!isDialog(request)) return undefined;
    const id = `${++this.#dialogs}-${this.#first.toString(36)}`;
    const answer = await this.#questions.ask({ ...request, id }, signal);
    if (!answer) return undefined;
    const onTaken = (): void => this.#unconfirmed.confirm(id);
    const { cancelled, ...said } = answer;
    if (cancelled !== true) return { ...said, onTaken };
    // A cancelled dialog leaves nothing to record.
    onTaken();
    return undefined;
  }

  #onFailure(error: Error): void {
    if (this.#link.hasEnded) this.#end(this.#isClosing ? undefined : error.message);
    else this.#log.event({ type: "lathe:warning", message: error.message, code: "command_failed" });
  }

  #end(problem?: string): void {
    if (this.#log.isOver) return;
    this.#isBusy = false;
    this.#questions.giveUp();
    this.#unconfirmed.giveUp();
    this.#log.push({ kind: "closed", ...(problem === undefined ? {} : { problem }) });
    this.#log.end();
  }

  async #snapshot(): Promise<DoorFrame> {
    await this.#refresh();
    this.#log.flush();
    const asked = this.#state as RpcSessionState;
    // The session's own state may be older or newer than the last frame; entries and frames must meet without a gap.
    const leafId = this.#lastEntryId === undefined ? asked.leafId : this.#lastEntryId;
    const state = { ...asked, leafId };
    const snapshot = {
      state,
      lastEntryId: leafId,
      questions: this.#questions.list,
      clients: this.#rows(),
      running: this.#running.events,
    };
    // A closed door leaves room for its last frame, which says so and comes next.
    const seq = this.#log.isOver ? this.#log.last - 1 : this.#log.last;
    return { seq, kind: "snapshot", snapshot };
  }

  /**
   * The answer and the end of the work may arrive together. The frames are then ahead of the answer, and a reader told
   * that the session is busy would wait for an end that never comes. So ask again until nothing has changed in between.
   */
  async #refresh(): Promise<void> {
    for (let moves = -1; moves !== this.#moves && !this.#log.isOver; ) {
      moves = this.#moves;
      try {
        this.#state = await this.#link.request("get_state", {});
      } catch (error) {
        // The session ended while we asked: the last known state has to do.
        if (this.#link.hasEnded) return;
        throw error;
      }
    }
  }

  #changeReaders(change: () => void): void {
    const before = JSON.stringify(this.#rows());
    change();
    const clients = this.#rows();
    if (JSON.stringify(clients) !== before) this.#log.push({ kind: "clients", clients });
  }

  #rows(): readonly ClientRow[] {
    // A client without scopes only watches and is not listed, as in the server that keeps this door.
    const shown = [...this.#readers.values()].filter(({ scopes }) => scopes.size > 0);
    const rows = shown.map(({ name, kind }): ClientRow => ({ name, kind }));
    return rows.filter((row, i) => rows.findIndex(({ name, kind }) => name === row.name && kind === row.kind) === i);
  }
}

const isDialog = (request: UiRequest): request is Dialog =>
  request.method === "select" ||
  request.method === "confirm" ||
  request.method === "input" ||
  request.method === "editor";
