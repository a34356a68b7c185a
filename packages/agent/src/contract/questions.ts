// How a question reaches the user. A host that can ask supplies an answerer; otherwise the session waits for the next
// input.

/** A question to the user, with options to choose from. */
export interface Question {
  readonly id: string;
  readonly question: string;
  /** Background as Markdown; hosts show all of it before the user answers. */
  readonly about?: string | undefined;
  /** `words`: this answer also needs text from the user; the string is the prompt for it. */
  readonly options: readonly { readonly label: string; readonly words?: string | undefined }[];
  readonly multi?: boolean | undefined;
  /** Index of the recommended option. */
  readonly recommended?: number | undefined;
}

/** The answer to the question with the same id. */
export interface Answer {
  readonly id: string;
  readonly selected: readonly string[];
  /** An answer in the user's own words. */
  readonly custom?: string | undefined;
}

/**
 * Returns undefined if the user did not answer (cancelled). `callId`: the asking call, which keeps its id when another
 * process runs it again.
 */
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
    return { question, said: answer ? answerText(answer) : "no answer" };
  });
  if (lines.length === 1) return lines[0]?.said ?? "";
  return ["User answers:", ...lines.map(({ question, said }) => `${question.id}: ${said}`)].join("\n");
}

function answerText(answer: Answer): string {
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
