// A model that gives fixed answers, so that a command can use a real session without a provider.

import type { ProviderAdapter, Request } from "@lathe/llm";
import { responseOf, type ScriptedAnswer, streamAnswer } from "./scripted-answer.ts";

/** Gives the answers in order, and repeats the last one for further requests. */
export function fixedAnswers(name: string, answers: readonly ScriptedAnswer[]): ProviderAdapter {
  let asked = 0;
  const answer = (request: Request) => responseOf(name, request, answers[Math.min(asked++, answers.length - 1)] ?? {});
  return {
    name,
    complete: async (request) => answer(request),
    stream: (request, context) => streamAnswer(answer(request), context),
  };
}
