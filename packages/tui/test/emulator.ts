// A terminal that we did not write: @xterm/headless, which rewraps its rows at a change of width as VS Code does.

import headless from "@xterm/headless";
import type { TerminalOutput } from "../src/terminal/terminal.ts";

// The addon reads its tables from the whole memory behind a buffer, so it must not get a slice of the pool that small buffers share.
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const { UnicodeGraphemesAddon } = await import("@xterm/addon-unicode-graphemes");
Buffer.poolSize = poolSize;

export class Emulator implements TerminalOutput {
  readonly #terminal: headless.Terminal;
  /** What was written since `take`. */
  #written = "";
  isBlocked = false;
  #unblocked: (() => void)[] = [];

  constructor(columns: number, rows: number) {
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: 100_000,
      logLevel: "off",
      allowProposedApi: true,
    });
    this.#terminal.loadAddon(new UnicodeGraphemesAddon());
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(bytes: string): void {
    this.#written += bytes;
    // The public `write` parses some time later; a test looks after every frame.
    (this.#terminal as unknown as { _core: { writeSync(data: string): void } })._core.writeSync(bytes);
  }

  onceUnblocked(call: () => void): void {
    this.#unblocked.push(call);
  }

  unblock(): void {
    this.isBlocked = false;
    for (const call of this.#unblocked.splice(0)) call();
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** The raw bytes since the last call. */
  take(): string {
    const written = this.#written;
    this.#written = "";
    return written;
  }

  /** Scrollback and screen, one string per line as it was ended by a line end, without empty lines at the end. */
  lines(): string[] {
    return this.#linesUntil(this.#terminal.buffer.active.length);
  }

  /** Only what is in the scrollback: no program can change it. Of a line that reaches into the screen, the part that does not. */
  scrolledLines(): string[] {
    return this.#linesUntil(this.scrolled);
  }

  /** Empty rows in the scrollback, those at its end included. */
  emptyScrolled(): number {
    const buffer = this.#terminal.buffer.active;
    const rows = Array.from({ length: this.scrolled }, (_, index) => buffer.getLine(index));
    return rows.filter((line) => line?.translateToString(true).trim() === "").length;
  }

  #linesUntil(end: number): string[] {
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let index = 0; index < end; index++) {
      const line = buffer.getLine(index);
      if (line === undefined) continue;
      const text = line.translateToString(true);
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    while (lines.at(-1)?.trim() === "") lines.pop();
    return lines.map((line) => line.trimEnd());
  }

  /** The rows in sight. */
  screen(): string[] {
    const buffer = this.#terminal.buffer.active;
    return Array.from(
      { length: this.rows },
      (_, row) =>
        buffer
          .getLine(buffer.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
    );
  }

  /** What is in a row in sight from a column on. */
  textFrom(row: number, column: number): string {
    const buffer = this.#terminal.buffer.active;
    return buffer.getLine(buffer.baseY + row)?.translateToString(true, column) ?? "";
  }

  /** Rows from the top of the scrollback to the screen. */
  get scrolled(): number {
    return this.#terminal.buffer.active.baseY;
  }

  get cursor(): { row: number; column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** Background colour number of a cell, -1 for the default. */
  background(row: number, column: number): number {
    const buffer = this.#terminal.buffer.active;
    const cell = buffer.getLine(buffer.baseY + row)?.getCell(column);
    return cell === undefined || cell.isBgDefault() ? -1 : cell.getBgColor();
  }

  foreground(row: number, column: number): number {
    const buffer = this.#terminal.buffer.active;
    const cell = buffer.getLine(buffer.baseY + row)?.getCell(column);
    return cell === undefined || cell.isFgDefault() ? -1 : cell.getFgColor();
  }
}
