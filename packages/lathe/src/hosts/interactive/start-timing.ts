// Measures where the time of a start goes.

export interface StartTiming {
  phase<T>(name: string, work: () => Promise<T> | T): Promise<T>;
  /** Called when prompts can be typed; prints the times. */
  print(): void;
  /** The run ends here instead of waiting for a prompt. */
  readonly leavesWhenReady: boolean;
}
