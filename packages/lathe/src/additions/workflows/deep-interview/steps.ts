// The gates of an interview: the model's question, and whether its specification is accepted. Each is also a dialog.

import type { JsonObject, JsonValue } from "@lathe/llm";
import { MOST_WORDS } from "../../../conversation/gates/gate.ts";
import { approvalStep, choiceOf } from "../approval-step.ts";
import type { GateStep, StepOf } from "../work.ts";
import { type InterviewData, interviewData, type PendingQuestion } from "./definition.ts";

/** Writes the accepted specification and returns its path. */
type WriteSpec = (spec: NonNullable<InterviewData["spec"]>) => Promise<string>;

export const interviewSteps =
  (writeSpec: WriteSpec): StepOf =>
  ({ state, data }) => {
    const interview = interviewData(data);
    if (state === "asking") return interview.pending && questionStep(interview, interview.pending);
    return interview.spec && specStep(interview, interview.spec, writeSpec);
  };

function questionStep(interview: InterviewData, pending: PendingQuestion): GateStep {
  const { question, options, multi, recommended } = pending;
  const labels = options.map(({ label }) => label);
  const described = options
    .flatMap(({ label, description }) => (description ? [`- **${label}**: ${description}`] : []))
    .join("\n");
  const words = { type: "string", minLength: 1, maxLength: MOST_WORDS };
  const chosen = {
    type: "object",
    properties: {
      // Gate schemas cannot limit the number of items, so each single choice is listed.
      selected: multi
        ? { type: "array", items: { type: "string", enum: labels } }
        : { type: "array", enum: labels.map((label) => [label]) },
      other: { ...words, description: "A free-text answer" },
    },
    required: ["selected"],
    additionalProperties: false,
  };
  return {
    gate: {
      stage: "deep-interview",
      kind: "question",
      schema: labels.length === 0 ? words : { anyOf: [words, chosen] },
      ...(options.length === 0 ? {} : { options: options.map(shownOption) }),
      context: { title: question, stage_state: "asking", summary: interview.wish },
    },
    dialog: {
      question: {
        id: "answer",
        question,
        ...(described === "" ? {} : { about: described }),
        options: options.map(({ label }) => ({ label })),
        ...(multi ? { multi } : {}),
        ...(recommended === undefined ? {} : { recommended }),
      },
      answerOf: ({ selected, custom }) => {
        if (selected.length === 0) return custom ?? "";
        return { selected: [...selected], ...(custom === undefined ? {} : { other: custom }) };
      },
    },
    settle: async (answer) => {
      const said = wordsOf(answer);
      const { pending: _, ...rest } = interview;
      const asked = [...interview.asked, { question, answer: said }];
      return { to: "asking", data: { ...rest, asked } as unknown as JsonObject, told: `The user answered: ${said}` };
    },
  };
}

const shownOption = ({ label, description }: PendingQuestion["options"][number]) => ({
  value: label,
  label,
  ...(description === undefined ? {} : { description }),
});

function wordsOf(answer: JsonValue): string {
  if (typeof answer === "string") return answer;
  const { selected = [], other } = answer as { selected?: readonly string[]; other?: string };
  const said = [...new Set(selected), ...(other === undefined ? [] : [other])];
  return said.length === 0 ? "none of them" : said.join(", ");
}

function specStep(interview: InterviewData, spec: NonNullable<InterviewData["spec"]>, writeSpec: WriteSpec): GateStep {
  const step = approvalStep({
    stage: "deep-interview",
    title: `Accept the specification "${spec.title}"?`,
    text: spec.text,
    stageState: "review",
    approve: "Accept it",
  });
  return {
    ...step,
    settle: async (answer) => {
      const { decision, told } = choiceOf(answer);
      const data = interview as unknown as JsonObject;
      if (decision === "reject")
        return { to: "rejected", data, told: `The user rejected the specification. Stop here and say so.${told}` };
      if (decision === "request-changes") return { to: "asking", data, told: `The user wants changes${told || "."}` };
      const file = await writeSpec(spec);
      return {
        to: "accepted",
        data: { ...data, file },
        told: `The user accepted the specification. It was written to ${file}. The interview has ended; wait for what the user wants next.${told}`,
      };
    },
  };
}
