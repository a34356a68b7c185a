// The screen of a command's terminal: an emulator processes the command's output, so that a full-screen program reads
// as the screen a user would see, and a prompt as its line.

import { missingPackage } from "../../base/optional-package.ts";
import { EnvError, type TerminalCommand, type TerminalSize } from "../../world/env/types.ts";

/** A run of characters with the same style. Colours: a palette index, `#rrggbb`, or none for the terminal's default. */
export interface ScreenSpan {
  readonly text: string;
  readonly foreground?: number | string | undefined;
  readonly background?: number | string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

/** A command in a terminal, with its screen. */
export interface RunningTerminal {
  readonly command: TerminalCommand;
  readonly screen: TerminalScreen;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /**
     * Shows the user the terminal of a command, to type in; absent if no user is present. Returns a function that
     * removes it.
     */
    readonly showTerminal?: (terminal: RunningTerminal) => () => void;
    /** The size at which it would be shown. */
    readonly terminalSize?: () => TerminalSize;
  }
}

type Emulator = import("@xterm/headless").Terminal;
type Cell = NonNullable<ReturnType<NonNullable<ReturnType<Emulator["buffer"]["active"]["getLine"]>>["getCell"]>>;

const SCROLLBACK = 10_000;

/** The screen of a terminal that a command prints to. */
export class TerminalScreen {
  readonly #emulator: Emulator;
  readonly #listeners = new Set<() => void>();
  #reply: (text: string) => void = () => {};

  private constructor(emulator: Emulator) {
    this.#emulator = emulator;
    // Programs ask the terminal what it is and where its cursor is.
    emulator.onData((text) => this.#reply(text));
  }

  static async open({ columns, rows }: TerminalSize): Promise<TerminalScreen> {
    const loaded = await import("@xterm/headless").catch((cause: unknown) => {
      throw new EnvError("unavailable", missingPackage("Terminals", "@xterm/headless"), { cause });
    });
    // Node exports the package as a default, a bundle by its names.
    const { Terminal } = (loaded.default ?? loaded) as typeof loaded;
    return new TerminalScreen(new Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true }));
  }

  /** Sets where the terminal's own answers go. */
  repliesTo(reply: (text: string) => void): void {
    this.#reply = reply;
  }

  print(chunk: string): void {
    this.#emulator.write(chunk, () => {
      for (const changed of this.#listeners) changed();
    });
  }

  /** Resolves when everything printed so far is on the screen. */
  whenSettled(): Promise<void> {
    return new Promise((resolve) => this.#emulator.write("", resolve));
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#emulator.resize(Math.max(2, columns), Math.max(1, rows));
    for (const changed of this.#listeners) changed();
  }

  get size(): TerminalSize {
    return { columns: this.#emulator.cols, rows: this.#emulator.rows };
  }

  /** A full-screen program has taken over the screen. */
  get isFullScreen(): boolean {
    return this.#emulator.buffer.active.type === "alternate";
  }

  /** The program has switched the arrow keys to application mode. */
  get applicationCursorKeys(): boolean {
    return this.#emulator.modes.applicationCursorKeysMode;
  }

  get bracketedPaste(): boolean {
    return this.#emulator.modes.bracketedPasteMode;
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorY, cursorX } = this.#emulator.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** Everything printed so far, as lines; for a full-screen program, its current screen. */
  text(): string {
    const { active } = this.#emulator.buffer;
    const lines: string[] = [];
    for (let y = this.isFullScreen ? active.baseY : 0; y < active.length; y += 1) {
      const line = active.getLine(y);
      const shown = line?.translateToString(true) ?? "";
      if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? "") + shown);
      else lines.push(shown);
    }
    return lines.join("\n").replace(/\s+$/, "");
  }

  /** The rows of the screen, from the top. */
  rows(): ScreenSpan[][] {
    const { active } = this.#emulator.buffer;
    return Array.from({ length: this.#emulator.rows }, (_, y) => {
      const line = active.getLine(active.baseY + y);
      const spans: ScreenSpan[] = [];
      for (let x = 0; line && x < this.#emulator.cols; x += 1) {
        const cell = line.getCell(x);
        if (!cell || cell.getWidth() === 0) continue;
        const look = lookOf(cell);
        const text = cell.getChars() === "" ? " " : cell.getChars();
        const last = spans.at(-1);
        if (last && sameLook(last, look)) spans[spans.length - 1] = { ...last, text: last.text + text };
        else spans.push({ text, ...look });
      }
      return spans;
    });
  }

  close(): void {
    this.#emulator.dispose();
  }
}

type Look = Omit<ScreenSpan, "text">;

function lookOf(cell: Cell): Look {
  const colour = (isDefault: boolean, isRgb: boolean, value: number): number | string | undefined =>
    isDefault ? undefined : isRgb ? `#${value.toString(16).padStart(6, "0")}` : value;
  return {
    foreground: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
  };
}

const LOOKS = ["foreground", "background", "bold", "dim", "italic", "underline", "inverse"] as const;

const sameLook = (a: Look, b: Look): boolean => LOOKS.every((key) => a[key] === b[key]);
