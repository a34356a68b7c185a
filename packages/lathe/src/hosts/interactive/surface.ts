// The terminal and the screen painted on it: its size, its colours, whether it draws pictures, and who has it now.

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
 * Node delivers the SIGINT of a Ctrl+C that ended another program from a thread, which a busy machine may delay until
 * after that program's end. In raw mode no key makes a signal, so a signal this soon is a late one.
 */
const LATE_INTERRUPT_MS = 3_000;

type SurfaceColours = Pick<Theme, "sgr" | "symbols">;

export interface SurfaceParts {
  /** Renders the rows below the scrollback. */
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

  /** Whether the terminal's window has the focus, if the terminal reports it. */
  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** Resolves when another program returns the terminal; undefined if none has had it recently. */
  get lent(): Promise<void> | undefined {
    return this.#lent;
  }

  context(): RenderContext {
    const { columns, rows } = this.terminal;
    return { columns, rows, symbols: this.#colours.symbols, ...this.#traits, now: this.#now() };
  }

  /** Paints the screen for the first time. */
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

  /** Restores the terminal, with these rows in place of the live region. */
  stop(rows: readonly Row[] = []): void {
    this.screen.end(rows);
    this.terminal.stop();
  }

  /** Paints in other colours from here on. */
  restyle(colours: SurfaceColours): void {
    this.#colours = colours;
    this.screen.restyle();
  }

  /** Whether to draw pictures, if the terminal can. */
  showPictures(isWanted: boolean): void {
    this.#showsPictures = isWanted;
  }

  /** Gives the terminal to another program while `work` runs. */
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

  /** Ctrl+Z: the shell has the terminal until it resumes us. */
  suspend(): void {
    suspendToShell({ process, terminal: this.terminal, screen: this.screen });
  }

  get #traits(): Pick<RenderContext, "links" | "pictures"> {
    const { links, pictures } = this.terminal;
    return { links, ...(this.#showsPictures ? { pictures: pictures.protocol } : {}) };
  }
}
