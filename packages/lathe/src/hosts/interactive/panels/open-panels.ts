// Opens questions on the screen and waits for their answers.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import { renderMarkdown, row, visible, wrap } from "@lathe/tui";
import type { ApprovalQuestion, ApprovalReply } from "../../../conversation/approvals.ts";
import type { ScreenView } from "../screen-view.ts";
import { type AnswerOption, AnswerPanel, type AnswerPanelParts } from "./answer-panel.ts";
import { approvalBody, approvalOptions } from "./approval.ts";
import type { Panel } from "./panel-stack.ts";
import { allOf, type QuestionBody } from "./question-body.ts";
import { joinedAnswers, planOptions, questionBody, questionOptions } from "./questions.ts";

type Asked<T> = Omit<AnswerPanelParts<T>, "bindings" | "answered" | "viewAll" | "changed" | "go" | "touched">;

const HINT = "esc stops the work, tab goes to the input";

export function approvalPanel(
  view: ScreenView,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const { cwd } = view.controller?.conversation.workspace ?? view.machine;
  const around = { cwd, userHome: view.machine.userHome };
  const body = (columns: number): QuestionBody => approvalBody(question, around, columns);
  return asked(view, { body, options: approvalOptions(question), hint: HINT }, { byAgent: true, signal });
}

/** One after the other; giving one up gives up all. */
export async function questionPanels(
  view: ScreenView,
  questions: readonly Question[],
  signal: AbortSignal,
  touched?: () => void,
): Promise<readonly Answer[] | undefined> {
  const asks = questions.map(
    (question, i): Asked<Answer> => ({
      body: (columns) => questionBody(question, [i + 1, questions.length], columns),
      options: questionOptions(question),
      first: question.recommended ?? 0,
      hint: HINT,
      ...(question.multi ? { joined: joinedAnswers(question) } : {}),
    }),
  );
  return askedInTurn(view, asks, { byAgent: true, signal, ...(touched ? { touched } : {}) });
}

export function planPanel(view: ScreenView, plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> {
  const body = (columns: number): QuestionBody => ({
    title: [row("Carry out this plan?", { color: "warning", bold: true })],
    subject: renderMarkdown(plan, columns, view.context()),
  });
  return asked(view, { body, options: planOptions(), hint: HINT }, { byAgent: true, signal });
}

/** Undefined: given up. Words are what the person wants instead. */
export function confirmPanel(
  view: ScreenView,
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
    words: "What should be done instead?",
    answer: (words) => words,
  };
  const options: AnswerOption<boolean | string>[] = [
    { letter: "y", label: "Yes", short: "yes", answer: () => true },
    { letter: "n", label: "No", short: "no", answer: () => false },
    ...(by.yesOrNo ? [] : [other]),
  ];
  return asked<boolean | string>(view, { body, options, hint: "esc leaves it" }, by);
}

interface AskedBy {
  /** Nobody at the keyboard asked for it. */
  readonly byAgent?: boolean;
  /** Gives the question up. */
  readonly signal?: AbortSignal;
  /** Nobody would read other words. */
  readonly yesOrNo?: boolean;
  /** Somebody is about to answer. */
  readonly touched?: () => void;
}

async function asked<T>(view: ScreenView, parts: Asked<T>, by: AskedBy = {}): Promise<T | undefined> {
  return (await askedInTurn(view, [parts], by))?.[0];
}

/** In one panel, which has the keys until the last is answered. Going back keeps what was answered, to be changed. */
function askedInTurn<T>(
  view: ScreenView,
  asks: readonly Asked<T>[],
  { byAgent = false, signal, touched }: AskedBy,
): Promise<readonly T[] | undefined> {
  return new Promise((resolve) => {
    const answers: (T | undefined)[] = asks.map(() => undefined);
    let at = 0;
    const goTo = (next: number): void => {
      const component = components[next];
      if (!component) return;
      at = next;
      panel.component = component;
      view.panels.asksNext();
    };
    const answered = (value: T): void => {
      answers[at] = value;
      if (at < asks.length - 1) goTo(at + 1);
      else close(answers as T[]);
    };
    // A question that has no answer yet is not left behind.
    const go = (by: -1 | 1): void => {
      if (by === -1 || answers[at] !== undefined) goTo(at + by);
    };
    const components = asks.map(
      (parts) =>
        new AnswerPanel<T>({
          ...parts,
          bindings: view.bindings,
          answered,
          ...(asks.length > 1 ? { go } : {}),
          ...(touched ? { touched } : {}),
          viewAll: () => view.view("Question", (columns) => allOf(parts.body(columns))),
          changed: () => view.screen.changed(),
        }),
    );
    const close = (value: readonly T[] | undefined): void => {
      view.panels.close(panel);
      signal?.removeEventListener("abort", giveUp);
      resolve(value);
    };
    const giveUp = (): void => close(undefined);
    const [first] = components;
    if (!first) return resolve([]);
    const panel: { component: AnswerPanel<T> } & Panel = { component: first, byAgent, cancel: giveUp };
    signal?.addEventListener("abort", giveUp, { once: true });
    view.panels.open(panel);
  });
}
