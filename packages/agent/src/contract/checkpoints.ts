// A checkpoint that the model sets in its own context, as the two checkpoint tools see it.

/** Sets a checkpoint and returns to it. */
export interface CheckpointService {
  /** Returns false if a checkpoint is already active. */
  mark(goal: string): boolean;
  /** Requests the return to the checkpoint; returns false if there is none. */
  collapse(report: string): boolean;
}
