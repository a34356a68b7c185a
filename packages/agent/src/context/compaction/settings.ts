// What a host may choose about compaction, and the room that follows from it in a given context window.

/**
 * How room is made: a summary of older messages; a new session with a briefing, which the host starts after the input; old
 * output emptied, and nothing else; older messages printed on pictures, for models that can read them; not at all.
 */
export type CompactionStrategy = "context-full" | "handoff" | "shake" | "snapcompact" | "off";

/** When room is made, how, and how much is kept. */
export interface CompactionSettings {
  /** Off: only by hand. */
  readonly enabled: boolean;
  readonly strategy: CompactionStrategy;
  /** Room that stays free for the answer. */
  readonly reserveTokens: number;
  /** The newest part of the conversation, which is never summarised. */
  readonly keepRecentTokens: number;
  /** Compaction starts here: a share of the window in percent, or a number of tokens. 0 or less: by `reserveTokens`. */
  readonly thresholdPercent: number;
  readonly thresholdTokens: number;
  /** After the last answer of an input that leaves tasks open in a full context: compact and go on with them. */
  readonly autoContinue: boolean;
  /** Let the vendor of the model compact in a form of its own, where it can. */
  readonly vendorCompaction: boolean;
  /** Deadline of each call for a summary. */
  readonly timeoutMs: number;
}

/** What the command uses unless its settings say otherwise. */
export const DEFAULT_COMPACTION: CompactionSettings = {
  enabled: true,
  strategy: "context-full",
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  thresholdPercent: -1,
  thresholdTokens: -1,
  autoContinue: true,
  vendorCompaction: true,
  timeoutMs: 180_000,
};

/** Sizes in tokens. */
export interface Room {
  /** Above this, space is made. */
  readonly threshold: number;
  /** This much of the newest messages is kept. */
  readonly keepRecent: number;
  /** This much of what the user said earlier is kept word for word. */
  readonly keepUser: number;
  /** The longest summary that is accepted. */
  readonly summary: number;
  /** Of pictures that show older history, instead of a summary. */
  readonly pictures: number;
}

/** Models with at most this window: estimates are cautious, and everything is cut to its share. */
export const SMALL_WINDOW = 16_384;
/** At least this much of the window stays free for the answer. */
const LEAST_FREE = 0.15;
/** Below this window the amounts that suit large models would leave nothing to compact; they shrink with it. */
const FULL_SIZE_WINDOW = 100_000;
/**
 * Shares of what is left of the threshold after the prefix. A small window keeps no larger part of its newest messages than one of
 * 100,000 tokens: the more is left of it for new work, the rarer a summary, after which all but the prefix is charged in full.
 */
const RECENT_SHARE = 0.275;
const USER_SHARE = 0.2;
const SUMMARY_SHARE = 0.12;
const PICTURE_SHARE = 0.2;
const MOST_SUMMARY = 8_000;

/** Above this many tokens, space is made. Cheap: asked before every request. */
export function thresholdOf(window: number, settings: CompactionSettings): number {
  return Math.max(1, Math.floor(ownThreshold(window, settings) ?? window - reserveOf(window, settings)));
}

function reserveOf(window: number, { reserveTokens }: CompactionSettings): number {
  return Math.max(LEAST_FREE * window, reserveTokens * Math.min(1, window / FULL_SIZE_WINDOW));
}

/** `prefix`: tokens of the system prompt and the tools, which no compaction can take away. */
export function roomIn(window: number, prefix: number, settings: CompactionSettings): Room {
  const threshold = thresholdOf(window, settings);
  const left = Math.max(0, threshold - prefix);
  return {
    threshold,
    keepRecent: Math.floor(Math.min(settings.keepRecentTokens, RECENT_SHARE * left)),
    keepUser: Math.floor(USER_SHARE * left),
    summary: Math.floor(Math.min(MOST_SUMMARY, SUMMARY_SHARE * left)),
    pictures: Math.floor(PICTURE_SHARE * left),
  };
}

function ownThreshold(window: number, { thresholdTokens, thresholdPercent }: CompactionSettings): number | undefined {
  if (thresholdTokens > 0) return Math.min(thresholdTokens, window);
  return thresholdPercent > 0 ? (Math.min(thresholdPercent, 100) / 100) * window : undefined;
}
