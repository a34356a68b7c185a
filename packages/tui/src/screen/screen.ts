// The screen: committed rows move up into the terminal's scrollback once; the live region below them is repainted by
// difference. This decides when a frame is due; the region decides what it writes.

import type { CursorPlace, Focusable, RenderContext } from "../component.ts";
import type { DrawnPicture } from "../picture/draw.ts";
import type { CellArea } from "../picture/size.ts";
import type { Row } from "../rows/row.ts";
import { EMPTY_ROW, rowWidth, wrap } from "../rows/wrap.ts";
import { REFLOW_USUAL, type Reflow } from "../terminal/reflow.ts";
import type { TerminalOutput } from "../terminal/terminal.ts";
import type { Symbols } from "../theme/symbols.ts";
import type { Colours } from "./encode.ts";
import { FullScreen } from "./full-screen.ts";
import { Region } from "./region.ts";

export interface LiveView {
  /** The region's rows from the top. If the terminal has fewer rows, it shows the last ones. */
  readonly rows: readonly Row[];
  /** If absent, the cursor is hidden. */
  readonly cursor?: CursorPlace | undefined;
}

export interface ScreenClock {
  now(): number;
  setTimeout(call: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface ScreenParts {
  readonly output: TerminalOutput;
  readonly colours: Colours;
  readonly clock: ScreenClock;
  /**
   * `isEcho` if only the result of a key press is needed. The rest may stay as in the last frame, since another frame
   * is due.
   */
  readonly live: (context: RenderContext, isEcho: boolean) => LiveView;
  readonly symbols: () => Symbols;
  /**
   * Wraps frames in synchronized-output marks, so that the terminal shows them as a whole. Default true: terminals
   * ignore marks they do not know.
   */
  readonly sync?: boolean;
  /**
   * Whether the terminal supports these marks, so that the cursor need not be hidden during a frame. `undefined` until
   * it has answered.
   */
  readonly knowsSync?: () => boolean | undefined;
  /** How the terminal reflows rows when its width changes; called at every change. */
  readonly reflow?: () => Reflow;
  /** Draws the pictures of committed rows; returns undefined for one that cannot be drawn. */
  readonly draw?: (file: Uint8Array, most: CellArea) => DrawnPicture | undefined;
}

/** Minimum time between frames, except for `paint`. */
const FRAME_MS = 85;
/** Most rows of a picture. */
const PICTURE_ROWS = 20;
const TOP_LEFT: CursorPlace = { row: 0, column: 0 };
const SYNC_BEGIN = "\x1b[?2026h";
const SYNC_END = "\x1b[?2026l";

export class Screen {
  readonly #parts: ScreenParts;
  readonly #region: Region;
  #pending: Row[] = [];
  #fullScreen: FullScreen | undefined;
  #timer: unknown;
  /** When the timer will fire. */
  #due = 0;
  #lastFrame = Number.NEGATIVE_INFINITY;
  #isPaused = false;
  #isEnded = false;
  #waitsForOutput = false;
  /** What to draw once the size is confirmed: everything, or only the result of a key press. */
  #awaitsSize: "all" | "echo" | undefined;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#region = new Region(parts.colours, parts.reflow ?? (() => REFLOW_USUAL));
  }

  /** Moves rows to the scrollback above the live region with the next frame; they never change again. */
  commit(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#pending.push(...rows);
    this.requestFrame();
  }

  /**
   * Requests a frame after a live change. `patienceMs` is for changes that can wait, such as a spinner; an earlier
   * frame includes them.
   */
  requestFrame(patienceMs = 0): void {
    if (this.#isPaused || this.#isEnded) return;
    const { clock } = this.#parts;
    const due = Math.max(clock.now(), this.#lastFrame + FRAME_MS) + patienceMs;
    if (this.#timer !== undefined && this.#due <= due) return;
    this.#cancelTimer();
    this.#due = due;
    this.#timer = clock.setTimeout(() => this.paint(), due - clock.now());
  }

  /** Draws now, after a key. */
  paint(): void {
    this.#cancelTimer();
    if (this.#isPaused || this.#isEnded) return;
    const { output } = this.#parts;
    if (output.isBlocked === true) {
      if (this.#waitsForOutput) return;
      this.#waitsForOutput = true;
      output.onceUnblocked?.(() => {
        this.#waitsForOutput = false;
        this.paint();
      });
      return;
    }
    this.#draw("all");
  }

  /** Draws the result of a key press now. A pending frame stays pending: keys neither wait for it nor delay it. */
  echo(): void {
    if (this.#timer === undefined || this.#fullScreen !== undefined) this.paint();
    else if (this.#parts.output.isBlocked !== true) this.#draw("echo");
  }

  /** The terminal has a new size: redraws the live region soon. */
  handleResize(): void {
    this.#region.invalidate();
    this.#fullScreen?.invalidate();
    this.requestFrame();
  }

  /** Colours or symbols have changed: rewrites every live row. Committed rows stay as they are. */
  restyle(): void {
    this.#region.invalidate();
    this.#fullScreen?.invalidate();
    this.requestFrame();
  }

  /** Another program gets the terminal: the live region disappears until `resume`. */
  pause(): void {
    if (this.#isPaused || this.#isEnded) return;
    this.closeFullScreen();
    this.#clearLive([]);
    this.#isPaused = true;
    this.#awaitsSize = undefined;
    this.#cancelTimer();
  }

  /** The live region starts anew at the cursor. */
  resume(): void {
    if (!this.#isPaused || this.#isEnded) return;
    this.#isPaused = false;
    this.#region.forget();
    this.paint();
  }

  /** Gives the whole terminal to the view; commits wait until it closes. */
  openFullScreen(view: Focusable): void {
    if (this.#isPaused || this.#isEnded) return;
    if (this.#fullScreen === undefined) {
      // Without live rows, a resize can leave nothing behind on the normal screen.
      const erased = this.#eraseLive();
      this.#fullScreen = new FullScreen(view, this.#parts.colours);
      this.#write({ bytes: erased + this.#fullScreen.open(), isPlain: false });
    } else {
      this.#fullScreen.show(view);
    }
    this.paint();
  }

  closeFullScreen(): void {
    if (this.#fullScreen === undefined) return;
    this.#write({ bytes: this.#fullScreen.close(), isPlain: true });
    this.#fullScreen = undefined;
    this.#region.forget();
    this.paint();
  }

  /** Removes the live region, or replaces it by permanent rows. The cursor ends up below. */
  end(rows: readonly Row[] = []): void {
    if (this.#isEnded) return;
    this.closeFullScreen();
    if (!this.#isPaused) this.#clearLive(rows);
    this.#cancelTimer();
    this.#isEnded = true;
  }

  #context(): RenderContext {
    const { output, clock, symbols } = this.#parts;
    return { columns: output.columns, rows: output.rows, symbols: symbols(), now: clock.now() };
  }

  #draw(what: "all" | "echo"): void {
    const isAwaited = this.#awaitsSize !== undefined;
    if (this.#awaitsSize !== "all") this.#awaitsSize = what;
    if (isAwaited) return;
    const { output } = this.#parts;
    if (output.confirmSize === undefined) this.#drawSized();
    else output.confirmSize(() => this.#drawSized());
  }

  #drawSized(): void {
    const isEcho = this.#awaitsSize === "echo" && this.#fullScreen === undefined;
    this.#awaitsSize = undefined;
    if (this.#isPaused || this.#isEnded) return;
    if (!isEcho) {
      this.#cancelTimer();
      this.#lastFrame = this.#parts.clock.now();
    }
    if (this.#fullScreen !== undefined) this.#write(this.#fullScreen.update(this.#context()));
    else this.#paintLive(isEcho);
  }

  #paintLive(isEcho: boolean): void {
    const context = this.#context();
    const view = this.#parts.live(context, isEcho);
    const hidden = Math.max(0, view.rows.length - context.rows);
    const cursor =
      view.cursor === undefined || view.cursor.row < hidden
        ? undefined
        : { ...view.cursor, row: view.cursor.row - hidden };
    this.#update(hidden === 0 ? view.rows : view.rows.slice(hidden), cursor, context);
  }

  /** Removes the live rows and writes pending commits. */
  #clearLive(rows: readonly Row[]): void {
    this.#pending.push(...rows);
    this.#update([], TOP_LEFT, this.#context());
  }

  #update(live: readonly Row[], cursor: CursorPlace | undefined, { columns, rows: height, now }: RenderContext): void {
    const isShownWhole = this.#sync && this.#parts.knowsSync?.() === true;
    let drawn = "";
    let committed: Row[] = [];
    for (const row of this.#pending) {
      committed.push(...fitRow(row, columns));
      const picture = this.#drawPicture(row, columns, height);
      if (picture === undefined) continue;
      // With no live rows below, the whole picture is on the screen and the cursor is in the row below it.
      committed.push(...Array.from({ length: picture.area.rows }, () => EMPTY_ROW));
      drawn += this.#region.update({ committed, live: [], cursor: TOP_LEFT, columns, height }).bytes;
      drawn += pictureAbove(picture);
      committed = [];
    }
    this.#pending = [];
    const { bytes, isPlain } = this.#region.update({ committed, live, cursor, columns, height, isShownWhole, now });
    this.#write({ bytes: drawn + bytes, isPlain: isPlain && drawn === "" });
  }

  #drawPicture({ picture }: Row, columns: number, height: number): DrawnPicture | undefined {
    if (picture === undefined) return undefined;
    return this.#parts.draw?.(picture, { columns, rows: Math.min(PICTURE_ROWS, height - 1) });
  }

  #eraseLive(): string {
    const { columns, rows: height } = this.#context();
    return this.#region.update({ committed: [], live: [], cursor: TOP_LEFT, columns, height }).bytes;
  }

  #write({ bytes, isPlain }: { bytes: string; isPlain: boolean }): void {
    if (bytes === "") return;
    this.#parts.output.write(isPlain || !this.#sync ? bytes : SYNC_BEGIN + bytes + SYNC_END);
  }

  get #sync(): boolean {
    return this.#parts.sync !== false && this.#parts.knowsSync?.() !== false;
  }

  #cancelTimer(): void {
    if (this.#timer === undefined) return;
    this.#parts.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Terminals leave the cursor in different places after a picture, so save and restore it. */
const pictureAbove = ({ area, bytes }: DrawnPicture): string => `\x1b7\x1b[${area.rows}A\r${bytes}\x1b8`;

/** Committed rows may be wider than the terminal is now; wrap them instead of cutting. */
const fitRow = (row: Row, columns: number): readonly Row[] =>
  rowWidth(row) <= columns
    ? [row]
    : wrap(row.spans, columns, { anywhere: true, ...(row.fill === undefined ? {} : { fill: row.fill }) });
