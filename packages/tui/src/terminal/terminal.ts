// What the screen needs from a terminal.

export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  write(bytes: string): void;
  /**
   * Calls back when the known size is the actual one: a report of a resize may arrive after a frame for the old size,
   * which would overwrite the wrong rows.
   */
  confirmSize?(call: () => void): void;
  /** Whether earlier bytes are still waiting: the screen then delays the next frame instead of queueing it. */
  readonly isBlocked?: boolean;
  /** Calls back once when the terminal accepts bytes again. */
  onceUnblocked?(call: () => void): void;
}
