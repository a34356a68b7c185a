// The state of the namespace, computed from its events. Nothing else is kept in memory, so all processes that have read
// the same events agree.

import type { CoordinatorEvent } from "./events.ts";

type Metadata = NonNullable<CoordinatorEvent["metadata"]>;
type TurnStatus = "queued" | "active" | "completed" | "failed" | "cancelled" | "superseded";

/** A process; its start time tells it from a later one with the same pid. */
export interface Starter {
  readonly pid: number;
  readonly host: string;
  readonly startTime: string;
}

export interface SessionFacts {
  readonly sessionId: string;
  readonly cwd: string;
  /** `paste` for a pane without a door. */
  readonly way: "door" | "paste";
  readonly phase: "starting" | "open" | "failed";
  /** Id of its journal; absent while it starts. */
  readonly latheSession?: string;
  readonly pane?: string;
  /** Its name in tmux. */
  readonly tmuxName?: string;
  /** The coordinator that is starting it, during the start. */
  readonly starter?: Starter;
}

export interface TurnFacts {
  readonly turnId: string;
  readonly sessionId: string;
  readonly status: TurnStatus;
  /** Whether it interrupts running work. */
  readonly isForced: boolean;
  /** Delivery has begun; for a pane, nothing more is known. */
  readonly isDelivering: boolean;
  /** The session whose journal has its prompt. */
  readonly deliveredTo?: string;
  /** For a pane: the journal entry after which the prompt comes. */
  readonly after?: string;
  /** What ended it: `journal`, `report`, `command`, `refused` or the id of the turn that superseded it. */
  readonly endedBy?: string;
  readonly error?: string;
  readonly reportRef?: string;
}

export interface QuestionFacts {
  readonly sessionId: string;
  readonly isOpen: boolean;
}

export interface State {
  readonly seq: number;
  readonly sessions: ReadonlyMap<string, SessionFacts>;
  readonly turns: ReadonlyMap<string, TurnFacts>;
  /** Waiting turns in their order, by session. */
  readonly queues: ReadonlyMap<string, readonly string[]>;
  readonly active: ReadonlyMap<string, string>;
  readonly questions: ReadonlyMap<string, QuestionFacts>;
}

const ENDED: Readonly<Record<string, TurnStatus>> = {
  "turn.completed": "completed",
  "turn.failed": "failed",
  "turn.cancelled": "cancelled",
  "turn.superseded": "superseded",
};

export class Fold implements State {
  seq = 0;
  readonly sessions = new Map<string, SessionFacts>();
  readonly turns = new Map<string, TurnFacts>();
  readonly queues = new Map<string, string[]>();
  readonly active = new Map<string, string>();
  readonly questions = new Map<string, QuestionFacts>();

  add(event: CoordinatorEvent): void {
    this.seq = event.seq;
    if (event.kind.startsWith("session.")) this.#session(event);
    else if (event.kind.startsWith("turn.")) this.#turn(event);
    else if (event.kind.startsWith("question.")) this.#question(event);
    else if (event.kind === "report.status") this.#report(event);
  }

  #session({ kind, session_id: sessionId, metadata = {} }: CoordinatorEvent): void {
    if (sessionId === undefined) return;
    const before = this.sessions.get(sessionId) ?? { sessionId, cwd: "", way: "door", phase: "starting" };
    const { starter: _, ...known } = before;
    const { cwd, lathe_session, pane, tmux, way } = metadata;
    const starter = kind === "session.starting" ? starterIn(metadata) : undefined;
    const phase = kind === "session.starting" ? "starting" : kind === "session.failed" ? "failed" : "open";
    this.sessions.set(sessionId, {
      ...known,
      phase,
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(way === "paste" || way === "door" ? { way } : {}),
      ...(typeof lathe_session === "string" ? { latheSession: lathe_session } : {}),
      ...(typeof pane === "string" ? { pane } : {}),
      ...(typeof tmux === "string" ? { tmuxName: tmux } : {}),
      ...(starter ? { starter } : {}),
    });
  }

  #turn({ kind, session_id: sessionId, turn_id: turnId, metadata = {} }: CoordinatorEvent): void {
    if (sessionId === undefined || turnId === undefined) return;
    const known = this.turns.get(turnId) ?? newTurn(turnId, sessionId);
    const change = (more: Partial<TurnFacts>): void => void this.turns.set(turnId, { ...known, ...more });
    const { forced, lathe_session, after, by, error } = metadata;
    const ended = ENDED[kind];
    if (kind === "turn.queued") {
      change({ status: "queued" });
      this.queues.set(sessionId, [...(this.queues.get(sessionId) ?? []), turnId]);
    } else if (kind === "turn.active") {
      change({ status: "active", isForced: forced === true });
      this.#leaveQueue(sessionId, turnId);
      this.active.set(sessionId, turnId);
    } else if (kind === "turn.delivering")
      change({ isDelivering: true, ...deliveredTo(lathe_session), ...(typeof after === "string" ? { after } : {}) });
    else if (kind === "turn.delivered") change({ isDelivering: false, ...deliveredTo(lathe_session) });
    else if (ended !== undefined) {
      const endedBy = typeof by === "string" ? by : "journal";
      change({ status: ended, endedBy, ...(typeof error === "string" ? { error } : {}) });
      this.#leaveQueue(sessionId, turnId);
      if (this.active.get(sessionId) === turnId) this.active.delete(sessionId);
    }
  }

  #question({ kind, session_id: sessionId, question_id: id }: CoordinatorEvent): void {
    if (sessionId !== undefined && id !== undefined)
      this.questions.set(id, { sessionId, isOpen: kind === "question.opened" });
  }

  #report({ turn_id: turnId, payload_ref: reportRef }: CoordinatorEvent): void {
    const turn = turnId === undefined ? undefined : this.turns.get(turnId);
    if (turn && reportRef !== undefined) this.turns.set(turn.turnId, { ...turn, reportRef });
  }

  #leaveQueue(sessionId: string, turnId: string): void {
    const queue = this.queues.get(sessionId);
    if (queue?.includes(turnId))
      this.queues.set(
        sessionId,
        queue.filter((one) => one !== turnId),
      );
  }
}

/** Undefined in events of earlier versions. */
function starterIn({ starter_pid: pid, starter_host: host, starter_began: startTime }: Metadata): Starter | undefined {
  if (typeof pid !== "number" || typeof host !== "string" || typeof startTime !== "string") return undefined;
  return { pid, host, startTime };
}

export const starterFacts = ({ pid, host, startTime }: Starter): Metadata => ({
  starter_pid: pid,
  starter_host: host,
  starter_began: startTime,
});

const newTurn = (turnId: string, sessionId: string): TurnFacts => ({
  ...{ turnId, sessionId },
  status: "active",
  isForced: false,
  isDelivering: false,
});

const deliveredTo = (session: unknown): Partial<TurnFacts> =>
  typeof session === "string" ? { deliveredTo: session } : {};

export const hasEnded = ({ status }: TurnFacts): boolean => status !== "queued" && status !== "active";
