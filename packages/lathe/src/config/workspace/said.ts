// What a run has already told its user and must not repeat, in whichever of its workspaces it comes up.

export interface Said {
  /** Environment variables that commands do not see. */
  readonly variables: Set<string>;
  /** Isolated copies left by killed processes, and what became of the work in them. */
  readonly views: Set<string>;
}

export const nothingSaid = (): Said => ({ variables: new Set(), views: new Set() });
