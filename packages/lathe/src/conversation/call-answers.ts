// The user's answers to a call that has no result yet. Each is journalled as it comes, so that a confirmed answer is
// not asked for again if the process dies before the call has ended.

import type { Session } from "@lathe/agent";
import type { JsonValue } from "@lathe/llm";

const KIND = "lathe:answer";

/** The answers to one call. */
export interface CallAnswers {
  get(question: string): JsonValue | undefined;
  keep(question: string, answer: JsonValue): void;
}

interface Kept {
  readonly callId: string;
  readonly question: string;
  readonly answer: JsonValue;
}

export function callAnswers(session: () => Session, callId: string): CallAnswers {
  return {
    get(question) {
      for (const { data } of session().customEntries(KIND)) {
        const kept = data as unknown as Kept;
        if (kept.callId === callId && kept.question === question) return kept.answer;
      }
      return undefined;
    },
    keep: (question, answer) => void session().appendCustom(KIND, { callId, question, answer }),
  };
}
