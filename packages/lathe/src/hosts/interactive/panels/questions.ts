// The answers of the model's questions, and of the question about a plan.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import { type RenderContext, renderMarkdown, visible, wrap } from "@lathe/tui";
import type { AnswerOption } from "./answer-panel.ts";
import type { QuestionBody } from "./question-body.ts";

export function questionBody(
  { question, about }: Question,
  [at, of]: readonly [number, number],
  columns: number,
  context: RenderContext,
): QuestionBody {
  const lead = of > 1 ? `(${at}/${of}) ` : "";
  return {
    title: wrap([{ text: `${lead}${visible(question)}`, style: { bold: true } }], columns),
    subject: about === undefined ? [] : renderMarkdown(about, columns, context),
  };
}

/** Digits select an answer; the last option takes the user's own words, which any other text begins. */
export function questionOptions({ id, options, multi, recommended }: Question): AnswerOption<Answer>[] {
  const own: AnswerOption<Answer> = {
    letter: " ",
    label: "Something else (just type your answer)",
    words: "Your answer",
    answer: (custom) => ({ id, selected: [], custom }),
  };
  const offered = options.map(
    ({ label, words }, i): AnswerOption<Answer> => ({
      letter: i < 9 ? String(i + 1) : " ",
      label: `${visible(label)}${i === recommended ? " (recommended)" : ""}`,
      ...(multi ? { isMarkable: true } : {}),
      ...(words === undefined ? {} : { words }),
      answer: (custom) => ({ id, selected: [label], ...(words === undefined ? {} : { custom }) }),
    }),
  );
  return [...offered, own];
}

export const joinAnswers =
  ({ id }: Question) =>
  (chosen: readonly AnswerOption<Answer>[]): Answer => ({
    id,
    selected: chosen.flatMap((option) => option.answer("").selected),
  });

export function planOptions(): AnswerOption<PlanVerdict>[] {
  return [
    { letter: "y", label: "Yes, carry it out", short: "yes", isConsent: true, answer: () => ({ approved: true }) },
    { letter: "n", label: "No, keep planning", short: "no", answer: () => ({ approved: false }) },
    {
      letter: "w",
      label: "No, and say what to change",
      short: "other",
      words: "What should be different?",
      answer: (feedback) => ({ approved: false, feedback }),
    },
  ];
}
