// The command at a third-party terminal: an emulator that answers as terminals do and shows what a user would see. The
// command is the built one on its own pseudo-terminal, or runs inside the test.

import type { ClientDeps } from "@lathe/llm";
import headless from "@xterm/headless";
import type { Sandbox } from "../command.ts";
import { insideLine, type Line, ptyLine } from "./line.ts";

// The addon reads its tables from the whole memory behind a buffer, so it must not get a slice of the shared pool.
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const { UnicodeGraphemesAddon } = await import("@xterm/addon-unicode-graphemes");
Buffer.poolSize = poolSize;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** A program to start instead of the command, such as a shell; it gets the arguments. */
  readonly program?: string;
  /** Inside the test, from sources: no process, so no signals and no kernel between the terminal and the command. */
  readonly inside?: boolean;
  /** Replaces the clock and similar; only inside the test. */
  readonly deps?: (usual: ClientDeps) => ClientDeps;
}

/** Keys as terminals send them. */
export const KEY = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  shiftTab: "\x1b[Z",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  backspace: "\x7f",
  altEnter: "\x1b\r",
  altUp: "\x1b[1;3A",
  ctrl: (letter: string): string => String.fromCharCode(letter.charCodeAt(0) & 0x1f),
} as const;

/** Passing tests never wait this long. */
const PATIENCE_MS = 60_000;
type Wanted = string | RegExp | ((screen: string) => boolean);

export class TerminalRun {
  readonly #line: Line;
  readonly #emulator: headless.Terminal;
  readonly #changed = new Set<() => void>();
  #raw = "";
  /** The exit code, or the number of the signal as shells report it. */
  readonly exited: Promise<number>;

  constructor(
    box: Sandbox,
    args: readonly string[],
    { columns = 80, rows = 24, env = {}, cwd = box.dir, program, inside = false, deps }: TerminalOptions = {},
  ) {
    this.#emulator = new headless.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
    this.#emulator.loadAddon(new UnicodeGraphemesAddon());
    const place = { columns, rows, cwd, env: { ...box.env, TERM: "xterm-256color", LANG: "C.UTF-8", ...env } };
    const show = (bytes: string): void => {
      this.#raw += bytes;
      this.#emulator.write(bytes, () => {
        for (const look of [...this.#changed]) look();
      });
    };
    this.#line = inside ? insideLine(args, { ...place, deps }, show) : ptyLine(program, args, place, show);
    this.#emulator.onData((answer) => this.#line.write(answer));
    this.exited = this.#line.exited.then(
      // The last output may still be on its way through the emulator.
      (code) => new Promise((resolve) => this.#emulator.write("", () => resolve(code))),
    );
  }

  get pid(): number {
    return this.#line.pid;
  }

  /** Everything that was written, unprocessed. */
  get raw(): string {
    return this.#raw;
  }

  type(keys: string): void {
    this.#line.write(keys);
  }

  paste(text: string): void {
    this.#line.write(`\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#line.resize(columns, rows);
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.#line.pid, name);
  }

  /** Closes the window: the kernel tells the command, and nothing can be written any more. */
  hangUp(): void {
    this.#line.hangUp();
  }

  /** The rows on the screen. */
  get screen(): string[] {
    return this.#rows(this.#emulator.buffer.active.baseY);
  }

  /** The rows on the screen and in the scrollback. */
  get all(): string[] {
    return this.#rows(0);
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX: column, cursorY: row } = this.#emulator.buffer.active;
    return { row, column };
  }

  /** The cells with their colours. */
  get buffer(): headless.IBuffer {
    return this.#emulator.buffer.active;
  }

  /** Bracketed paste and other modes that must be off when a program has ended. */
  get modes(): headless.Terminal["modes"] {
    return this.#emulator.modes;
  }

  get isAlternate(): boolean {
    return this.#emulator.buffer.active.type === "alternate";
  }

  /** Waits until the screen shows it; returns the screen's rows. */
  see(wanted: Wanted): Promise<string[]> {
    return this.#until(() => this.screen, wanted);
  }

  /** Like `see`, including the scrollback. */
  seeAnywhere(wanted: Wanted): Promise<string[]> {
    return this.#until(() => this.all, wanted);
  }

  /**
   * Presses Ctrl+C until the command has left; returns its exit code. On a busy machine a press may come after its hint
   * has gone, and then counts as a first one.
   */
  async leave(): Promise<number> {
    const hint = "Press Ctrl+C again to quit.";
    for (;;) {
      const code = await Promise.race([this.exited, this.see(hint).then(() => undefined)]);
      if (code !== undefined) return code;
      this.type(KEY.ctrl("c"));
      await Promise.race([this.exited, this.see((screen) => !screen.includes(hint))]);
    }
  }

  /** Ends the command if it still runs. */
  async close(): Promise<void> {
    this.#line.end();
    await this.exited;
    this.#emulator.dispose();
  }

  #until(rows: () => string[], wanted: Wanted): Promise<string[]> {
    const isThere = (text: string): boolean => {
      if (typeof wanted === "string") return text.includes(wanted);
      return wanted instanceof RegExp ? wanted.test(text) : wanted(text);
    };
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(deadline);
        this.#changed.delete(look);
        end();
      };
      const look = (): void => {
        if (this.#isInFrame) return;
        const seen = rows();
        if (isThere(seen.join("\n"))) finish(() => resolve(seen));
      };
      const giveUp = (why: string): void => {
        const text = rows().join("\n");
        finish(() => reject(new Error(`${wanted} is not on the screen${why}:\n${text}\n---`)));
      };
      const deadline = setTimeout(giveUp, PATIENCE_MS, "");
      this.#changed.add(look);
      look();
      void this.exited.then((code) => {
        look();
        giveUp(` of the command, which ended with ${code}`);
      });
    });
  }

  /**
   * Whether the screen shows half of one frame and half of the next, which no user would see. This asks the emulator,
   * not the received bytes: it may not have drawn the last of them yet.
   */
  get #isInFrame(): boolean {
    return this.#emulator.modes.synchronizedOutputMode;
  }

  #rows(from: number): string[] {
    const { active } = this.#emulator.buffer;
    const end = active.type === "alternate" ? this.#emulator.rows : active.baseY + this.#emulator.rows;
    const lines: string[] = [];
    for (let i = from; i < end; i++) lines.push(active.getLine(i)?.translateToString(true) ?? "");
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }
}
