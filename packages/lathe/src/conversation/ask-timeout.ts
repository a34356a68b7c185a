// Questions that no user answers in time are answered with what the model recommends. A user who has begun to answer has all the time.

import type { Answer, Answerer, Question } from "@lathe/agent";
import type { ClientDeps } from "@lathe/llm";
import type { GivenAnswers } from "./given-answers.ts";
import type { Person } from "./session-contract.ts";

export interface AskTimeout {
  /** Seconds; 0: none. */
  readonly seconds: number;
  readonly setTimer: ClientDeps["setTimer"];
  /** A plan is worth waiting for. */
  readonly isPlanning: () => boolean;
  readonly givenFor: (callId: string) => GivenAnswers;
}

export const answererWithin =
  (answer: NonNullable<Person["answer"]>, { seconds, setTimer, isPlanning, givenFor }: AskTimeout): Answerer =>
  async (questions, signal, callId) => {
    const given = callId === undefined ? undefined : givenFor(callId);
    if (seconds === 0 || isPlanning()) return answer(questions, signal, undefined, given);
    const late = new AbortController();
    const timer = setTimer(() => late.abort(), seconds * 1000);
    try {
      const answers = await answer(questions, AbortSignal.any([signal, late.signal]), () => timer.cancel(), given);
      return answers ?? (late.signal.aborted && !signal.aborted ? questions.map(recommendedAnswer) : undefined);
    } catch (error) {
      // Some hosts give a dialog up with an error.
      if (late.signal.aborted && !signal.aborted) return questions.map(recommendedAnswer);
      throw error;
    } finally {
      timer.cancel();
    }
  };

/** What the model would take, else the first; a number that names no option is ignored. */
function recommendedAnswer({ id, options, recommended: index = 0 }: Question): Answer {
  const option = options[index] ?? options[0];
  return { id, selected: option ? [option.label] : [] };
}
