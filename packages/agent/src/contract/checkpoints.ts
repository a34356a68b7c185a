// A mark that the model sets in its own context, as the two tools see it.

/** Sets a mark and goes back to it. */
export interface CheckpointService {
  /** False when one is active already. */
  mark(goal: string): boolean;
  /** Asks for the return to the mark; false when there is none. */
  collapse(report: string): boolean;
}
