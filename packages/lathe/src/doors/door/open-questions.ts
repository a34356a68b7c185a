// Questions of a session that wait for an answer from any client: the first valid answer counts. A later one is told
// whose answer that was.

import { Refusal } from "../../hosts/rpc/handler.ts";
import type { AnswerOutcome, Dialog, DialogAnswer } from "./door.ts";
import type { FrameBody } from "./frame-log.ts";

/** Closed questions to remember, for answers that come too late. */
const MOST_SETTLED = 256;

/** An answer and the name of the client that gave it. */
export type GivenAnswer = DialogAnswer & { readonly by: string };

interface OpenQuestion {
  readonly question: Dialog;
  readonly settle: (answer: GivenAnswer) => void;
}

export class OpenQuestions {
  readonly #publish: (frame: FrameBody) => void;
  readonly #open = new Map<string, OpenQuestion>();
  /** Closed questions by id, with the name of who answered or closed them. */
  readonly #settled = new Map<string, string>();

  constructor(publish: (frame: FrameBody) => void) {
    this.#publish = publish;
  }

  get list(): readonly Dialog[] {
    return Array.from(this.#open.values(), ({ question }) => question);
  }

  /**
   * Waits for an answer without a time limit; undefined if the signal aborts. The signal's reason may name who closed
   * the question.
   */
  ask(question: Dialog, signal: AbortSignal): Promise<GivenAnswer | undefined> {
    const { id } = question;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#settle(id, typeof signal.reason === "string" ? signal.reason : "session");
        resolve(undefined);
      };
      if (signal.aborted) {
        resolve(undefined);
        return;
      }
      signal.addEventListener("abort", giveUp, { once: true });
      const settle = (answer: GivenAnswer): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(answer);
      };
      this.#open.set(id, { question, settle });
      this.#publish({ kind: "question", question });
    });
  }

  /** Refuses an answer that does not fit its question, which then stays open. */
  answer(by: string, id: string, answer: DialogAnswer): AnswerOutcome {
    const open = this.#open.get(id);
    if (!open) {
      const first = this.#settled.get(id);
      return first === undefined ? { status: "unknown" } : { status: "settled", by: first };
    }
    const problem = problemWith(answer, open.question);
    if (problem !== undefined) throw new Refusal("invalid_answer", problem);
    this.#settle(id, by, answer);
    open.settle({ ...answer, by });
    return { status: "accepted" };
  }

  /** The session has ended, so its questions can no longer be answered. */
  giveUp(): void {
    for (const id of [...this.#open.keys()]) this.#settle(id, "session");
  }

  #settle(id: string, by: string, answer?: DialogAnswer): void {
    this.#open.delete(id);
    this.#settled.set(id, by);
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > MOST_SETTLED && oldest !== undefined) this.#settled.delete(oldest);
    this.#publish({ kind: "settled", questionId: id, by, ...(answer === undefined ? {} : { answer }) });
  }
}

/** What is wrong with the answer; undefined if it is valid. */
function problemWith({ value, confirmed, remember, cancelled }: DialogAnswer, question: Dialog): string | undefined {
  if (cancelled === true) return undefined;
  if (question.method === "confirm") {
    if (confirmed === undefined) return "This question is answered with `confirmed`: true or false.";
    if (typeof value === "object") return "`value` is one text here: what to do instead.";
    if (remember === undefined) return undefined;
    if (!confirmed) return "`remember` goes with `confirmed: true` only.";
    const isOffered = question.remember?.some(({ width }) => width === remember) ?? false;
    return isOffered ? undefined : `This question does not offer \`remember: "${remember}"\`.`;
  }
  if (value === undefined) return "This question is answered with a `value`.";
  const takesSeveral = question.method === "select" && question.multi === true;
  return typeof value === "object" && !takesSeveral ? "This question takes one `value`, not a list." : undefined;
}
