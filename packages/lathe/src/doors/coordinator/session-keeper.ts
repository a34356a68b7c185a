// Keeps one session going while a coordinator runs: it follows the session's door, and after each change there or in
// the event journal it checks the active turn, delivers its prompt, records its end and starts the next one. If it is
// killed, the next coordinator continues: all state is in the journals.

import { watch } from "node:fs";
import { messageOf } from "@lathe/llm";
import { homePaths } from "../../platform/home/paths.ts";
import type { Dialog, DoorFrame } from "../door/door.ts";
import { joinLocally, type LocalDoor } from "../local/local-door.ts";
import { COORDINATOR, type Coordinator, mayWorkIn } from "./coordinator.ts";
import { entryOfTurn } from "./ids.ts";
import { pastePrompt } from "./panes.ts";
import { readPayload } from "./payloads.ts";
import type { Progress } from "./session-record.ts";
import type { SessionFacts, TurnFacts } from "./state.ts";
import { endTurn, promote, type TurnEnd } from "./turn-moves.ts";

export class SessionKeeper {
  readonly #coordinator: Coordinator;
  readonly #sessionId: string;
  /** Only reads: delivers and records nothing. */
  readonly #isPassive: boolean;
  #door: LocalDoor | undefined;
  #joining: Promise<LocalDoor | undefined> | undefined;
  /** The running pass, and whether another one must follow. */
  #advancing: Promise<void> | undefined;
  #again = false;
  #watcher: { readonly path: string; readonly close: () => void } | undefined;
  /** The message of the last pasted turn. */
  #pasted: { readonly turnId: string; readonly entry: string } | undefined;
  #isClosed = false;

  constructor(coordinator: Coordinator, sessionId: string, isPassive: boolean) {
    this.#isPassive = isPassive;
    this.#coordinator = coordinator;
    this.#sessionId = sessionId;
  }

  get #session(): SessionFacts | undefined {
    return this.#coordinator.journal.state.sessions.get(this.#sessionId);
  }

  /** Undefined if no process shares the session. */
  door(): Promise<LocalDoor | undefined> {
    if (this.#door) return Promise.resolve(this.#door);
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  /** Brings the session as far as it can go now. Never rejects: a problem may be gone at the next pass. */
  advance(): Promise<void> {
    if (this.#isPassive) return Promise.resolve();
    this.#again = true;
    this.#advancing ??= this.#advanceAll().finally(() => {
      this.#advancing = undefined;
    });
    return this.#advancing;
  }

  /** Interrupts the work of a cancelled turn, but no other work. */
  async interrupt(turnId: string): Promise<void> {
    const { records, journal } = this.#coordinator;
    const turn = journal.state.turns.get(turnId);
    const door = await this.door();
    if (!door?.isBusy || turn?.deliveredTo === undefined) return;
    if (records.progressOf(turn.deliveredTo, entryOfTurn(turnId)).state !== "working") return;
    await door.command(COORDINATOR, "abort", {}).catch(() => undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#watcher?.close();
    void this.#door?.close();
  }

  async #join(): Promise<LocalDoor | undefined> {
    const session = this.#session;
    if (this.#isClosed || session?.way !== "door" || session.latheSession === undefined) return undefined;
    const { doors } = this.#coordinator;
    const door = await joinLocally(doors, session.latheSession, COORDINATOR).catch(() => undefined);
    if (!door) return undefined;
    this.#door = door;
    if (!this.#isPassive) void this.#listen(door);
    return door;
  }

  async #listen(door: LocalDoor): Promise<void> {
    try {
      for await (const frame of door.follow(COORDINATOR)) await this.#take(frame);
    } catch {
      // The process died while we connected; treat it like its end.
    }
    if (this.#door === door) this.#door = undefined;
    await door.close();
    if (!this.#isClosed) await this.advance();
  }

  async #take(frame: DoorFrame): Promise<void> {
    if (frame.kind === "question") await this.#noteQuestion(frame.question);
    else if (frame.kind === "settled") await this.#noteAnswer(frame.questionId, frame.by);
    else if (frame.kind === "session") await this.#noteMove(frame.sessionId);
    else if (frame.kind === "snapshot") {
      for (const question of frame.snapshot.questions) await this.#noteQuestion(question);
      void this.advance();
    } else if (frame.kind === "event" && frame.event.type === "agent_end") void this.advance();
  }

  async #noteQuestion({ id, method, title }: Dialog): Promise<void> {
    await this.#coordinator.journal.change((state) => {
      const turn = state.active.get(this.#sessionId);
      const ids = { session_id: this.#sessionId, question_id: id, ...(turn === undefined ? {} : { turn_id: turn }) };
      const summary = `The session waits for an answer (${method}).`;
      const isNew = !state.questions.has(id) && title !== undefined;
      return { events: isNew ? [{ kind: "question.opened", ...ids, summary }] : [], result: undefined };
    });
  }

  async #noteAnswer(id: string, by: string): Promise<void> {
    await this.#coordinator.journal.change((state) => {
      const isOpen = state.questions.get(id)?.isOpen === true;
      const ids = { session_id: this.#sessionId, question_id: id };
      const summary = "The question is settled.";
      return {
        events: isOpen ? [{ kind: "question.settled", ...ids, summary, metadata: { by } }] : [],
        result: undefined,
      };
    });
  }

  async #noteMove(latheSession: string): Promise<void> {
    await this.#coordinator.journal.change((state) => {
      const isNew = state.sessions.get(this.#sessionId)?.latheSession !== latheSession;
      const metadata = { lathe_session: latheSession };
      const summary = "The pane shows another session.";
      const event = { kind: "session.started", session_id: this.#sessionId, summary, metadata } as const;
      return { events: isNew ? [event] : [], result: undefined };
    });
  }

  async #advanceAll(): Promise<void> {
    while (this.#again && !this.#isClosed) {
      this.#again = false;
      try {
        while (await this.#step());
      } catch {
        // The session's process died meanwhile, or the state cannot be written. The next pass will find out.
      }
    }
  }

  /** Returns false if there is nothing to do now. */
  async #step(): Promise<boolean> {
    const { journal } = this.#coordinator;
    journal.refresh();
    const session = this.#session;
    if (session?.phase !== "open") return false;
    const active = journal.state.active.get(this.#sessionId);
    const turn = active === undefined ? undefined : journal.state.turns.get(active);
    if (!turn) {
      // Do not take the lock if no turn is queued.
      const isQueued = (journal.state.queues.get(this.#sessionId)?.length ?? 0) > 0;
      return isQueued && journal.change((state) => promote(state, this.#sessionId));
    }
    const place = this.#placeOf(session, turn);
    if (place?.progress.state === "ended") {
      const end = endOf(place.progress);
      return journal.change((state) => endTurn(state, turn.turnId, end));
    }
    this.#watchJournal(session);
    if (!mayWorkIn(this.#coordinator, session)) {
      await this.door();
      return false;
    }
    if (place?.progress.state === "working") return this.#continueWork();
    return session.way === "door" ? this.#sayAtDoor(turn) : this.#paste(session, turn);
  }

  #placeOf(session: SessionFacts, turn: TurnFacts): { readonly progress: Progress } | undefined {
    const { records, journal } = this.#coordinator;
    const latheSession = turn.deliveredTo ?? session.latheSession;
    if (latheSession === undefined) return undefined;
    if (session.way === "door") return { progress: records.progressOf(latheSession, entryOfTurn(turn.turnId)) };
    const prompt = readPayload(journal.folder, "prompts", turn.turnId)?.["prompt"];
    const isSaid = (turn.isDelivering || turn.deliveredTo !== undefined) && typeof prompt === "string";
    const entry = isSaid ? this.#pastedEntry(latheSession, prompt, turn) : undefined;
    if (entry !== undefined) return { progress: records.progressOf(latheSession, entry) };
    // The prompt may have been pasted already; never paste it twice.
    return isSaid ? { progress: { state: "working" } } : undefined;
  }

  /** Searches the whole journal only once. */
  #pastedEntry(latheSession: string, prompt: string, { turnId, after }: TurnFacts): string | undefined {
    if (this.#pasted?.turnId === turnId) return this.#pasted.entry;
    const entry = this.#coordinator.records.pastedEntry(latheSession, prompt, after);
    this.#pasted = entry === undefined ? undefined : { turnId, entry };
    return entry;
  }

  /** Continues work that was cut off when its process died. */
  async #continueWork(): Promise<boolean> {
    const door = await this.door();
    if (!door || door.isBusy) return false;
    const { isStreaming, unfinishedInput } = await door.command(COORDINATOR, "get_state", {});
    if (!isStreaming && unfinishedInput) await door.command(COORDINATOR, "continue", {});
    return false;
  }

  async #sayAtDoor(turn: TurnFacts): Promise<boolean> {
    const { journal, records } = this.#coordinator;
    const { turnId } = turn;
    const door = await this.door();
    // Let the work of others finish first.
    if (!door || (door.isBusy && !turn.isForced)) return false;
    const message = readPayload(journal.folder, "prompts", turnId)?.["prompt"];
    if (typeof message !== "string")
      return journal.change((state) =>
        endTurn(state, turnId, { status: "failed", by: "refused", error: "The prompt is gone." }),
      );
    const entryId = entryOfTurn(turnId);
    try {
      await door.command(COORDINATOR, turn.isForced ? "abort_and_prompt" : "prompt", { message, entryId });
    } catch (error) {
      // This rejects if the process is gone.
      const { isStreaming } = await door.command(COORDINATOR, "get_state", {});
      if (isStreaming) return false;
      const end: TurnEnd = { status: "failed", by: "refused", error: messageOf(error) };
      return journal.change((state) => endTurn(state, turnId, end));
    }
    const isSaid = records.progressOf(door.sessionId, entryId).state !== "unsaid";
    // Another client's input came first. Deliver this one once that has ended.
    if (!isSaid && turn.isForced && door.isBusy) return false;
    const metadata = { lathe_session: door.sessionId };
    const ids = { session_id: this.#sessionId, turn_id: turnId };
    const said = { kind: "turn.delivered", ...ids, summary: "The session has the prompt.", metadata } as const;
    await journal.change((state) => {
      // Another coordinator of the namespace may have recorded it.
      const isNoted = state.turns.get(turnId)?.deliveredTo === door.sessionId;
      return { events: state.active.get(this.#sessionId) === turnId && !isNoted ? [said] : [], result: true };
    });
    // A slash command that does its work itself leaves nothing in the journal.
    if (isSaid) return true;
    return journal.change((state) => endTurn(state, turnId, { status: "completed", by: "command" }));
  }

  async #paste(session: SessionFacts, turn: TurnFacts): Promise<boolean> {
    const { journal, records } = this.#coordinator;
    const prompt = readPayload(journal.folder, "prompts", turn.turnId)?.["prompt"];
    if (typeof prompt !== "string" || session.latheSession === undefined) return false;
    // While a question is open there, the Enter after the prompt would answer it.
    if (!records.isIdle(session.latheSession)) return false;
    const leaf = records.journalOf(session.latheSession)?.leaf ?? undefined;
    const ids = { session_id: this.#sessionId, turn_id: turn.turnId };
    const where = { lathe_session: session.latheSession, ...(leaf === undefined ? {} : { after: leaf }) };
    const begun = await journal.change((state) => {
      const isOurs = state.turns.get(turn.turnId)?.isDelivering === false;
      const event = {
        kind: "turn.delivering",
        ...ids,
        summary: "The prompt is pasted into the pane.",
        metadata: where,
      } as const;
      return { events: isOurs ? [event] : [], result: isOurs };
    });
    if (!begun) return false;
    try {
      await pastePrompt(this.#coordinator, session, turn.turnId, prompt);
    } catch (error) {
      const end: TurnEnd = { status: "failed", by: "refused", error: messageOf(error) };
      return journal.change((state) => endTurn(state, turn.turnId, end));
    }
    return false;
  }

  /** A pane without a door reports nothing, so watch its journal. */
  #watchJournal(session: SessionFacts): void {
    const { machine, records } = this.#coordinator;
    if (session.way === "door" || session.latheSession === undefined) return;
    const path = records.pathOf(session.latheSession) ?? homePaths(machine.env, machine.userHome).sessions;
    if (this.#watcher?.path === path) return;
    this.#watcher?.close();
    const watcher = watch(path, () => void this.advance());
    this.#watcher = { path, close: () => watcher.close() };
  }
}

function endOf({ reason, error }: Extract<Progress, { state: "ended" }>): TurnEnd {
  if (reason === "completed") return { status: "completed", by: "journal" };
  if (reason === "interrupted") return { status: "cancelled", by: "journal", error: "The work was interrupted." };
  return { status: "failed", by: "journal", error: error ?? `The work ended: ${reason.replaceAll("_", " ")}.` };
}
