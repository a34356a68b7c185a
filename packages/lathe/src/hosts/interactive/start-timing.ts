// Where the time of a start goes.

export interface StartTiming {
  phase<T>(name: string, work: () => Promise<T> | T): Promise<T>;
  /** Prompts can be typed. */
  print(): void;
  /** The run ends here instead of waiting for a prompt. */
  readonly leavesWhenReady: boolean;
}
