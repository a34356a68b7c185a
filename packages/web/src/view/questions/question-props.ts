// The props of a question's view.

import type { Dialog, DialogAnswer } from "lathe/client";

export interface QuestionProps<D extends Dialog> {
  readonly question: D;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: DialogAnswer) => void;
}
