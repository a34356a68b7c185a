// When the user does not answer a question in time, the option that the model recommends is used. The timer stops as
// soon as the user starts to answer.

import type { Answer, Answerer, Question } from "@lathe/agent";
import type { ClientDeps } from "@lathe/llm";
import type { CallAnswers } from "./call-answers.ts";
import type { Person } from "./session-contract.ts";

export interface AskTimeout {
  /** Seconds to wait; 0 means no limit. */
  readonly seconds: number;
  readonly setTimer: ClientDeps["setTimer"];
  /** In plan mode there is no time limit. */
  readonly isPlanning: () => boolean;
  readonly answersFor: (callId: string) => CallAnswers;
}

export const answererWithin =
  (
    answer: NonNullable<Person["answer"]>,
    { seconds, setTimer, isPlanning, answersFor: givenFor }: AskTimeout,
  ): Answerer =>
  async (questions, signal, callId) => {
    const given = callId === undefined ? undefined : givenFor(callId);
    if (seconds === 0 || isPlanning()) return answer(questions, signal, undefined, given);
    const late = new AbortController();
    const timer = setTimer(() => late.abort(), seconds * 1000);
    try {
      const answers = await answer(questions, AbortSignal.any([signal, late.signal]), () => timer.cancel(), given);
      return answers ?? (late.signal.aborted && !signal.aborted ? questions.map(recommendedAnswer) : undefined);
    } catch (error) {
      // Some hosts throw when they close a dialog.
      if (late.signal.aborted && !signal.aborted) return questions.map(recommendedAnswer);
      throw error;
    } finally {
      timer.cancel();
    }
  };

/** The option the model recommends, or the first one; an index without an option is ignored. */
function recommendedAnswer({ id, options, recommended: index = 0 }: Question): Answer {
  const option = options[index] ?? options[0];
  return { id, selected: option ? [option.label] : [] };
}
