// Asks a model for the notes that replace older history: one call for everything before the split turn, and one more
// for the beginning of that turn.

import { Message } from "@lathe/llm";
import type { SeamContext } from "../../contract/seams/types.ts";
import { type Demands, problemForPeople, problemWith } from "./checklist.ts";
import first from "./prompts/first.md";
import summarizer from "./prompts/summarizer.md";
import turnPrefix from "./prompts/turn-prefix.md";
import update from "./prompts/update.md";
import { retryPrompt } from "./retry-prompt.ts";
import { serialize } from "./serialize.ts";

/** Makes the text of a summary. A host may use its own service instead of the model. */
export type Summarizer = (systemPrompt: string, prompt: string, context: SeamContext) => Promise<SummaryAnswer>;

/** The text of a summary, and why it ended (`stop` if it is complete). */
export interface SummaryAnswer {
  readonly text: string;
  readonly finish: string;
}

export interface Material {
  /** Everything before the turn that is split, or everything. */
  readonly history: readonly Message[];
  /** The beginning of the turn that is split. */
  readonly turn: readonly Message[];
  readonly previous: string | undefined;
  /** What the user wants the summary to focus on. */
  readonly focus: string | undefined;
  /** Context from hooks and memory. */
  readonly additional: readonly string[];
  /** Tokens of the summarised part. */
  readonly replaces: number;
  /** Tokens that the summary may have. */
  readonly most: number;
  /** Characters of the conversation that fit into a request. */
  readonly characters: number;
}

/** If a summarizer fails twice, a third attempt would only cost more. */
const ATTEMPTS = 2;
const TURN_CONTEXT = "**Turn Context (split turn):**";

/** Throws with the reason if no summary is acceptable. */
export async function summarize(material: Material, ask: Summarizer, context: SeamContext): Promise<string> {
  const { history, turn, previous, replaces, most } = material;
  // If nothing but this turn came after an earlier compaction, its notes still hold.
  const notes =
    history.length === 0 && turn.length > 0 && previous !== undefined
      ? previous
      : await askForSummary(historyPrompt(material), { replaces, most, headings: true }, ask, context);
  if (turn.length === 0) return notes;
  const ofTurn = await askForSummary(turnPrompt(material), { replaces, most, headings: false }, ask, context);
  return `${notes}\n\n---\n\n${TURN_CONTEXT}\n\n${ofTurn}`;
}

/** Asks until the notes are acceptable. Throws with the reason if they never are. */
export async function askForSummary(
  prompt: string,
  demands: Demands,
  ask: Summarizer,
  context: SeamContext,
): Promise<string> {
  let problem = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const note = problem === "" ? "" : `\n\n${retryPrompt("summary", problem)}`;
    const answer = await ask(summarizer.trim(), `${prompt}${note}`, context);
    const found = problemWith(answer, demands);
    if (found === undefined) return answer.text.trim();
    problem = found;
  }
  throw new Error(`the model's summary was incomplete (${problemForPeople(problem)})`);
}

/**
 * The notes have all their headings even if the split turn is the first one, because later notes are made from them.
 */
function historyPrompt({ history, turn, previous, focus, additional, characters }: Material): string {
  return [
    tagText("conversation", serialize(history.length === 0 ? turn : history, characters)),
    previous === undefined ? "" : tagText("previous-summary", previous),
    additional.length === 0 ? "" : tagText("additional-context", additional.join("\n\n")),
    (previous === undefined ? first : update).trim(),
    focusLine(focus),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const turnPrompt = ({ turn, focus, characters }: Material): string =>
  [tagText("conversation", serialize(turn, characters)), turnPrefix.trim(), focusLine(focus)]
    .filter((text) => text !== "")
    .join("\n\n");

const focusLine = (focus: string | undefined): string =>
  focus === undefined ? "" : `The user asks you to pay special attention to: ${focus}`;

export const tagText = (name: string, text: string): string => `<${name}>\n${text}\n</${name}>`;

/**
 * Limited patience: a prompt waits for the summary, notes can be made without a model, and the next compaction asks
 * this model again.
 */
const PATIENCE = { tries: 3, withinMs: 15_000 };

/** Uses the model of the role `summary`, or the session's own if none was chosen. */
export const modelSummarizer =
  (timeoutMs: number): Summarizer =>
  (systemPrompt, prompt, context) =>
    context.callModel("summary", {
      messages: [Message.system(systemPrompt), Message.user(prompt)],
      timeoutMs,
      patience: PATIENCE,
      reuse: true,
    });
