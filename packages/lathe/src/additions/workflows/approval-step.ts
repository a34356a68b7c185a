// The approval gate of workflows: approve, reject, or request changes.

import type { JsonSchema, JsonValue } from "@lathe/llm";
import { type GateKind, MOST_WORDS } from "../../conversation/gates/gate.ts";
import type { GateStep } from "./work.ts";

const DECISIONS = ["approve", "request-changes", "reject"] as const;
type Decision = (typeof DECISIONS)[number];

const decision = { type: "string", enum: [...DECISIONS] };
/** A decision, or an object that also says what to change. */
const SCHEMA: JsonSchema = {
  anyOf: [
    decision,
    {
      type: "object",
      properties: { decision, feedback: { type: "string", maxLength: MOST_WORDS } },
      required: ["decision"],
      additionalProperties: false,
    },
  ],
};

interface Approval {
  readonly stage: string;
  readonly kind?: GateKind;
  readonly title: string;
  /** The text to approve, as Markdown. */
  readonly text: string;
  readonly stageState: string;
  /** The label of the option that approves. */
  readonly approve: string;
  readonly artifacts?: readonly string[];
}

export function approvalStep({ stage, kind = "approval", title, text, ...more }: Approval): Omit<GateStep, "settle"> {
  const labels: Readonly<Record<Decision, string>> = {
    approve: more.approve,
    "request-changes": "Ask for changes",
    reject: "Reject it",
  };
  return {
    gate: {
      stage,
      kind,
      schema: SCHEMA,
      options: DECISIONS.map((value) => ({ value, label: labels[value] })),
      context: {
        title,
        prompt: text,
        stage_state: more.stageState,
        ...(more.artifacts ? { artifact_refs: more.artifacts } : {}),
      },
    },
    dialog: {
      question: {
        id: "decision",
        question: title,
        about: text,
        options: DECISIONS.map((value) => ({
          label: labels[value],
          ...(value === "request-changes" ? { words: "What should change?" } : {}),
        })),
      },
      // Free text is a request for changes.
      answerOf: ({ selected: [label], custom }): JsonValue => {
        const word = custom?.trim().toLowerCase();
        const chosen = DECISIONS.find((value) => (label === undefined ? value === word : labels[value] === label));
        if (chosen !== undefined && (custom === undefined || label === undefined)) return chosen;
        return { decision: chosen ?? "request-changes", feedback: custom ?? "" };
      },
      lackOf: (answer) => {
        const { decision, feedback } = choiceOf(answer);
        const isBare = decision === "request-changes" && feedback === "";
        return isBare ? "Say what to change: send the changes in words." : undefined;
      },
    },
  };
}

/** Reads the answer to such a gate. `told`: the user's words, for the model. */
export function choiceOf(answer: JsonValue): {
  readonly decision: Decision;
  readonly feedback: string;
  readonly told: string;
} {
  if (typeof answer === "string") return { decision: answer as Decision, feedback: "", told: "" };
  const { decision: chosen, feedback: said = "" } = answer as { decision: Decision; feedback?: string };
  const feedback = said.trim();
  if (feedback === "") return { decision: chosen, feedback, told: "" };
  return {
    decision: chosen,
    feedback,
    told: chosen === "request-changes" ? `: ${feedback}` : `\nThey add: ${feedback}`,
  };
}
