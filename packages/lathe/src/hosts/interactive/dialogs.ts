// Questions to the user: each opens a panel in place of the composer and resolves with the answer, or with undefined
// when the user closes it.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import type { ApprovalQuestion, ApprovalReply } from "../../conversation/approvals.ts";
import type { Choice } from "../../conversation/commands/command-view.ts";
import type { Surroundings } from "./panels/approval.ts";
import type { AskedBy } from "./panels/open-panels.ts";
import type { PanelPlace } from "./panels/panel-place.ts";

export interface DialogParts {
  readonly place: PanelPlace;
  /** The folders from which paths in a question are shown. */
  approvalPlace(): Surroundings;
}

export class Dialogs {
  readonly #parts: DialogParts;

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  async ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
    const { askPanel } = await import("./panels/line-panel.ts");
    return askPanel(this.#parts.place, question, signal);
  }

  async askSecret(question: string): Promise<string | undefined> {
    const { secretPanel } = await import("./panels/line-panel.ts");
    return secretPanel(this.#parts.place, question);
  }

  async choose<T>(choice: Choice<T>, signal?: AbortSignal): Promise<T | undefined> {
    const { choicePanel } = await import("./panels/choice-panel.ts");
    const more = {
      ask: (question: string) => this.ask(question),
      choose: <U>(other: Choice<U>) => this.choose(other),
    };
    return choicePanel({ ...this.#parts.place, ...more }, choice, signal);
  }

  /** Asks for yes or no; a string is what the user wants instead. */
  async confirm(question: string, by?: AskedBy): Promise<boolean | string | undefined> {
    const { confirmPanel } = await import("./panels/open-panels.ts");
    return by?.signal?.aborted ? undefined : confirmPanel(this.#parts.place, question, by);
  }

  async approve(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalReply | undefined> {
    const { approvalPanel } = await import("./panels/open-panels.ts");
    return approvalPanel(this.#parts.place, question, this.#parts.approvalPlace(), signal);
  }

  async answer(
    questions: readonly Question[],
    signal: AbortSignal,
    touched?: () => void,
  ): Promise<readonly Answer[] | undefined> {
    const { questionPanels } = await import("./panels/open-panels.ts");
    return questionPanels(this.#parts.place, questions, signal, touched);
  }

  async decidePlan(plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> {
    const { planPanel } = await import("./panels/open-panels.ts");
    return planPanel(this.#parts.place, plan, signal);
  }
}
