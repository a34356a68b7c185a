// What a host may choose about compaction, and the room that results from it in a given context window.

/**
 * How to make room: summarise older messages; start a new session from a briefing (the host does that after the input);
 * only empty old output; print older messages on images, for models that can read them; not at all.
 */
export type CompactionStrategy = "context-full" | "handoff" | "shake" | "snapcompact" | "off";

/** When and how to make room, and how much to keep. */
export interface CompactionSettings {
  /** If off, only manual compaction. */
  readonly enabled: boolean;
  readonly strategy: CompactionStrategy;
  /** Room that stays free for the answer. */
  readonly reserveTokens: number;
  /** The newest part of the conversation, which is never summarised. */
  readonly keepRecentTokens: number;
  /**
   * Where compaction starts: a share of the window in percent, or a number of tokens. 0 or less: `reserveTokens`
   * decides.
   */
  readonly thresholdPercent: number;
  readonly thresholdTokens: number;
  /** If an input leaves tasks open in a full context, compact after its last answer and continue with them. */
  readonly autoContinue: boolean;
  /** Let the model's vendor compact in its own form, if it can. */
  readonly vendorCompaction: boolean;
  /** Deadline of each call for a summary. */
  readonly timeoutMs: number;
}

/** The product's defaults. */
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
  /** Above this, room must be made. */
  readonly threshold: number;
  /** How much of the newest messages is kept. */
  readonly keepRecent: number;
  /** How much of the user's earlier messages is kept word for word. */
  readonly keepUser: number;
  /** The longest summary that is accepted. */
  readonly summary: number;
  /** For images that show older history instead of a summary. */
  readonly pictures: number;
}

/** For models with at most this window, estimates are cautious, and everything is limited to its share. */
export const SMALL_WINDOW = 16_384;
/** At least this share of the window stays free for the answer. */
const LEAST_FREE = 0.15;
/** Below this window, amounts that suit large models would leave nothing to compact, so they shrink with it. */
const FULL_SIZE_WINDOW = 100_000;
/**
 * Shares of the threshold minus the prefix. A small window keeps no larger share of its newest messages than one of
 * 100,000 tokens: the more room is left for new work, the rarer are summaries, after which everything but the prefix is
 * charged in full.
 */
const RECENT_SHARE = 0.275;
const USER_SHARE = 0.2;
const SUMMARY_SHARE = 0.12;
const PICTURE_SHARE = 0.2;
const MOST_SUMMARY = 8_000;

/** Above this many tokens, room must be made. Cheap, because it is asked before every request. */
export function thresholdOf(window: number, settings: CompactionSettings): number {
  return Math.max(1, Math.floor(ownThreshold(window, settings) ?? window - reserveOf(window, settings)));
}

function reserveOf(window: number, { reserveTokens }: CompactionSettings): number {
  return Math.max(LEAST_FREE * window, reserveTokens * Math.min(1, window / FULL_SIZE_WINDOW));
}

/** `prefix`: tokens of the system prompt and the tools, which no compaction can remove. */
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
