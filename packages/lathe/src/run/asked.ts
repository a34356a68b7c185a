// What a call put to a person who is not there: the questions, or the plan. The run ends with it, so it is the last word.

import { type Question, renderQuestions } from "@lathe/agent";
import type { JsonValue } from "@lathe/llm";

export interface Asked {
  readonly what: "question" | "plan";
  readonly text: string;
}

/** From the details of the call's result. */
export function askedIn(details: JsonValue | undefined): Asked | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details) || details["awaiting"] !== true)
    return undefined;
  const { plan, questions } = details;
  if (typeof plan === "string") return { what: "plan", text: plan };
  return { what: "question", text: renderQuestions(questions as unknown as readonly Question[]) };
}
