// Whether a summary may take the place of the history. One that may not leaves the context as it is.

import { tokensOfText } from "./present-context.ts";

/** Without these, the agent that continues would not know what to do. */
const NEEDED = ["Goal", "Done", "Next steps"];

export interface Candidate {
  readonly text: string;
  readonly finish: string;
}

export interface Demands {
  /** Tokens that the summary stands for. */
  readonly replaces: number;
  /** The longest that is accepted, in tokens. */
  readonly most: number;
  readonly headings: boolean;
}

/** For people, to whom the headings that a summary must have mean nothing. */
export const problemForPeople = (problem: string): string => problem.replace(/: ## .*/, "");

/** What is wrong with it, for the model that wrote it; undefined when nothing is. */
export function problemWith({ text, finish }: Candidate, { replaces, most, headings }: Demands): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (finish === "content_filter") return "the answer was refused";
  if (finish === "length") return "it was cut off at the output limit";
  const tokens = tokensOfText(text);
  if (tokens >= replaces) return "it is longer than the conversation it stands for";
  if (tokens > most) return `it is longer than ${most * 4} characters`;
  const missing = headings ? NEEDED.filter((name) => !new RegExp(`^#+ *${name}\\b`, "im").test(text)) : [];
  if (missing.length > 0) return `parts are missing: ${missing.map((name) => `## ${name}`).join(", ")}`;
  return undefined;
}
