// Messages that a run has already shown and must not repeat, in whichever of its workspaces they come up.

export interface AlreadyReported {
  /** Environment variables that commands do not see. */
  readonly variables: Set<string>;
  /** Isolated copies left by killed processes, and what became of the work in them. */
  readonly views: Set<string>;
}

export const nothingReported = (): AlreadyReported => ({ variables: new Set(), views: new Set() });
