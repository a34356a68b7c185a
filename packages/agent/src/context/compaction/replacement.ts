// What replaces older history: images of it, the vendor's own compact form, a summary by the model, or notes made
// without a model.

import { ContextLengthError, type Message, type ModelInfo, messageOf } from "@lathe/llm";
import type { PreservedData } from "../../contract/journal.ts";
import type { SeamContext } from "../../contract/seams/types.ts";
import { JournalError } from "../../record/journal/errors.ts";
import { IMAGE_TOKENS } from "../message-size.ts";
import { digest } from "./digest.ts";
import { DIGEST, type Earlier, earlierText } from "./history.ts";
import type { SentMessage } from "./present-context.ts";
import { type CompactionSettings, type Room, SMALL_WINDOW } from "./settings.ts";
import { modelSummarizer, type Summarizer, summarize } from "./summarize.ts";
import type { WantedCompaction } from "./wanted.ts";

/** Characters of a request per token of the summarizer's window; the rest is for the notes and the prompt. */
const INPUT_CHARACTERS = 3;
const LEAST_SUMMARY_TOKENS = 200;
/** In a small window, the instructions and the notes take up a larger part. */
const SMALL_INPUT_CHARACTERS = 1.5;
/**
 * A smaller window (in tokens) has no room for a conversation, the instructions and the notes, so no model is asked.
 */
const LEAST_WINDOW = 6_144;
/** A model that cannot take this much cannot summarise. */
const LEAST_CHARACTERS = 20_000;

/** The part of the history that is about to be hidden. */
export interface Hidden {
  /** Everything before the turn that is split, or everything. */
  readonly history: readonly Message[];
  /** The beginning of the turn that is split. */
  readonly turn: readonly Message[];
  readonly tokens: number;
  readonly earlier: Earlier | undefined;
  /** The message with which the earlier compaction replaced older history. */
  readonly earlierMessage: SentMessage | undefined;
}

/** The replacement for hidden history. */
export interface Replacement {
  readonly notes: string;
  /** A short form for session lists. */
  readonly short: string;
  /** The most tokens that the replacement takes. */
  readonly tokens: number;
  readonly details: { readonly strategy: string; readonly failed?: string };
  readonly preserveData?: PreservedData;
}

/** How the replacement should be made. */
export interface Terms {
  readonly settings: CompactionSettings;
  /** A model call when absent. */
  readonly summarizer: Summarizer | undefined;
  readonly wanted: WantedCompaction;
  /** What hooks want the summarizing model to know. */
  readonly additional: readonly string[];
  readonly room: Room;
  /** The window of the model that gets it. */
  readonly window: number;
  readonly model: ModelInfo | undefined;
  readonly provider: string | undefined;
  /** The system prompt. */
  readonly system: readonly Message[];
}

export async function replacementFor(hidden: Hidden, terms: Terms, context: SeamContext): Promise<Replacement> {
  // Only a model can pay attention to the user's focus.
  const isPictured = terms.settings.strategy === "snapcompact" && terms.wanted.focus === undefined;
  const made = isPictured
    ? await replaceByPictures(hidden, terms, context)
    : await compactedByVendor(hidden, terms, context);
  return made ?? replaceByNotes(hidden, terms, context);
}

const BY_VENDOR =
  "The provider keeps the older part of this session in a form that only its own models can read. The last answers in it were:";
/** Length of the notes for models of other vendors, in characters. */
const VENDOR_NOTES_CHARS = 2_000;

/** Undefined if not possible; a failed attempt is reported. The vendor cannot be told the user's focus. */
async function compactedByVendor(
  { history, turn, tokens, earlier, earlierMessage }: Hidden,
  { settings, wanted, provider, system }: Terms,
  context: SeamContext,
): Promise<Replacement | undefined> {
  if (!settings.vendorCompaction || wanted.focus !== undefined) return undefined;
  const before = earlier && earlierText(context.journal, earlier);
  const isReadable =
    before?.messages.length === 0 || earlier?.entry.preserveData?.openaiRemoteCompaction?.provider === provider;
  const first = isReadable ? (earlierMessage ? [earlierMessage.message] : []) : (before?.messages ?? []);
  try {
    const made = await context.compactByVendor([...system, ...first, ...history, ...turn], settings.timeoutMs);
    if (!made) return undefined;
    if (made.tokens >= tokens + (earlierMessage?.tokens ?? 0)) throw new Error("it is not shorter than the messages");
    return {
      notes: digest([...first, ...history, ...turn], undefined, VENDOR_NOTES_CHARS, BY_VENDOR),
      short: "Older messages are kept in the provider's own form.",
      tokens: made.tokens + VENDOR_NOTES_CHARS / 4,
      details: { strategy: "vendor" },
      preserveData: { openaiRemoteCompaction: made.history },
    };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof JournalError) throw error;
    context.warn(
      `The provider did not compact the session, so it is summarized: ${messageOf(error)}`,
      "vendor_compaction_failed",
    );
    return undefined;
  }
}

/** Undefined if not possible; the reason is reported. */
async function replaceByPictures(
  { history, turn, tokens, earlier, earlierMessage }: Hidden,
  { room, model }: Terms,
  context: SeamContext,
): Promise<Replacement | undefined> {
  const { archive } = await import("./snapcompact/archive.ts");
  const pictures = earlier?.entry.preserveData?.snapcompact;
  const areSent = earlierMessage?.message.content.some(({ kind }) => kind === "image") ?? false;
  const before = pictures || !earlier ? undefined : earlierText(context.journal, earlier);
  const wasRefused = pictures !== undefined && pictures.frames.length > 0 && !areSent;
  const made = wasRefused
    ? { problem: "the provider refused earlier ones" }
    : archive({
        messages: [...(before?.messages ?? []), ...history, ...turn],
        tokens,
        previous: before?.notes,
        earlier: pictures,
        model,
        room: room.pictures,
      });
  if ("problem" in made) {
    const message = `Older messages are summarized instead of kept as pictures: ${made.problem}.`;
    context.warn(message, "pictures_unavailable");
    return undefined;
  }
  const { frames } = made.history;
  return {
    notes: made.guide,
    short: `Older messages are kept as ${frames.length} pictures.`,
    tokens: frames.length * IMAGE_TOKENS,
    details: { strategy: "snapcompact" },
    preserveData: { snapcompact: made.history },
  };
}

async function replaceByNotes(
  { history, turn, tokens, earlier, earlierMessage }: Hidden,
  { settings, summarizer, wanted, additional, room, window }: Terms,
  context: SeamContext,
): Promise<Replacement> {
  const before = earlier && earlierText(context.journal, earlier);
  const material = {
    history: [...(before?.messages ?? []), ...history],
    turn,
    previous: before?.notes,
    focus: wanted.focus,
    additional,
    replaces: tokens + (earlierMessage?.tokens ?? 0),
    most: Math.max(LEAST_SUMMARY_TOKENS, room.summary),
    characters: (window <= SMALL_WINDOW ? SMALL_INPUT_CHARACTERS : INPUT_CHARACTERS) * window,
  };
  const cannot = summarizer === undefined ? whyNotAsked(window, earlier, wanted) : undefined;
  if (cannot !== undefined) {
    const notes = digest([...material.history, ...turn], material.previous, 4 * material.most);
    return { notes, short: firstSentence(notes), tokens: room.summary, details: { strategy: DIGEST, failed: cannot } };
  }
  const ask = summarizer ?? modelSummarizer(settings.timeoutMs);
  const { notes, failed } = await notesFor(material, ask, wanted, context);
  return {
    notes,
    short: firstSentence(notes),
    tokens: room.summary,
    details: failed === undefined ? { strategy: "context-full" } : { strategy: DIGEST, failed },
  };
}

/** A small model fails at the same task again, and each try costs a request. A user who asks for it gets the try. */
function whyNotAsked(window: number, earlier: Earlier | undefined, { trigger }: WantedCompaction): string | undefined {
  if (window > SMALL_WINDOW || trigger === "manual") return undefined;
  if (window < LEAST_WINDOW) return `a window of ${window} tokens has no room for a summary`;
  return earlier?.entry.details?.["strategy"] === DIGEST ? "the model could not summarize before" : undefined;
}

/** Without a usable summary the context stays as it is, unless the request would be impossible otherwise. */
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

/** The first sentence of the goal, for session lists. */
function firstSentence(notes: string): string {
  const line = notes.split("\n").find((text) => text.trim() !== "" && !text.startsWith("#")) ?? "";
  return (line.match(/^.*?[.!?](?=\s|$)/)?.[0] ?? line).slice(0, SHORT_CHARS).trim().toWellFormed();
}
