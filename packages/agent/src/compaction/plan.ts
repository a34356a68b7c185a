// Makes the plan of a compaction: what stays, what is kept word for word, and the notes that stand for the rest.

import { ContextLengthError, type JsonObject, messageOf } from "@lathe/llm";
import { pathTo } from "../journal/context.ts";
import type { TreeEntry } from "../journal/types.ts";
import type { CompactionDemand, JournalReader, SeamContext } from "../seams/types.ts";
import { carriedText } from "./carried.ts";
import { cutPoint } from "./cut-point.ts";
import { digest } from "./digest.ts";
import { detailsOf, earlierCompaction, hiddenWork, keptVerbatim } from "./history.ts";
import { type PresentContext, presentContext } from "./present-context.ts";
import { largestResults } from "./prune.ts";
import { type CompactionSettings, type Room, roomIn } from "./settings.ts";
import { modelSummarizer, type Summarizer, summarize } from "./summarize.ts";

/** Why room is made. */
export type CompactionTrigger = "manual" | "overflow" | "incomplete" | "threshold" | "idle";

/** A compaction as it is asked for. */
export interface WantedCompaction {
  readonly trigger: CompactionTrigger;
  readonly focus?: string | undefined;
  /** How often room was made for the same request already: each time less is kept. */
  readonly earlierTries?: number;
}

export interface PlanSetup {
  readonly settings: CompactionSettings;
  /** A model call when absent. */
  readonly summarizer: Summarizer | undefined;
  /** Said at the end of the notes: how to reach what they leave out. */
  readonly pointer: string;
}

/** Characters of a request for each token of the summarizer's window; the rest is for the notes and the prompt. */
const INPUT_CHARACTERS = 3;
const LEAST_SUMMARY_TOKENS = 200;
/** A model that cannot take this much cannot summarise. */
const LEAST_CHARACTERS = 20_000;
/** When asked for by hand there is something to do as soon as this much is old. */
const MANUAL_KEEP_SHARE = 0.5;

/** Undefined: there is nothing to compact. */
export async function planCompaction(
  setup: PlanSetup,
  wanted: WantedCompaction,
  context: SeamContext,
): ReturnType<CompactionDemand["summarize"]> {
  const present = presentContext(context.nextRequest());
  const room = roomFor(setup.settings, wanted, present);
  const { journal } = context;
  const earlier = earlierCompaction(journal, present.sent);
  const first = earlier?.messages ?? 0;
  const cut = cutPoint(present.sent, room.keepRecent, first);
  if (!cut) return pruneOnly(wanted, present, room);
  const split = cut.turnStart ?? cut.at;
  const old = present.sent.slice(first, cut.at);
  const keep = keptVerbatim(journal, present.sent.slice(earlier ? 1 : 0, cut.at), room.keepUser);
  const tail = present.sent.slice(cut.at);
  const firstKeptEntryId = present.sent[cut.at]!.entryId!;
  const work = hiddenWork(
    hiddenEntries(journal, earlier?.entry.firstKeptEntryId, firstKeptEntryId),
    earlier?.entry.details,
  );
  const replaces = old.reduce((sum, { tokens }) => sum + tokens, 0);
  const previous = earlier && ownNotes(earlier.entry.summary);
  const material = {
    history: present.sent.slice(first, split).map(({ message }) => message),
    turn: present.sent.slice(split, cut.at).map(({ message }) => message),
    previous,
    focus: wanted.focus,
    additional: [],
    replaces: replaces + (earlier ? present.sent[0]!.tokens : 0),
    most: Math.max(LEAST_SUMMARY_TOKENS, room.summary),
    characters: INPUT_CHARACTERS * present.window,
  };
  const { notes, failed } = await notesFor(
    material,
    setup.summarizer ?? modelSummarizer(setup.settings.timeoutMs),
    wanted,
    context,
  );
  const tailTokens = tail.reduce((sum, { tokens }) => sum + tokens, 0);
  const excess = isUrgent(wanted)
    ? present.prefixTokens + room.keepUser + room.summary + tailTokens - room.threshold
    : 0;
  return {
    reason: wanted.trigger,
    summary: [notes, END_OF_NOTES, carriedText(work, context.carried(), journal.header.cwd), setup.pointer]
      .filter((text) => text !== "")
      .join("\n\n"),
    shortSummary: firstSentence(notes),
    firstKeptEntryId,
    keep,
    tokensBefore: present.tokens,
    ...(excess > 0 ? { prune: largestResults(tail, excess) } : {}),
    details: {
      ...detailsOf(work),
      strategy: failed === undefined ? "context-full" : "digest",
      ...(failed === undefined ? {} : { failed }),
      summarized: old.length - keep.length,
      kept: keep.length,
    } satisfies JsonObject,
  };
}

/** Below it stands what is made anew each time; the next summary does not need to repeat it. */
const END_OF_NOTES = "<!-- end of notes -->";
const ownNotes = (summary: string): string => summary.split(END_OF_NOTES)[0]!.trim();

function roomFor(settings: CompactionSettings, wanted: WantedCompaction, present: PresentContext): Room {
  // The vendor refused this much, whatever the catalog says.
  const window = wanted.trigger === "overflow" ? Math.min(present.window, present.tokens) : present.window;
  const room = roomIn(window, present.prefixTokens, settings);
  const share = 1 / 2 ** (wanted.earlierTries ?? 0);
  const history = present.sent.reduce((sum, { tokens }) => sum + tokens, 0);
  const recent = wanted.trigger === "manual" ? Math.min(room.keepRecent, MANUAL_KEEP_SHARE * history) : room.keepRecent;
  return { ...room, keepRecent: recent * share, keepUser: room.keepUser * share };
}

/** The request failed or would fail: room must be made, with or without a summary. */
const isUrgent = ({ trigger }: WantedCompaction): boolean => trigger === "overflow" || trigger === "incomplete";

/** The last answer and its results are all there is. */
function pruneOnly(wanted: WantedCompaction, present: PresentContext, room: Room): { prune: string[] } | undefined {
  if (!isUrgent(wanted)) return undefined;
  const prune = largestResults(present.sent, present.tokens - room.threshold);
  return prune.length === 0 ? undefined : { prune };
}

/** Entries from the beginning of what was sent last time up to the cut. */
function hiddenEntries(journal: JournalReader, from: string | undefined, to: string): TreeEntry[] {
  const path = pathTo(journal, journal.leaf);
  const start = from === undefined ? 0 : Math.max(0, path.indexOf(from));
  return path.slice(start, path.indexOf(to)).map((id) => journal.entry(id));
}

/** Without a usable summary the context stays as it is, unless the request cannot be made otherwise. */
async function notesFor(
  material: Parameters<typeof summarize>[0],
  ask: Summarizer,
  wanted: WantedCompaction,
  context: SeamContext,
): Promise<{ readonly notes: string; readonly failed?: string }> {
  try {
    return { notes: await summarize(material, ask, context) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ContextLengthError && material.characters > LEAST_CHARACTERS)
      return notesFor({ ...material, characters: material.characters / 3 }, ask, wanted, context);
    if (wanted.trigger === "manual" || wanted.trigger === "idle") throw error;
    const { history, turn, previous, most } = material;
    return { notes: digest([...history, ...turn], previous, 4 * most), failed: messageOf(error) };
  }
}

const SHORT_CHARS = 120;

/** The first sentence of the goal: sessions are listed by it. */
function firstSentence(notes: string): string {
  const line = notes.split("\n").find((text) => text.trim() !== "" && !text.startsWith("#")) ?? "";
  return (line.match(/^.*?[.!?](?=\s|$)/)?.[0] ?? line).slice(0, SHORT_CHARS).trim().toWellFormed();
}
