// The terminal and the screen that is painted on it: its size, its colours, whether it draws pictures, and who has it now.

import {
  asciiSigns,
  BUILTIN_THEMES,
  colourMode,
  drawPicture,
  type Key,
  type LiveView,
  ProcessTerminal,
  type RenderContext,
  type Row,
  Screen,
  suspendToShell,
  type TerminalReply,
  Theme,
} from "@lathe/tui";
import type { Machine } from "../../platform/machine/machine.ts";

/**
 * Node delivers the signal of the Ctrl+C that ended another program from a thread, which a busy machine may hold up until after that
 * program's end. In raw mode no key makes a signal, so one that comes this soon is that one.
 */
const LATE_INTERRUPT_MS = 3_000;

type SurfaceColours = Pick<Theme, "sgr" | "symbols">;

export interface SurfaceParts {
  /** The rows below the scrollback. */
  render(context: RenderContext, isEcho: boolean): LiveView;
  onKey(key: Key): void;
  onReply(reply: TerminalReply): void;
}

export class Surface {
  readonly terminal: ProcessTerminal;
  readonly screen: Screen;
  readonly #parts: SurfaceParts;
  readonly #now: () => number;
  #colours: SurfaceColours;
  #showsPictures = true;
  #hasFocus = true;
  #lent: Promise<void> | undefined;

  constructor({ deps, env, stdin, terminal }: Machine, parts: SurfaceParts) {
    this.#parts = parts;
    this.#now = deps.now;
    const [dark] = BUILTIN_THEMES;
    if (!dark) throw new Error("there is no theme");
    this.#colours = new Theme(dark, colourMode(env));
    this.terminal = new ProcessTerminal({ input: stdin, output: terminal, env });
    this.screen = new Screen({
      output: this.terminal,
      colours: {
        sgr: (style) => this.#colours.sgr(style),
        signs: (text) => asciiSigns(text, this.#colours.symbols),
      },
      symbols: () => this.#colours.symbols,
      clock: {
        now: deps.now,
        setTimeout: deps.setTimer,
        clearTimeout: (timer) => (timer as { cancel(): void }).cancel(),
      },
      live: (context, isEcho) => parts.render({ ...context, ...this.#traits }, isEcho),
      reflow: () => this.terminal.reflow,
      knowsSync: () => this.terminal.knowsSync,
      sync: (env["LATHE_NO_SYNC_OUTPUT"] ?? "0") === "0",
      draw: (file, most) => (this.#showsPictures ? drawPicture(file, this.terminal.pictures, most) : undefined),
    });
  }

  /** Whether the terminal's window has the focus, as far as the terminal says so. */
  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** Settles when another program gives the terminal back; undefined when none has had it lately. */
  get lent(): Promise<void> | undefined {
    return this.#lent;
  }

  context(): RenderContext {
    const { columns, rows } = this.terminal;
    return { columns, rows, symbols: this.#colours.symbols, ...this.#traits, now: this.#now() };
  }

  /** The first paint. */
  start(): void {
    this.terminal.start({
      onKey: (key) => {
        if (key.kind === "focus") this.#hasFocus = key.focused;
        this.#parts.onKey(key);
      },
      onReply: (reply) => this.#parts.onReply(reply),
      onResize: () => this.screen.handleResize(),
    });
    this.screen.paint();
  }

  /** Leaves the terminal as it was before, with these rows in the place of the live region. */
  stop(rows: readonly Row[] = []): void {
    this.screen.end(rows);
    this.terminal.stop();
  }

  /** Paints in other colours from here on. */
  restyle(colours: SurfaceColours): void {
    this.#colours = colours;
    this.screen.restyle();
  }

  /** Whether pictures are drawn, if the terminal can. */
  showPictures(isWanted: boolean): void {
    this.#showsPictures = isWanted;
  }

  /** Another program has the terminal while the work is done. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.screen.pause();
    this.terminal.suspend();
    let giveBack = (): void => {};
    const lent = new Promise<void>((resolve) => {
      giveBack = resolve;
    });
    this.#lent = lent;
    try {
      return await work();
    } finally {
      this.terminal.resume();
      this.screen.resume();
      giveBack();
      setTimeout(() => {
        if (this.#lent === lent) this.#lent = undefined;
      }, LATE_INTERRUPT_MS).unref();
    }
  }

  /** Ctrl+Z: the shell has the terminal until it brings us back. */
  suspend(): void {
    suspendToShell({ process, terminal: this.terminal, screen: this.screen });
  }

  get #traits(): Pick<RenderContext, "links" | "pictures"> {
    const { links, pictures } = this.terminal;
    return { links, ...(this.#showsPictures ? { pictures: pictures.protocol } : {}) };
  }
}
