// Views that take the whole screen for a while: pages to scroll, and terminals of commands to type in.

import type { RunningTerminal } from "@lathe/agent/tools";
import type { TerminalSize } from "@lathe/agent/world";
import { type Editor, type Focusable, type Row, visible, wrap } from "@lathe/tui";
import type { Machine } from "../../platform/machine/machine.ts";
import type { TerminalPanels } from "./panels/terminal-panel.ts";
import type { Surface } from "./surface.ts";

export interface FullScreenParts {
  readonly deps: Machine["deps"];
  readonly surface: Surface;
  /** Takes what was typed before a terminal was shown. */
  readonly editor: Editor;
}

export class FullScreens {
  readonly #parts: FullScreenParts;
  #shown: Focusable | undefined;
  #terminals: TerminalPanels | undefined;

  constructor(parts: FullScreenParts) {
    this.#parts = parts;
  }

  /** The view that has the screen and the keys. */
  get shown(): Focusable | undefined {
    return this.#shown;
  }

  open(view: Focusable): void {
    this.#shown = view;
    this.#parts.surface.screen.openFullScreen(view);
  }

  close(): void {
    this.#shown = undefined;
    this.#parts.surface.screen.closeFullScreen();
  }

  /** Shows rows that may not fit the screen, with scrolling, search and copying. */
  view(title: string, body: (columns: number) => Iterable<Row>): void {
    const { terminal } = this.#parts.surface;
    const events = { close: () => this.close(), copy: (text: string) => terminal.copy(text) };
    void import("./panels/viewer.ts").then(({ Viewer }) => this.open(new Viewer(title, body, events)));
  }

  page(title: string, text: string): void {
    this.view(title, (columns) => wrap([{ text: visible(text) }], columns));
  }

  pageDiff(title: string, diff: string): void {
    void import("./panels/diff-page.ts").then(({ diffPage }) => this.view(title, diffPage(diff)));
  }

  /** Returns how to hide it again. */
  showTerminal(terminal: RunningTerminal): () => void {
    const { deps, surface, editor } = this.#parts;
    const shown = import("./panels/terminal-panel.ts").then(({ TerminalPanels }) => {
      this.#terminals ??= new TerminalPanels({
        deps,
        open: (view) => this.open(view),
        close: () => this.close(),
        onChange: () => surface.screen.requestFrame(),
        handleTyped: (key) => editor.handle(key),
      });
      return this.#terminals.show(terminal);
    });
    return () => void shown.then((hide) => hide());
  }

  terminalSize(): TerminalSize {
    const { columns, rows } = this.#parts.surface.context();
    return { columns, rows: Math.max(1, rows - 1) };
  }
}
