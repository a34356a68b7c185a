// What a run has told its user already and need not tell again, in whichever of its workspaces it comes up.

export interface Said {
  /** Environment variables that commands do not see. */
  readonly variables: Set<string>;
  /** Views that killed processes left, and what became of the work in them. */
  readonly views: Set<string>;
}

export const nothingSaid = (): Said => ({ variables: new Set(), views: new Set() });
