// Summarises the line of work that the user leaves: the text comes from a model, with the files it touched below it.

import { ContextLengthError, Message } from "@lathe/llm";
import type { TreeEntry } from "../../contract/journal.ts";
import type { BranchSummary, SeamContext, TreeMove } from "../../contract/seams/types.ts";
import { carriedText } from "../compaction/carried.ts";
import { detailsOf, hiddenWork } from "../compaction/history.ts";
import { serialize } from "../compaction/serialize.ts";
import { askForSummary, modelSummarizer, type Summarizer, tagText } from "../compaction/summarize.ts";
import task from "./prompts/branch.md";
import preamble from "./prompts/preamble.md";

/** How to summarise a branch. */
export interface BranchSummaryOptions {
  /** Tokens of the summarizer's window that are kept free for its prompt and its answer. */
  readonly reserveTokens: number;
  /** What the user wants the summary to focus on. */
  readonly focus?: string | undefined;
  /** A model call when absent. */
  readonly summarizer?: Summarizer | undefined;
  /** Deadline of each model call. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 180_000;
/** Used if the model's window is unknown. */
const USUAL_WINDOW = 100_000;
const CHARACTERS_PER_TOKEN = 3;
/** The reserve suits large windows; without a minimum, a small one would have nothing left. */
const LEAST_SHARE = 0.5;
const MOST_TOKENS = 4_000;
/** A model that cannot take this much cannot summarise. */
const LEAST_CHARACTERS = 20_000;

/** The summarizer for `session.navigate`. */
export function branchSummarizer(
  options: BranchSummaryOptions,
): (move: TreeMove, context: SeamContext) => Promise<BranchSummary> {
  return async ({ entriesToSummarize }, context) => {
    const ask = options.summarizer ?? modelSummarizer(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const window = context.nextRequest().contextWindow || USUAL_WINDOW;
    const room = Math.max(window - options.reserveTokens, LEAST_SHARE * window);
    const messages = entriesToSummarize.flatMap(messageOfEntry);
    const notes = await notesOn(messages, CHARACTERS_PER_TOKEN * room, { ask, focus: options.focus, context });
    const work = hiddenWork(entriesToSummarize, undefined);
    return {
      summary: [preamble.trim(), notes, carriedText(work, [], context.journal.header.cwd)]
        .filter((text) => text !== "")
        .join("\n\n"),
      details: detailsOf(work),
    };
  };
}

interface Setup {
  readonly ask: Summarizer;
  readonly focus: string | undefined;
  readonly context: SeamContext;
}

/** Keeps the newest messages if there is no room for all; sends less if the model cannot take what should fit. */
async function notesOn(messages: readonly Message[], characters: number, setup: Setup): Promise<string> {
  const { ask, focus, context } = setup;
  const prompt = [
    tagText("conversation", serialize(messages, characters)),
    task.trim(),
    focus === undefined ? "" : `The user asks you to pay special attention to: ${focus}`,
  ];
  const demands = { replaces: Number.POSITIVE_INFINITY, most: MOST_TOKENS, headings: false };
  try {
    return await askForSummary(prompt.filter((text) => text !== "").join("\n\n"), demands, ask, context);
  } catch (error) {
    if (!(error instanceof ContextLengthError) || characters <= LEAST_CHARACTERS) throw error;
    return notesOn(messages, characters / 3, setup);
  }
}

/** Messages that a compaction on this branch hid are summarised from the originals. */
function messageOfEntry(entry: TreeEntry): Message[] {
  switch (entry.type) {
    case "message":
      return [entry.message];
    case "custom_message":
      return [Message.user(entry.content)];
    case "branch_summary":
      return [Message.user(entry.summary)];
    default:
      return [];
  }
}
