// Asks a model for the notes that take the place of older history: one call for what came before, and one more for the
// beginning of a turn that is split.

import { Message } from "@lathe/llm";
import type { SeamContext } from "../../contract/seams/types.ts";
import { askedAgain } from "./again.ts";
import { type Demands, problemForPeople, problemWith } from "./checklist.ts";
import first from "./prompts/first.md";
import summarizer from "./prompts/summarizer.md";
import turnPrefix from "./prompts/turn-prefix.md";
import update from "./prompts/update.md";
import { serialize } from "./serialize.ts";

/** Makes the text of a summary; a host may put a service of its own in the place of the model. */
export type Summarizer = (systemPrompt: string, prompt: string, context: SeamContext) => Promise<SummaryAnswer>;

/** The text of a summary, and why it ended (`stop` when it is complete). */
export interface SummaryAnswer {
  readonly text: string;
  readonly finish: string;
}

export interface Material {
  /** Before the turn that is split, or all of it. */
  readonly history: readonly Message[];
  /** The beginning of the turn that is split. */
  readonly turn: readonly Message[];
  readonly previous: string | undefined;
  /** What the person wants kept in mind. */
  readonly focus: string | undefined;
  /** Context of others: hooks, memory. */
  readonly additional: readonly string[];
  /** Tokens of what is summarised. */
  readonly replaces: number;
  /** Tokens that the summary may have. */
  readonly most: number;
  /** Characters of the conversation that a request may hold. */
  readonly characters: number;
}

/** A summarizer that fails twice would only cost more. */
const ATTEMPTS = 2;
const TURN_CONTEXT = "**Turn Context (split turn):**";

/** Throws with the reason when no summary is acceptable. */
export async function summarize(material: Material, ask: Summarizer, context: SeamContext): Promise<string> {
  const { history, turn, previous, replaces, most } = material;
  // The notes of an earlier compaction still stand when nothing but this turn came after them.
  const notes =
    history.length === 0 && turn.length > 0 && previous !== undefined
      ? previous
      : await askForSummary(historyPrompt(material), { replaces, most, headings: true }, ask, context);
  if (turn.length === 0) return notes;
  const ofTurn = await askForSummary(turnPrompt(material), { replaces, most, headings: false }, ask, context);
  return `${notes}\n\n---\n\n${TURN_CONTEXT}\n\n${ofTurn}`;
}

/** Asks until the notes are acceptable; throws with the reason when they are not. */
export async function askForSummary(
  prompt: string,
  demands: Demands,
  ask: Summarizer,
  context: SeamContext,
): Promise<string> {
  let problem = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const note = problem === "" ? "" : `\n\n${askedAgain("summary", problem)}`;
    const answer = await ask(summarizer.trim(), `${prompt}${note}`, context);
    const found = problemWith(answer, demands);
    if (found === undefined) return answer.text.trim();
    problem = found;
  }
  throw new Error(`the model's summary was incomplete (${problemForPeople(problem)})`);
}

/** Notes have all their headings even when the split turn is the first: later ones are made from them. */
function historyPrompt({ history, turn, previous, focus, additional, characters }: Material): string {
  return [
    tagText("conversation", serialize(history.length === 0 ? turn : history, characters)),
    previous === undefined ? "" : tagText("previous-summary", previous),
    additional.length === 0 ? "" : tagText("additional-context", additional.join("\n\n")),
    (previous === undefined ? first : update).trim(),
    attention(focus),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const turnPrompt = ({ turn, focus, characters }: Material): string =>
  [tagText("conversation", serialize(turn, characters)), turnPrefix.trim(), attention(focus)]
    .filter((text) => text !== "")
    .join("\n\n");

const attention = (focus: string | undefined): string =>
  focus === undefined ? "" : `The user asks you to pay special attention to: ${focus}`;

export const tagText = (name: string, text: string): string => `<${name}>\n${text}\n</${name}>`;

/** A prompt waits for the summary, and notes can be made without a model; the next compaction asks it again. */
const PATIENCE = { tries: 3, withinMs: 15_000 };

/** The model of the role `summary`; the session's own when none was chosen for it. */
export const modelSummarizer =
  (timeoutMs: number): Summarizer =>
  (systemPrompt, prompt, context) =>
    context.callModel("summary", {
      messages: [Message.system(systemPrompt), Message.user(prompt)],
      timeoutMs,
      patience: PATIENCE,
      reuse: true,
    });
