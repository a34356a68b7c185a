// A gate: a question of a workflow that has an address and a schema, so that a program can answer it. What it is on the wire and in the
// journal, and which gates can be opened at all.

import type { Answer, Question } from "@lathe/agent";
import type { JsonSchema, JsonValue } from "@lathe/llm";
import { anyObject, anything, choice, exactly, listOf, object, optional, type Static, text } from "@lathe/llm/schema";
import { schemaProblem } from "./answer-schema.ts";

const GATE_STAGES = ["deep-interview", "ralplan", "ultragoal"] as const;
export type GateStage = (typeof GATE_STAGES)[number];
const GATE_KINDS = ["question", "approval", "execution"] as const;
export type GateKind = (typeof GATE_KINDS)[number];

/** As it goes over the wire. */
export const workflowGate = object({
  type: exactly("workflow_gate"),
  /** `wg_<run>_<stage>_<number>`; the number counts up within the session. */
  gate_id: text(),
  stage: choice(GATE_STAGES),
  kind: choice(GATE_KINDS),
  /** Of the answer: the part of JSON Schema 2020-12 that docs/gates.md lists. */
  schema: anyObject(),
  /** SHA-256 of the schema as canonical JSON (RFC 8785). */
  schema_hash: text(),
  options: optional(listOf(object({ value: text(), label: text(), description: optional(text()) }))),
  context: object({
    title: text(),
    prompt: optional(text()),
    summary: optional(text()),
    stage_state: optional(text()),
    artifact_refs: optional(listOf(text())),
    language: optional(text()),
  }),
  created_at: text("An ISO date."),
  required: exactly(true),
});
/** A question of a workflow, as programs get it. */
export type WorkflowGate = Static<typeof workflowGate>;

const answerProblem = object({
  path: text("JSON pointer; the answer itself is /answer."),
  keyword: text(),
  message: text(),
  expected: optional(anything()),
});

/** What becomes of an answer that reached its gate. */
export const gateAccepted = object({
  gate_id: text(),
  status: exactly("accepted"),
  answer_hash: text(),
  resolved_at: text(),
});
export const gateRejected = object({
  gate_id: text(),
  status: exactly("rejected"),
  error: object({
    code: exactly("invalid_workflow_gate_answer"),
    gate_id: text(),
    schema_hash: text(),
    errors: listOf(answerProblem),
  }),
});
/** What became of an answer to a gate. */
export type GateReply = Static<typeof gateAccepted> | Static<typeof gateRejected>;

/** A person may answer with so many characters. */
export const MOST_WORDS = 100_000;

/** What a workflow wants to know. */
export interface GateRequest {
  /** Of the call that asks: when it runs again after a kill, it asks the same gate. */
  readonly key: string;
  readonly stage: string;
  readonly kind: WorkflowGate["kind"];
  readonly schema: JsonSchema;
  readonly options?: WorkflowGate["options"];
  readonly context: WorkflowGate["context"];
}

/** The same question for a person, and what their answer is as an answer to the gate. */
export interface GateDialog {
  readonly question: Question;
  answerOf(answer: Answer): JsonValue;
  /** What a person who answers with a message has to add, in a line for them. */
  lackOf?(answer: JsonValue): string | undefined;
}

/** Session facts: the gate that was opened last, and the answer that was given last. */
export const GATE_FACT = "lathe:gate";
export const GATE_ANSWER_FACT = "lathe:gate_answer";

/** In the journal, with the key of the call. */
export interface KeptGate {
  readonly key: string;
  readonly gate: WorkflowGate;
}

export interface KeptAnswer {
  readonly gate_id: string;
  /** `withdrawn`: the workflow was stopped, and no answer is wanted any more. */
  readonly status: "accepted" | "withdrawn";
  readonly answer: JsonValue;
  readonly answer_hash: string;
  readonly resolved_at: string;
  /** Who answered, where that is known. */
  readonly by: string;
  readonly idempotency_key?: string;
}

/** A refusal that programs tell apart by its code. */
export class GateRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "GateRefusal";
    this.code = code;
  }
}

/** Throws a refusal with a code for a gate that could not be answered by every program. */
export function checkGate({ stage, schema }: Pick<GateRequest, "stage" | "schema">) {
  if (!(GATE_STAGES as readonly string[]).includes(stage))
    throw new GateRefusal(
      "invalid_workflow_stage",
      `No gate can be opened at the stage ${stage}. Stages: ${GATE_STAGES.join(", ")}.`,
    );
  const problem = schemaProblem(schema);
  if (problem !== undefined)
    throw new GateRefusal("invalid_workflow_gate_schema", `The gate was not opened: ${problem}.`);
}
