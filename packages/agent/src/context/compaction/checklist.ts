// Checks whether a summary may replace the history. If it may not, the context stays as it is.

import { tokensOfText } from "./present-context.ts";

/** Without these, the agent that continues would not know what to do. */
const NEEDED = ["Goal", "Done", "Next steps"];

export interface Candidate {
  readonly text: string;
  readonly finish: string;
}

export interface Demands {
  /** Tokens that the summary replaces. */
  readonly replaces: number;
  /** The longest summary that is accepted, in tokens. */
  readonly most: number;
  readonly headings: boolean;
}

/** For the user, to whom the required headings mean nothing. */
export const problemForPeople = (problem: string): string => problem.replace(/: ## .*/, "");

/** What is wrong with the summary, for the model that wrote it; undefined if nothing is. */
export function problemWith({ text, finish }: Candidate, { replaces, most, headings }: Demands): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (finish === "content_filter") return "the answer was refused";
  if (finish === "length") return "it was cut off at the output limit";
  const tokens = tokensOfText(text);
  if (tokens >= replaces) return "it is longer than the conversation it replaces";
  if (tokens > most) return `it is longer than ${most * 4} characters`;
  const missing = headings ? NEEDED.filter((name) => !new RegExp(`^#+ *${name}\\b`, "im").test(text)) : [];
  if (missing.length > 0) return `parts are missing: ${missing.map((name) => `## ${name}`).join(", ")}`;
  return undefined;
}
