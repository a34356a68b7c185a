// A compaction as it is asked for.

/** Why room is made. */
export type CompactionTrigger = "manual" | "overflow" | "incomplete" | "threshold" | "idle";

/** A compaction as it is asked for. */
export interface WantedCompaction {
  readonly trigger: CompactionTrigger;
  readonly focus?: string | undefined;
  /** How often room was made for the same request already: each time less is kept. */
  readonly earlierTries?: number;
}

/** The request failed or would fail: room must be made, with or without a summary. */
export const isUrgent = ({ trigger }: WantedCompaction): boolean => trigger === "overflow" || trigger === "incomplete";
