// A request for a compaction.

/** Why room must be made. */
export type CompactionTrigger = "manual" | "overflow" | "incomplete" | "threshold" | "idle";

/** A request for a compaction. */
export interface WantedCompaction {
  readonly trigger: CompactionTrigger;
  readonly focus?: string | undefined;
  /** How often room was already made for the same request: each time, less is kept. */
  readonly earlierTries?: number;
}

/** The request failed or would fail: room must be made, with or without a summary. */
export const isUrgent = ({ trigger }: WantedCompaction): boolean => trigger === "overflow" || trigger === "incomplete";
