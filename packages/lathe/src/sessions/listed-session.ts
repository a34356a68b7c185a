// One row in a list of sessions.

export interface ListedSession {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly created: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly bytes: number;
  readonly title?: string;
  /** The beginning of the first user message. */
  readonly firstMessage?: string;
}

/** A file may have disappeared since its folder was read, or belong to another user; the others are listed anyway. */
export type Described = ListedSession | undefined | "unreadable";
