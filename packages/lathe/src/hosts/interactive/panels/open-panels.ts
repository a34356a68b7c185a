// Opens questions on the screen and waits for their answers.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import { renderMarkdown, row, visible, wrap } from "@lathe/tui";
import type { ApprovalQuestion, ApprovalReply } from "../../../conversation/approvals.ts";
import { type AnswerOption, AnswerPanel, type AnswerPanelParts } from "./answer-panel.ts";
import { approvalBody, approvalOptions, type Surroundings } from "./approval.ts";
import type { PanelPlace } from "./panel-place.ts";
import type { Panel } from "./panel-stack.ts";
import { allOf, type QuestionBody } from "./question-body.ts";
import { joinAnswers, planOptions, questionBody, questionOptions } from "./questions.ts";

type PanelQuestion<T> = Omit<AnswerPanelParts<T>, "bindings" | "onAnswer" | "viewAll" | "onChange" | "go" | "onTouch">;

const HINT = "Esc to stop · Tab to type a message";

export function approvalPanel(
  place: PanelPlace,
  question: ApprovalQuestion,
  around: Surroundings,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const body = (columns: number): QuestionBody => approvalBody(question, around, columns);
  return askOne(place, { body, options: approvalOptions(question), hint: HINT }, { byAgent: true, signal });
}

/** Asks one question after the other; cancelling one cancels all. */
export async function questionPanels(
  place: PanelPlace,
  questions: readonly Question[],
  signal: AbortSignal,
  touched?: () => void,
): Promise<readonly Answer[] | undefined> {
  const asks = questions.map(
    (question, i): PanelQuestion<Answer> => ({
      body: (columns) => questionBody(question, [i + 1, questions.length], columns, place.context()),
      options: questionOptions(question),
      first: question.recommended ?? 0,
      hint: HINT,
      enterDecides: true,
      ...(question.multi ? { join: joinAnswers(question) } : {}),
    }),
  );
  return askInTurn(place, asks, { byAgent: true, signal, ...(touched ? { onTouch: touched } : {}) });
}

export function planPanel(place: PanelPlace, plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> {
  const body = (columns: number): QuestionBody => ({
    title: [row("Carry out this plan?", { color: "warning", bold: true })],
    subject: renderMarkdown(plan, columns, place.context()),
  });
  return askOne(place, { body, options: planOptions(), hint: HINT }, { byAgent: true, signal });
}

/** Undefined: cancelled. A string is what the user wants instead. */
export function confirmPanel(
  place: PanelPlace,
  question: string,
  by: AskedBy = {},
): Promise<boolean | string | undefined> {
  const body = (columns: number): QuestionBody => ({
    title: wrap([{ text: visible(question), style: { color: "warning", bold: true } }], columns),
    subject: [],
  });
  const other: AnswerOption<boolean | string> = {
    letter: "w",
    label: "Do something else",
    short: "other",
    words: "What should Lathe do instead?",
    answer: (words) => words,
  };
  const options: AnswerOption<boolean | string>[] = [
    { letter: "y", label: "Yes", short: "yes", answer: () => true },
    { letter: "n", label: "No", short: "no", answer: () => false },
    ...(by.yesOrNo ? [] : [other]),
  ];
  return askOne<boolean | string>(place, { body, options, hint: "Esc to cancel" }, by);
}

export interface AskedBy {
  /** The agent asks, not a command of the user. */
  readonly byAgent?: boolean;
  /** Closes the question. */
  readonly signal?: AbortSignal;
  /** Only yes or no are accepted. */
  readonly yesOrNo?: boolean;
  /** Called when the user starts to answer. */
  readonly onTouch?: () => void;
}

async function askOne<T>(place: PanelPlace, parts: PanelQuestion<T>, by: AskedBy = {}): Promise<T | undefined> {
  return (await askInTurn(place, [parts], by))?.[0];
}

/**
 * Asks in one panel, which has the keys until the last question is answered. Going back keeps the given answers, which
 * can be changed.
 */
function askInTurn<T>(
  place: PanelPlace,
  asks: readonly PanelQuestion<T>[],
  { byAgent = false, signal, onTouch: touched }: AskedBy,
): Promise<readonly T[] | undefined> {
  return new Promise((resolve) => {
    const answers: (T | undefined)[] = asks.map(() => undefined);
    let at = 0;
    const goTo = (next: number): void => {
      const component = components[next];
      if (!component) return;
      at = next;
      panel.component = component;
      place.panels.noteNextQuestion();
    };
    const takeAnswer = (value: T): void => {
      answers[at] = value;
      if (at < asks.length - 1) goTo(at + 1);
      else close(answers as T[]);
    };
    // The user cannot skip a question without answering it.
    const go = (by: -1 | 1): void => {
      if (by === -1 || answers[at] !== undefined) goTo(at + by);
    };
    const components = asks.map(
      (parts) =>
        new AnswerPanel<T>({
          ...parts,
          bindings: place.bindings,
          onAnswer: takeAnswer,
          ...(asks.length > 1 ? { go } : {}),
          ...(touched ? { onTouch: touched } : {}),
          viewAll: () => place.view("Question", (columns) => allOf(parts.body(columns))),
          onChange: () => place.onChange(),
        }),
    );
    const close = (value: readonly T[] | undefined): void => {
      place.panels.close(panel);
      signal?.removeEventListener("abort", onSettled);
      resolve(value);
    };
    const onSettled = (): void => {
      const typed = components.map(({ typed }) => typed).filter((words) => words !== "");
      place.onAnsweredElsewhere(panel, answererOf(signal?.reason), typed.join("\n"));
      close(undefined);
    };
    const [first] = components;
    if (!first) return resolve([]);
    const panel: { component: AnswerPanel<T> } & Panel = { component: first, byAgent, cancel: () => close(undefined) };
    signal?.addEventListener("abort", onSettled, { once: true });
    place.panels.open(panel);
  });
}

/** Clients give a name as the reason when they answer; the gate of a workflow gives `user` for a user at any client. */
function answererOf(reason: unknown): string | undefined {
  return reason === "user" ? "another client" : typeof reason === "string" ? reason : undefined;
}
