// Plans a compaction: what stays, what is kept word for word, and the notes or images that replace the rest.

import type { JsonObject } from "@lathe/llm";
import type { TreeEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import type { CompactionDemand, SeamContext, SummaryWishes } from "../../contract/seams/types.ts";
import { pathTo } from "../../record/journal/context.ts";
import { carriedText } from "./carried.ts";
import { cutPoint } from "./cut-point.ts";
import { detailsOf, END_OF_NOTES, earlierCompaction, hiddenWork, keptVerbatim } from "./history.ts";
import { type PresentContext, presentContext } from "./present-context.ts";
import { largestResults } from "./prune.ts";
import { type Replacement, replacementFor } from "./replacement.ts";
import { type CompactionSettings, type Room, roomIn } from "./settings.ts";
import type { Summarizer } from "./summarize.ts";
import { isUrgent, type WantedCompaction } from "./wanted.ts";

export interface PlanSetup {
  readonly settings: CompactionSettings;
  /** A model call when absent. */
  readonly summarizer: Summarizer | undefined;
  readonly wishes?: SummaryWishes | undefined;
  /** The last line of the notes: how to reach what they omit. */
  readonly pointer: string;
}

/** A manual compaction has something to do as soon as this share of the room is old. */
const MANUAL_KEEP_SHARE = 0.5;

/** Undefined if there is nothing to compact. */
export async function planCompaction(
  setup: PlanSetup,
  wanted: WantedCompaction,
  context: SeamContext,
): ReturnType<CompactionDemand["summarize"]> {
  const next = context.nextRequest();
  const present = presentContext(next);
  const room = roomFor(setup.settings, wanted, present);
  const { journal } = context;
  const { wishes = {} } = setup;
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
  const made =
    wishes.notes === undefined
      ? await replacementFor(
          {
            history: present.sent.slice(first, split).map(({ message }) => message),
            turn: present.sent.slice(split, cut.at).map(({ message }) => message),
            tokens: old.reduce((sum, { tokens }) => sum + tokens, 0),
            earlier,
            earlierMessage: earlier && present.sent[0],
          },
          {
            ...setup,
            wanted: { ...wanted, focus: wanted.focus ?? wishes.prompt },
            additional: wishes.context ?? [],
            room,
            window: present.window,
            model: next.modelInfo,
            provider: next.request.provider,
            system: next.request.messages.filter(({ role }) => role === "system"),
          },
          context,
        )
      : givenNotes(wishes.notes);
  const preserveData = wishes.preserveData ? { ...wishes.preserveData, ...made.preserveData } : made.preserveData;
  const tailTokens = tail.reduce((sum, { tokens }) => sum + tokens, 0);
  const excess = isUrgent(wanted)
    ? present.prefixTokens + room.keepUser + made.tokens + tailTokens - room.threshold
    : 0;
  return {
    reason: wanted.trigger,
    summary: [made.notes, END_OF_NOTES, carriedText(work, context.carriedTexts(), journal.header.cwd), setup.pointer]
      .filter((text) => text !== "")
      .join("\n\n"),
    shortSummary: made.short,
    firstKeptEntryId,
    keep,
    tokensBefore: present.tokens,
    ...(excess > 0 ? { prune: largestResults(tail, excess) } : {}),
    details: {
      ...detailsOf(work),
      ...made.details,
      summarized: old.length - keep.length,
      kept: keep.length,
    } satisfies JsonObject,
    ...(preserveData === undefined ? {} : { preserveData }),
  };
}

/** Assumes four characters per token; a rough estimate is enough. */
const givenNotes = (notes: string): Replacement => ({
  notes,
  tokens: Math.ceil(notes.length / 4),
  short: notes.split("\n", 1)[0] ?? "",
  details: { strategy: "extension" },
});

function roomFor(settings: CompactionSettings, wanted: WantedCompaction, present: PresentContext): Room {
  // The vendor refused this size, whatever the catalog says.
  const window = wanted.trigger === "overflow" ? Math.min(present.window, present.tokens) : present.window;
  const room = roomIn(window, present.prefixTokens, settings);
  const share = 1 / 2 ** (wanted.earlierTries ?? 0);
  const history = present.sent.reduce((sum, { tokens }) => sum + tokens, 0);
  const recent = wanted.trigger === "manual" ? Math.min(room.keepRecent, MANUAL_KEEP_SHARE * history) : room.keepRecent;
  return { ...room, keepRecent: recent * share, keepUser: room.keepUser * share, pictures: room.pictures * share };
}

/** For a context that consists only of the last answer and its results. */
function pruneOnly(wanted: WantedCompaction, present: PresentContext, room: Room): { prune: string[] } | undefined {
  if (!isUrgent(wanted)) return undefined;
  const prune = largestResults(present.sent, present.tokens - room.threshold);
  return prune.length === 0 ? undefined : { prune };
}

/** The entries from the first one that was sent last time to the cut. */
function hiddenEntries(journal: JournalReader, from: string | undefined, to: string): TreeEntry[] {
  const path = pathTo(journal, journal.leaf);
  const start = from === undefined ? 0 : Math.max(0, path.indexOf(from));
  return path.slice(start, path.indexOf(to)).map((id) => journal.entry(id));
}
