// Opens questions on the screen and waits for their answers.

import type { Answer, PlanVerdict, Question } from "@lathe/agent";
import { EMPTY_ROW, type Row, renderMarkdown, row, visible, wrap } from "@lathe/tui";
import type { ApprovalQuestion, ApprovalReply } from "../../../conversation/approvals.ts";
import type { ScreenView } from "../screen-view.ts";
import { AnswerPanel, type AnswerPanelParts } from "./answer-panel.ts";
import { approvalOptions, approvalRows } from "./approval.ts";
import type { Panel } from "./panel-stack.ts";
import { joinedAnswers, planOptions, questionOptions, questionRows } from "./questions.ts";

type Asked<T> = Omit<AnswerPanelParts<T>, "bindings" | "answered" | "viewAll" | "changed">;

const HINT = "esc stops the work, tab goes to the input";

export function approvalPanel(
  view: ScreenView,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const { cwd } = view.controller?.conversation.workspace ?? view.machine;
  const around = { cwd, userHome: view.machine.userHome };
  const body = (columns: number): Row[] => approvalRows(question, around, columns);
  return asked(view, { body, options: approvalOptions(question), hint: HINT }, { byAgent: true, signal });
}

/** One after the other; giving one up gives up all. */
export async function questionPanels(
  view: ScreenView,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<readonly Answer[] | undefined> {
  const answers: Answer[] = [];
  for (const [i, question] of questions.entries()) {
    const body = (columns: number): Row[] => questionRows(question, [i + 1, questions.length], columns);
    const parts = {
      body,
      options: questionOptions(question),
      first: question.recommended ?? 0,
      hint: HINT,
      ...(question.multi ? { joined: joinedAnswers(question) } : {}),
    };
    const answer = await asked(view, parts, { byAgent: true, signal });
    if (!answer) return undefined;
    answers.push(answer);
  }
  return answers;
}

export function planPanel(view: ScreenView, plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> {
  const body = (columns: number): Row[] => [
    row("Carry out this plan?", { color: "warning", bold: true }),
    ...renderMarkdown(plan, columns),
    EMPTY_ROW,
  ];
  return asked(view, { body, options: planOptions(), hint: HINT }, { byAgent: true, signal });
}

/** Undefined: given up. Words are what the person wants instead. */
export function confirmPanel(
  view: ScreenView,
  question: string,
  asking: Asking = {},
): Promise<boolean | string | undefined> {
  const body = (columns: number): Row[] => [
    ...wrap([{ text: visible(question), style: { color: "warning", bold: true } }], columns),
    EMPTY_ROW,
  ];
  const options = [
    { letter: "y", label: "Yes", answer: () => true },
    { letter: "n", label: "No", answer: () => false },
    {
      letter: "w",
      label: "Do something else",
      words: "What should be done instead?",
      answer: (words: string) => words,
    },
  ];
  return asked<boolean | string>(view, { body, options, hint: "esc leaves it" }, asking);
}

interface Asking {
  /** Nobody at the keyboard asked for it. */
  readonly byAgent?: boolean;
  /** Gives the question up. */
  readonly signal?: AbortSignal;
}

function asked<T>(view: ScreenView, parts: Asked<T>, { byAgent = false, signal }: Asking = {}): Promise<T | undefined> {
  return new Promise((resolve) => {
    const component = new AnswerPanel<T>({
      ...parts,
      bindings: view.bindings,
      answered: (value) => close(value),
      viewAll: () => view.view("Question", parts.body),
      changed: () => view.screen.changed(),
    });
    const panel: Panel = { component, byAgent, cancel: () => close(undefined) };
    const close = (value: T | undefined): void => {
      view.panels.close(panel);
      signal?.removeEventListener("abort", giveUp);
      resolve(value);
    };
    const giveUp = (): void => close(undefined);
    signal?.addEventListener("abort", giveUp, { once: true });
    view.panels.open(panel);
  });
}
