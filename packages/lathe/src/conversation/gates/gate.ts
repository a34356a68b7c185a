// A gate is a question of a workflow with an address and a schema, so that a program can answer it. This file has its
// form on the wire and in the journal, and checks which gates may be opened.

import type { Answer, Question } from "@lathe/agent";
import type { JsonSchema, JsonValue } from "@lathe/llm";
import { anyObject, anything, choice, exactly, listOf, object, optional, type Static, text } from "@lathe/llm/schema";
import { schemaProblem } from "./answer-schema.ts";

const GATE_STAGES = ["deep-interview", "ralplan", "ultragoal"] as const;
export type GateStage = (typeof GATE_STAGES)[number];
const GATE_KINDS = ["question", "approval", "execution"] as const;
export type GateKind = (typeof GATE_KINDS)[number];

/** The form on the wire. */
export const workflowGate = object({
  type: exactly("workflow_gate"),
  /** `wg_<run>_<stage>_<number>`; the number counts up within the session. */
  gate_id: text(),
  stage: choice(GATE_STAGES),
  kind: choice(GATE_KINDS),
  /** The schema of the answer: the subset of JSON Schema 2020-12 that docs/gates.md lists. */
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
/** A question of a workflow, as programs receive it. */
export type WorkflowGate = Static<typeof workflowGate>;

const answerProblem = object({
  path: text("JSON pointer; the answer itself is /answer."),
  keyword: text(),
  message: text(),
  expected: optional(anything()),
});

/** The replies to an answer that reached its gate. */
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
/** The reply to an answer. */
export type GateReply = Static<typeof gateAccepted> | Static<typeof gateRejected>;

/** The most characters in an answer that the user types. */
export const MOST_WORDS = 100_000;

/** The question of a workflow. */
export interface GateRequest {
  /** Identifies the call that asks: after a crash, the repeated call gets the same gate. */
  readonly key: string;
  readonly stage: string;
  readonly kind: WorkflowGate["kind"];
  readonly schema: JsonSchema;
  readonly options?: WorkflowGate["options"];
  readonly context: WorkflowGate["context"];
}

/** The same question for the user, and how the user's answer becomes an answer to the gate. */
export interface GateDialog {
  readonly question: Question;
  answerOf(answer: Answer): JsonValue;
  /** What is missing from an answer that the user sent as a message, in one line. */
  lackOf?(answer: JsonValue): string | undefined;
}

/** Session facts: the gate opened last, and the answer given last. */
export const GATE_FACT = "lathe:gate";
export const GATE_ANSWER_FACT = "lathe:gate_answer";

/** A gate in the journal, with the key of its call. */
export interface KeptGate {
  readonly key: string;
  readonly gate: WorkflowGate;
}

export interface KeptAnswer {
  readonly gate_id: string;
  /** `withdrawn`: the workflow was stopped and no longer needs an answer. */
  readonly status: "accepted" | "withdrawn";
  readonly answer: JsonValue;
  readonly answer_hash: string;
  readonly resolved_at: string;
  /** Who answered, if known. */
  readonly by: string;
  readonly idempotency_key?: string;
}

/** A refusal with a code for programs. */
export class GateRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "GateRefusal";
    this.code = code;
  }
}

/** Throws a refusal if some programs could not answer such a gate. */
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
