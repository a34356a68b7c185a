// What the screen needs of a terminal.

export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  write(bytes: string): void;
  /** Calls when the size is what the terminal has now: the word of a change may come after a frame for the old size, which would then be drawn over other rows. */
  confirmSize?(call: () => void): void;
  /** Earlier bytes have not been taken yet: the screen waits with the next frame instead of piling frames up. */
  readonly isBlocked?: boolean;
  /** Calls once when the terminal takes bytes again. */
  onceUnblocked?(call: () => void): void;
}
