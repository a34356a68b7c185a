// What a run has already told its user and must not repeat, in whichever of its workspaces it comes up.

export interface AlreadyReported {
  /** Environment variables that commands do not see. */
  readonly variables: Set<string>;
  /** Isolated copies left by killed processes, and what became of the work in them. */
  readonly views: Set<string>;
}

export const nothingReported = (): AlreadyReported => ({ variables: new Set(), views: new Set() });
