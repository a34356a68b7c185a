// Joins several clients that can be asked, such as the terminal and the clients of a door: all are asked, and the first
// answer counts. Without clients, a question waits for the next one.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import type { ExtensionScreen } from "../platform/extension-api/screen.ts";
import type { ApprovalQuestion, ApprovalReply } from "./approvals.ts";
import type { CallAnswers } from "./call-answers.ts";
import type { Person } from "./session-contract.ts";

/** A client that can be asked. */
export interface AskedClient {
  /** When this client answers, the others' signals abort with this reason. */
  readonly name: string;
  readonly person: Person;
}

type Ask<T> = (person: Person, signal: AbortSignal) => Promise<T | undefined> | undefined;

interface OpenQuestion {
  askOf(asked: AskedClient): void;
  withdrawFrom(asked: AskedClient): void;
}

export class SharedPerson implements Person {
  readonly #present = new Set<AskedClient>();
  readonly #open = new Set<OpenQuestion>();
  /** Extension dialogs and command terminals belong to the first client alone. */
  readonly extensionUi?: ExtensionScreen;
  readonly showTerminal?: NonNullable<Person["showTerminal"]>;
  readonly terminalSize?: NonNullable<Person["terminalSize"]>;

  constructor(first?: AskedClient) {
    if (!first) return;
    this.#present.add(first);
    const { extensionUi, showTerminal, terminalSize } = first.person;
    if (extensionUi) this.extensionUi = extensionUi;
    if (showTerminal) this.showTerminal = showTerminal;
    if (terminalSize) this.terminalSize = terminalSize;
  }

  /** Adds a client, which is also asked the open questions. Returns how to remove it. */
  add(asked: AskedClient): () => void {
    this.#present.add(asked);
    for (const question of [...this.#open]) question.askOf(asked);
    return () => {
      this.#present.delete(asked);
      for (const question of [...this.#open]) question.withdrawFrom(asked);
    };
  }

  readonly approve = (question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalReply | undefined> =>
    this.#firstAnswer((person, given) => person.approve?.(question, given), signal);

  readonly answer = (
    questions: readonly Question[],
    signal: AbortSignal,
    touched?: () => void,
    kept?: CallAnswers,
  ): Promise<readonly Answer[] | undefined> =>
    this.#firstAnswer((person, given) => person.answer?.(questions, given, touched, kept), signal);

  readonly decidePlan = (plan: string, signal: AbortSignal, kept?: CallAnswers): Promise<PlanVerdict | undefined> =>
    this.#firstAnswer((person, given) => person.decidePlan?.(plan, given, kept), signal);

  readonly decideGate: NonNullable<Person["decideGate"]> = (asked, signal, kept) =>
    this.#firstAnswer((person, given) => {
      if (person.decideGate) return person.decideGate(asked, given, kept);
      return person.answer?.([asked.question], given, undefined, kept);
    }, signal);

  /** Undefined when the signal aborts, or when the first client to react closes the question. */
  #firstAnswer<T>(ask: Ask<T>, signal: AbortSignal): Promise<T | undefined> {
    const asked = new Map<AskedClient, AbortController>();
    return new Promise((resolve, reject) => {
      const end = (reason: unknown, winner?: AskedClient): void => {
        this.#open.delete(question);
        signal.removeEventListener("abort", giveUp);
        for (const [other, given] of asked) if (other !== winner) given.abort(reason);
        // The winner's signal still aborts later, when the question is closed for good and its answer is in the
        // journal.
        const won = winner && asked.get(winner);
        if (won) signal.addEventListener("abort", () => won.abort(signal.reason), { once: true });
      };
      const giveUp = (): void => {
        end(signal.reason);
        resolve(undefined);
      };
      const question: OpenQuestion = {
        askOf: (one) => {
          const given = new AbortController();
          const answered = ask(one.person, given.signal);
          if (!answered) return;
          asked.set(one, given);
          const settle = (finish: () => void): void => {
            if (given.signal.aborted) return;
            end(one.name, one);
            finish();
          };
          answered.then(
            (answer) => settle(() => resolve(answer)),
            (error: unknown) => settle(() => reject(error)),
          );
        },
        withdrawFrom: (one) => {
          asked.get(one)?.abort();
          asked.delete(one);
        },
      };
      if (signal.aborted) return resolve(undefined);
      this.#open.add(question);
      signal.addEventListener("abort", giveUp, { once: true });
      for (const one of [...this.#present]) question.askOf(one);
    });
  }
}
