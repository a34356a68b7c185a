// The terminal of a command that the model started, on the whole screen: the user types into it until it ends. The top
// line shows the command and how to end it.

import type { RunningTerminal, ScreenSpan } from "@lathe/agent/tools";
import {
  type CursorPlace,
  type Focusable,
  type Key,
  keyBytes,
  type RenderContext,
  type Row,
  row,
  type Span,
  type Style,
  shorten,
  visible,
  visibleLine,
  widthOf,
} from "@lathe/tui";
import type { Machine } from "../../../platform/machine/machine.ts";
import { isTyped } from "../held-keys.ts";

/** Keys typed sooner than this after it appeared were meant for the composer. */
const REACTION_MS = 400;
const HEADER_ROWS = 1;

/** What terminals need of the screen. */
export interface TerminalPlace {
  readonly deps: Pick<Machine["deps"], "now" | "setTimer">;
  open(view: Focusable): void;
  close(): void;
  /** Called when the screen has to be drawn again. */
  onChange(): void;
  /** Handles keys that were meant for the composer. */
  handleTyped(key: Key): boolean;
}

class TerminalPanel implements Focusable {
  readonly terminal: RunningTerminal;
  readonly #place: TerminalPlace;
  readonly #since: number;
  #isEnding = false;
  cursor: CursorPlace | undefined;

  constructor(place: TerminalPlace, terminal: RunningTerminal) {
    this.#place = place;
    this.terminal = terminal;
    this.#since = place.deps.now();
    place.deps.setTimer(() => place.onChange(), REACTION_MS);
  }

  get #ignoresKeys(): boolean {
    return this.#place.deps.now() - this.#since < REACTION_MS;
  }

  render({ columns, rows }: RenderContext): readonly Row[] {
    const { screen, command } = this.terminal;
    const size = { columns, rows: Math.max(1, rows - HEADER_ROWS) };
    if (screen.size.columns !== size.columns || screen.size.rows !== size.rows) command.resize(size);
    const { row: line, column } = screen.cursor;
    this.cursor = { row: Math.min(line, size.rows - 1) + HEADER_ROWS, column: Math.min(column, columns - 1) };
    return [this.#header(columns), ...screen.rows().map((spans) => ({ spans: spans.map(spanOf) }))];
  }

  handle(key: Key): boolean {
    const { screen, command } = this.terminal;
    if (key.kind === "key" && this.#isEndKey(key.name, key.ctrl)) {
      this.#isEnding = true;
      void command.stop();
      return true;
    }
    if (this.#ignoresKeys && isTyped(key)) return this.#place.handleTyped(key);
    const bytes = keyBytes(key, screen);
    // A command that has just ended rejects the write; its end is shown anyway.
    if (bytes !== "" && command.running) void command.write(bytes).catch(() => {});
    return true;
  }

  /** Editors need Escape: if a program uses the full screen, only Ctrl+] ends it. */
  #isEndKey(name: string, ctrl: boolean): boolean {
    return (name === "]" && ctrl) || (name === "escape" && !ctrl && !this.terminal.screen.isFullScreen);
  }

  #header(columns: number): Row {
    const keys = this.terminal.screen.isFullScreen ? "ctrl+] to end it" : "esc or ctrl+] to end it";
    const hint = this.#isEnding ? "ending" : this.#ignoresKeys ? "accepts keys in a moment" : keys;
    const room = columns - widthOf(hint) - 2;
    if (room < 8) return row(shorten(hint, columns), { inverse: true });
    const command = shorten(` ${visibleLine(this.terminal.command.command)}`, room);
    const gap = " ".repeat(Math.max(1, columns - widthOf(command) - widthOf(hint) - 1));
    return row(`${command}${gap}${hint} `, { inverse: true });
  }
}

function spanOf({ text, foreground, background, bold, dim, italic, underline, inverse }: ScreenSpan): Span {
  const style: Style = {
    ...(foreground === undefined ? {} : { color: foreground }),
    ...(background === undefined ? {} : { background }),
    ...(bold ? { bold } : {}),
    ...(dim ? { dim } : {}),
    ...(italic ? { italic } : {}),
    ...(underline ? { underline } : {}),
    ...(inverse ? { inverse } : {}),
  };
  // The program has placed the characters, so spaces stay.
  return { text: visible(text), style };
}

/** Terminals that the user can type in: one is shown, the others wait. */
export class TerminalPanels {
  readonly #place: TerminalPlace;
  readonly #panels: TerminalPanel[] = [];

  constructor(place: TerminalPlace) {
    this.#place = place;
  }

  /** Returns how to hide it again. */
  show(terminal: RunningTerminal): () => void {
    const panel = new TerminalPanel(this.#place, terminal);
    this.#panels.push(panel);
    if (this.#panels[0] === panel) this.#place.open(panel);
    const stop = terminal.screen.onChange(() => {
      if (this.#panels[0] === panel) this.#place.onChange();
    });
    return () => {
      stop();
      const isShown = this.#panels[0] === panel;
      this.#panels.splice(this.#panels.indexOf(panel), 1);
      if (!isShown) return;
      const [next] = this.#panels;
      if (next) this.#place.open(new TerminalPanel(this.#place, next.terminal));
      else this.#place.close();
    };
  }
}
