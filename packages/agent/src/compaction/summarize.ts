// Asks a model for the notes that take the place of older history: one call for what came before, and one more for the
// beginning of a turn that is split.

import { Message } from "@lathe/llm";
import type { SeamContext } from "../seams/types.ts";
import { type Demands, problemWith } from "./checklist.ts";
import again from "./prompts/again.md";
import first from "./prompts/first.md";
import summarizer from "./prompts/summarizer.md";
import turnPrefix from "./prompts/turn-prefix.md";
import update from "./prompts/update.md";
import { serialize } from "./serialize.ts";

/** Makes the text of a summary; a host may put a service of its own in the place of the model. */
export type Summarizer = (systemPrompt: string, prompt: string, context: SeamContext) => Promise<SummaryAnswer>;

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
  const { history, turn, previous } = material;
  const parts: string[] = [];
  if (history.length > 0 || turn.length === 0) {
    const demands = { replaces: material.replaces, most: material.most, headings: true };
    parts.push(await accepted(historyPrompt(material), demands, ask, context));
  } else if (previous !== undefined) parts.push(previous);
  if (turn.length > 0) {
    const demands = { replaces: material.replaces, most: material.most, headings: false };
    const notes = await accepted(turnPrompt(material), demands, ask, context);
    parts.push(parts.length === 0 ? `${TURN_CONTEXT}\n\n${notes}` : `---\n\n${TURN_CONTEXT}\n\n${notes}`);
  }
  return parts.join("\n\n");
}

async function accepted(prompt: string, demands: Demands, ask: Summarizer, context: SeamContext): Promise<string> {
  let problem = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const note = problem === "" ? "" : `\n\n${again.trim().replace("{{problem}}", () => problem)}`;
    const answer = await ask(summarizer.trim(), `${prompt}${note}`, context);
    const found = problemWith(answer, demands);
    if (found === undefined) return answer.text.trim();
    problem = found;
  }
  throw new Error(`the summary cannot be used: ${problem}`);
}

function historyPrompt({ history, previous, focus, additional, characters }: Material): string {
  return [
    tagged("conversation", serialize(history, characters)),
    previous === undefined ? "" : tagged("previous-summary", previous),
    additional.length === 0 ? "" : tagged("additional-context", additional.join("\n\n")),
    (previous === undefined ? first : update).trim(),
    focus === undefined ? "" : `The user asks you to pay special attention to: ${focus}`,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const turnPrompt = ({ turn, characters }: Material): string =>
  `${tagged("conversation", serialize(turn, characters))}\n\n${turnPrefix.trim()}`;

const tagged = (name: string, text: string): string => `<${name}>\n${text}\n</${name}>`;

/** The model of the role `summary`; the session's own when none was chosen for it. */
export const modelSummarizer: Summarizer = async (systemPrompt, prompt, context) => {
  const messages = [Message.system(systemPrompt), Message.user(prompt)];
  return context.callModel("summary", { messages, timeoutMs: SUMMARY_TIMEOUT_MS, reuse: true });
};
const SUMMARY_TIMEOUT_MS = 180_000;
