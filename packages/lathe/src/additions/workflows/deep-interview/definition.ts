// deep-interview as a state machine: its data and its moves.

import type { JsonObject } from "@lathe/llm";
import type { WorkflowDefinition } from "../workflow.ts";

interface AskedQuestion {
  readonly question: string;
  readonly answer: string;
}

export interface PendingQuestion {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly multi?: boolean | undefined;
  readonly recommended?: number | undefined;
}

export interface InterviewData {
  readonly wish: string;
  readonly asked: readonly AskedQuestion[];
  /** The question that waits for an answer. */
  readonly pending?: PendingQuestion;
  /** The specification that was proposed last, if any. */
  readonly spec?: { readonly title: string; readonly text: string };
  /** The file of the accepted specification, relative to the project. */
  readonly file?: string;
}

export const interviewData = (data: JsonObject): InterviewData => data as unknown as InterviewData;

export const deepInterview: WorkflowDefinition = {
  name: "deep-interview",
  version: 1,
  arguments: "<what you want>",
  description: "asks until you have accepted a specification of what you want; no file changes before that",
  states: ["asking", "review", "accepted", "rejected"],
  start: "asking",
  ends: ["accepted", "rejected"],
  moves: [
    { from: "asking", to: "asking", needs: "gate question: an answer of the user" },
    { from: "asking", to: "review", needs: "at least one answer, and a specification" },
    { from: "review", to: "review", needs: "another specification instead of the undecided one" },
    { from: "review", to: "accepted", needs: "gate approval: approve" },
    { from: "review", to: "asking", needs: "gate approval: request-changes" },
    { from: "review", to: "rejected", needs: "gate approval: reject" },
  ],
};
