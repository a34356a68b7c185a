// How a question reaches a person. A host that can ask gives an answerer; without one the session waits for the next input.

/** One question to a person, with options to choose from. */
export interface Question {
  readonly id: string;
  readonly question: string;
  /** What it is about, as Markdown: shown whole before it is answered. */
  readonly about?: string | undefined;
  /** `words`: such an answer needs words as well; the text asks for them. */
  readonly options: readonly { readonly label: string; readonly words?: string | undefined }[];
  readonly multi?: boolean | undefined;
  /** Index of the option to prefer. */
  readonly recommended?: number | undefined;
}

/** The answer to the question with the same id. */
export interface Answer {
  readonly id: string;
  readonly selected: readonly string[];
  /** An answer in the user's own words. */
  readonly custom?: string | undefined;
}

/** Undefined when the user did not answer (cancelled). `callId`: of the call that asks, which keeps its id when it runs again in another process. */
export type Answerer = (
  questions: readonly Question[],
  signal: AbortSignal,
  callId?: string,
) => Promise<readonly Answer[] | undefined>;

declare module "./tool.ts" {
  interface ToolServices {
    readonly answerer?: Answerer;
  }
}

export function renderAnswers(questions: readonly Question[], answers: readonly Answer[]): string {
  const lines = questions.map((question) => {
    const answer = answers.find((candidate) => candidate.id === question.id);
    return { question, said: answer ? say(answer) : "no answer" };
  });
  if (lines.length === 1) return lines[0]?.said ?? "";
  return ["User answers:", ...lines.map(({ question, said }) => `${question.id}: ${said}`)].join("\n");
}

function say(answer: Answer): string {
  if (answer.custom !== undefined) return `User provided custom input: ${answer.custom}`;
  return `User selected: ${answer.selected.join(", ")}`;
}

/** The questions as plain text, options numbered from 1. */
export function renderQuestions(questions: readonly Question[]): string {
  return questions
    .map(({ question, about, options, recommended }) =>
      [
        ...(about === undefined ? [] : [`${about}\n`]),
        question,
        ...options.map(({ label }, i) => `  ${i + 1}. ${label}${i === recommended ? " (recommended)" : ""}`),
      ].join("\n"),
    )
    .join("\n");
}
