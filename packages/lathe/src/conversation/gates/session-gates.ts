// The gates of a session: each is opened, offered to every client at once, and answered once. A gate and its answer are
// journal entries; the answer is on disk before the workflow continues.

import type { Answer, Question, Session } from "@lathe/agent";
import { isJsonObject, type JsonValue } from "@lathe/llm";
import type { CallAnswers } from "../call-answers.ts";
import { type AnswerProblem, problemsOf } from "./answer-schema.ts";
import { canonicalHash } from "./canonical-json.ts";
import {
  checkGate,
  GATE_ANSWER_FACT,
  GATE_FACT,
  type GateDialog,
  GateRefusal,
  type GateReply,
  type GateRequest,
  type GateStage,
  type KeptAnswer,
  type KeptGate,
  type WorkflowGate,
} from "./gate.ts";

/** An answer from a program. */
export interface GateResponse {
  readonly gate_id: string;
  readonly answer: JsonValue;
  /** The same key with the same answer gets the same reply again. */
  readonly idempotency_key?: string | undefined;
}

/** The user's side: how the session can ask them. */
interface GatePerson {
  readonly answer?: (
    questions: readonly Question[],
    signal: AbortSignal,
    touched: undefined,
    given: CallAnswers,
  ) => Promise<readonly Answer[] | undefined>;
  readonly decideGate?: (
    asked: { readonly gate: WorkflowGate; readonly question: Question },
    signal: AbortSignal,
    given: CallAnswers,
  ) => Promise<readonly Answer[] | undefined>;
}

interface Known {
  readonly byId: Map<string, WorkflowGate>;
  readonly byKey: Map<string, WorkflowGate>;
  readonly answers: Map<string, KeptAnswer>;
  readonly byIdempotencyKey: Map<string, KeptAnswer>;
}

export class SessionGates {
  readonly #session: Session;
  readonly #person: GatePerson | undefined;
  readonly #now: () => number;
  /** Journal writes of the answers that this process received. */
  readonly #syncs = new Map<string, Promise<void>>();
  /** Read from the journal on first use. */
  #read: Known | undefined;
  /** How to ask the user about the open gate; the workflows set it. Undefined: nothing can ask about it any more. */
  dialog: () => Promise<GateDialog | undefined> = async () => undefined;
  /** The gate that is being asked, and how to close its dialogs. */
  #asking: { readonly id: string; readonly close: (by?: string) => void } | undefined;

  constructor(session: Session, person: GatePerson | undefined, now: () => number) {
    this.#session = session;
    this.#person = person;
    this.#now = now;
  }

  /** The gate of this branch that waits for an answer. */
  get open(): WorkflowGate | undefined {
    const kept = this.#session.facts.read(GATE_FACT) as unknown as KeptGate | undefined;
    return kept && this.isOpen(kept.gate) ? kept.gate : undefined;
  }

  isOpen({ gate_id }: WorkflowGate): boolean {
    return this.answerTo(gate_id) === undefined;
  }

  /** The gate that the call with this key opened. */
  gateOfKey(key: string): WorkflowGate | undefined {
    return this.#known.byKey.get(key);
  }

  answerTo(gateId: string): KeptAnswer | undefined {
    return this.#known.answers.get(gateId);
  }

  /** The gate with this key, or a new one. Throws a refusal if some programs could not answer it. */
  openGate({ key, stage, kind, schema, options, context }: GateRequest): WorkflowGate {
    const known = this.#known.byKey.get(key);
    if (known) return known;
    checkGate({ stage, schema });
    const left = this.open;
    // A workflow waits at one gate at a time.
    if (left) this.#settle(left, { status: "withdrawn", answer: null }, "the workflow");
    const number = String(this.#known.byId.size + 1).padStart(6, "0");
    const run = this.#session.id.replaceAll("-", "").slice(-8);
    const gate: WorkflowGate = {
      type: "workflow_gate",
      gate_id: `wg_${run}_${stage}_${number}`,
      stage: stage as GateStage,
      kind,
      schema,
      schema_hash: canonicalHash(schema),
      ...(options === undefined ? {} : { options }),
      context,
      created_at: new Date(this.#now()).toISOString(),
      required: true,
    };
    this.#write(GATE_FACT, { key, gate } satisfies KeptGate);
    remember(this.#known, { key, gate });
    return gate;
  }

  /**
   * Returns the first answer from any client. Undefined when there was none in time: the gate stays open. Rejects with
   * the signal's reason.
   */
  async ask(gate: WorkflowGate, dialog: GateDialog, signal: AbortSignal): Promise<KeptAnswer | undefined> {
    const closing = new AbortController();
    this.#asking = { id: gate.gate_id, close: (by) => closing.abort(by) };
    const until = AbortSignal.any([signal, closing.signal]);
    try {
      let isAsked = true;
      while (isAsked && this.isOpen(gate)) isAsked = await this.#askOnce(gate, dialog, until);
    } finally {
      this.#asking = undefined;
    }
    const answer = this.answerTo(gate.gate_id);
    if (answer) await this.whenKept(gate.gate_id);
    else signal.throwIfAborted();
    return answer;
  }

  /**
   * Resolves when the answer is on disk, or with what is wrong with it. Rejects with a refusal if the gate takes no
   * answer.
   */
  async respond({ gate_id, answer, idempotency_key }: GateResponse, by: string): Promise<GateReply> {
    const gate = this.#known.byId.get(gate_id);
    if (!gate) throw new GateRefusal("unknown_gate", `This session has no gate ${gate_id}.`);
    const unreadable = unreadableIn(answer);
    const earlier = idempotency_key === undefined ? undefined : this.#known.byIdempotencyKey.get(idempotency_key);
    if (earlier) {
      const isSame =
        earlier.gate_id === gate_id && unreadable === undefined && earlier.answer_hash === canonicalHash(answer);
      if (!isSame)
        throw new GateRefusal(
          "idempotency_conflict",
          "This idempotency key was used with another answer. Use a new one.",
        );
    }
    const settled = earlier ?? this.answerTo(gate_id);
    if (settled && !earlier)
      throw new GateRefusal(
        "already_resolved",
        `The gate ${gate_id} was ${settled.status === "accepted" ? "answered" : "withdrawn"} by ${settled.by === "host" ? "the host" : settled.by === "user" ? "the user" : settled.by}.`,
      );
    const errors = settled ? [] : problemsWith(answer, gate);
    if (errors.length > 0) return rejection(gate, errors);
    const kept = settled ?? this.#keep(gate, answer, by, idempotency_key);
    await this.whenKept(gate_id);
    return { gate_id, status: "accepted", answer_hash: kept.answer_hash, resolved_at: kept.resolved_at };
  }

  /**
   * Resolves when the answer and its gate are on disk, so that the workflow may continue. Rejects if they cannot be
   * written.
   */
  async whenKept(gateId: string): Promise<void> {
    await (this.#syncs.get(gateId) ?? this.#session.journal.sync());
  }

  /** Stores the user's answer. Returns what is wrong with it, if anything; then the gate stays open. */
  take(gate: WorkflowGate, answer: JsonValue): string | undefined {
    // If two clients answer at once, the first one counts.
    if (!this.isOpen(gate)) return undefined;
    const [problem] = problemsWith(answer, gate);
    if (problem) return `Your answer was not taken: it ${problem.message}.`;
    this.#keep(gate, answer, "user");
    return undefined;
  }

  /** Withdraws the open gate: no answer is needed any more. */
  withdraw(): void {
    const gate = this.open;
    if (gate) this.#settle(gate, { status: "withdrawn", answer: null }, "user");
  }

  // ---- inside ----

  /** False when no answer came. */
  async #askOnce(gate: WorkflowGate, { question, answerOf }: GateDialog, signal: AbortSignal): Promise<boolean> {
    const { answer: askPerson, decideGate = undefined } = this.#person ?? {};
    let problem: string | undefined;
    const take = (said: Answer): void => {
      problem = isBlankAnswer(said)
        ? "Your answer was not taken: it must not be empty."
        : this.take(gate, answerOf(said));
    };
    const given: CallAnswers = {
      get: () => undefined,
      keep: (_question, answer) => take(answer as unknown as Answer),
    };
    try {
      const asked = decideGate
        ? decideGate({ gate, question }, signal, given)
        : askPerson?.([question], signal, undefined, given);
      const [answer] = (await asked) ?? [];
      if (answer) take(answer);
      // The caller asks again.
      if (problem !== undefined) this.#session.warn(problem, "workflow_gate");
      return answer !== undefined;
    } catch (error) {
      // Some hosts throw when they close a dialog.
      if (signal.aborted) return false;
      throw error;
    }
  }

  #keep(gate: WorkflowGate, answer: JsonValue, by: string, idempotency_key?: string): KeptAnswer {
    const key = idempotency_key === undefined ? {} : { idempotency_key };
    return this.#settle(gate, { status: "accepted", answer, ...key }, by);
  }

  #settle(
    { gate_id }: WorkflowGate,
    said: Pick<KeptAnswer, "status" | "answer" | "idempotency_key">,
    by: string,
  ): KeptAnswer {
    const resolved_at = new Date(this.#now()).toISOString();
    const kept: KeptAnswer = { gate_id, ...said, answer_hash: canonicalHash(said.answer), resolved_at, by };
    this.#write(GATE_ANSWER_FACT, kept);
    rememberAnswer(this.#known, kept);
    // One sync serves everyone who waits for this answer; they see its failure, so the rejection is not unhandled.
    const synced = this.#session.journal.sync();
    synced.catch(() => {});
    this.#syncs.set(gate_id, synced);
    if (this.#asking?.id === gate_id) this.#asking.close(said.status === "accepted" ? by : undefined);
    return kept;
  }

  #write(kind: string, value: object): void {
    void this.#session.facts.write(kind, value as JsonValue, { isAnnounced: true });
  }

  get #known(): Known {
    if (this.#read) return this.#read;
    const known: Known = { byId: new Map(), byKey: new Map(), answers: new Map(), byIdempotencyKey: new Map() };
    for (const { data } of this.#session.customEntries(GATE_FACT)) remember(known, data as unknown as KeptGate);
    for (const { data } of this.#session.customEntries(GATE_ANSWER_FACT))
      rememberAnswer(known, data as unknown as KeptAnswer);
    this.#read = known;
    return known;
  }
}

function remember({ byId, byKey }: Known, { key, gate }: KeptGate): void {
  byId.set(gate.gate_id, gate);
  byKey.set(key, gate);
}

function rememberAnswer({ answers, byIdempotencyKey }: Known, kept: KeptAnswer): void {
  answers.set(kept.gate_id, kept);
  if (kept.idempotency_key !== undefined) byIdempotencyKey.set(kept.idempotency_key, kept);
}

const isBlank = (value: JsonValue | undefined): boolean => typeof value === "string" && value.trim() === "";

const isBlankAnswer = ({ selected, custom }: Answer): boolean => selected.length === 0 && isBlank(custom);

/** Everything that is wrong with an answer. An answer of only white space counts as empty, although it has a length. */
function problemsWith(answer: JsonValue, gate: WorkflowGate): readonly AnswerProblem[] {
  const found = unreadableIn(answer) ?? problemsOf(answer, gate.schema as never);
  if (found.length > 0) return found;
  const texts = isJsonObject(answer) ? Object.entries(answer) : [["", answer] as const];
  return texts
    .filter(([, value]) => isBlank(value) && value !== "")
    .map(([name]) => ({
      path: name === "" ? "/answer" : `/answer/${name}`,
      ...{ keyword: "minLength", message: "must not be empty", expected: 1 },
    }));
}

/** A value without a canonical text has no hash and cannot be an answer. */
function unreadableIn(answer: JsonValue): readonly AnswerProblem[] | undefined {
  try {
    canonicalHash(answer);
    return undefined;
  } catch (error) {
    return [{ path: "/answer", keyword: "type", message: `cannot be an answer: ${(error as Error).message}` }];
  }
}

const rejection = ({ gate_id, schema_hash }: WorkflowGate, errors: readonly AnswerProblem[]): GateReply => ({
  gate_id,
  status: "rejected",
  error: { code: "invalid_workflow_gate_answer", gate_id, schema_hash, errors },
});
