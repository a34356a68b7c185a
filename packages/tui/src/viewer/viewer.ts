// A full-screen pager over rows: scrolls, searches, copies. Rows are made for the current width, and only as far as the
// user has scrolled, so a body that makes its rows one by one may be of any length.

import type { CursorPlace, Focusable, RenderContext } from "../component.ts";
import type { Key, KeyPress } from "../keys/key.ts";
import type { Row } from "../rows/row.ts";
import { visibleLine } from "../rows/visible.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { EMPTY_ROW, row, rowText } from "../rows/wrap.ts";
import { matchesIn, patternOf, withMarks } from "./search.ts";

export interface ViewerEvents {
  close(): void;
  copy(text: string): void;
  /**
   * Folds or unfolds the body's content; the viewer then asks it for rows again. Absent if there is nothing to unfold.
   */
  toggle?(): void;
}

/** The title above and the hints below. */
const FRAME_ROWS = 2;

export class Viewer implements Focusable {
  readonly #title: string;
  readonly #body: (columns: number) => Iterable<Row>;
  readonly #on: ViewerEvents;
  /** The rows made so far. */
  #rows: Row[] = [];
  /** The remaining rows; undefined if all are made. */
  #rest: Iterator<Row> | undefined;
  #columns = 0;
  #height = 1;
  #top = 0;
  /** The search text while it is being typed after `/`. */
  #asked: string | undefined;
  #pattern: RegExp | undefined;
  /** The row of the body with the current match. */
  #found = -1;
  #notice = "";
  #cursor: CursorPlace | undefined;

  constructor(title: string, body: (columns: number) => Iterable<Row>, on: ViewerEvents) {
    this.#title = visibleLine(title);
    this.#body = body;
    this.#on = on;
  }

  get cursor(): CursorPlace | undefined {
    return this.#cursor;
  }

  /** Call when the body has changed; keeps the scroll position. */
  refresh(): void {
    this.#columns = 0;
  }

  render(context: RenderContext): readonly Row[] {
    const { columns } = context;
    if (columns !== this.#columns) {
      // Another width has other rows: keep about the same part visible.
      const before = this.#columns;
      const known = this.#rows.length;
      const share = known === 0 || this.#rest ? undefined : this.#top / known;
      this.#columns = columns;
      const body = this.#body(columns);
      // An array costs nothing more to show in full.
      this.#rows = Array.isArray(body) ? body : [];
      this.#rest = Array.isArray(body) ? undefined : body[Symbol.iterator]();
      if (before !== 0 && share !== undefined) {
        this.#make(Number.POSITIVE_INFINITY);
        this.#top = Math.round(share * this.#rows.length);
      } else if (before !== 0) this.#top = Math.round((this.#top * before) / columns);
      this.#found = -1;
    }
    this.#height = Math.max(1, context.rows - FRAME_ROWS);
    this.#scrollTo(this.#top);
    const body = Array.from({ length: this.#height }, (_, index) => this.#bodyRow(this.#top + index));
    return [this.#titleRow(columns), ...body, this.#bottomRow(columns, context.rows)].slice(0, context.rows);
  }

  handle(key: Key): boolean {
    if (key.kind === "paste" && this.#asked !== undefined) this.#asked += visibleLine(key.text);
    if (key.kind !== "key") return key.kind === "paste";
    this.#notice = "";
    if (this.#asked !== undefined) this.#ask(key, this.#asked);
    else this.#command(key);
    return true;
  }

  #command(key: KeyPress): void {
    const name = key.ctrl ? `ctrl+${key.name}` : (key.text ?? key.name);
    const page = Math.max(1, this.#height - 1);
    const moves: Record<string, number> = {
      up: -1,
      k: -1,
      down: 1,
      j: 1,
      enter: 1,
      pageUp: -page,
      b: -page,
      "ctrl+b": -page,
      pageDown: page,
      f: page,
      " ": page,
      "ctrl+f": page,
      "ctrl+u": -Math.ceil(page / 2),
      "ctrl+d": Math.ceil(page / 2),
      home: Number.NEGATIVE_INFINITY,
      g: Number.NEGATIVE_INFINITY,
      end: Number.POSITIVE_INFINITY,
      G: Number.POSITIVE_INFINITY,
    };
    const move = moves[name];
    if (move !== undefined) this.#scrollTo(this.#top + move);
    else if (name === "/") this.#asked = "";
    else if (name === "n") this.#next(1);
    else if (name === "N") this.#next(-1);
    else if (name === "y") this.#copy();
    else if (name === "e" && this.#on.toggle !== undefined) {
      this.#on.toggle();
      this.refresh();
    } else if (name === "q" || name === "escape" || name === "ctrl+c") this.#on.close();
  }

  #ask(key: KeyPress, asked: string): void {
    if (key.name === "escape" || (key.ctrl && key.name === "c")) this.#asked = undefined;
    else if (key.name === "enter") {
      this.#asked = undefined;
      this.#pattern = asked === "" ? this.#pattern : patternOf(asked);
      this.#found = -1;
      this.#next(1);
    } else if (key.name === "backspace")
      this.#asked = asked === "" ? undefined : Array.from(asked).slice(0, -1).join("");
    else if (key.text !== undefined) this.#asked = asked + key.text;
  }

  /** Moves to the next row with a match, from the current match or the top of the view; wraps around. */
  #next(step: 1 | -1): void {
    if (this.#pattern === undefined) return;
    // Going backwards from the first row needs the last one.
    if (step < 0) this.#make(Number.POSITIVE_INFINITY);
    const from = this.#found >= 0 ? this.#found + step : this.#top;
    for (let tried = 0; tried < Math.max(1, this.#rows.length); tried++) {
      if (step > 0) this.#make(from + tried + 2);
      const count = this.#rows.length;
      if (count === 0) break;
      const at = (((from + tried * step) % count) + count) % count;
      if (matchesIn(rowText(this.#rows[at] as Row), this.#pattern).length === 0) continue;
      this.#found = at;
      if (at < this.#top || at >= this.#top + this.#height) this.#scrollTo(at - Math.floor(this.#height / 3));
      return;
    }
    this.#notice = "not found";
  }

  #copy(): void {
    this.#make(Number.POSITIVE_INFINITY);
    this.#on.copy(`${this.#rows.map((one) => rowText(one).trimEnd()).join("\n")}\n`);
    this.#notice = "copied";
  }

  /** Makes at least this many rows, if there are that many. */
  #make(count: number): void {
    while (this.#rest && this.#rows.length < count) {
      const next = this.#rest.next();
      if (next.done) this.#rest = undefined;
      else this.#rows.push(next.value);
    }
  }

  #scrollTo(top: number): void {
    // One row more than the view tells whether there are more.
    this.#make(top + this.#height + 1);
    this.#top = Math.max(0, Math.min(top, this.#rows.length - this.#height));
  }

  #bodyRow(index: number): Row {
    const one = this.#rows[index];
    if (one === undefined) return EMPTY_ROW;
    return this.#pattern === undefined ? one : withMarks(one, this.#pattern, index === this.#found);
  }

  #titleRow(columns: number): Row {
    const last = Math.min(this.#rows.length, this.#top + this.#height);
    const place =
      this.#rows.length <= this.#height ? "" : `${this.#top + 1}-${last} of ${this.#rest ? "many" : this.#rows.length}`;
    const title = shorten(this.#title, Math.max(0, columns - widthOf(place) - 1));
    const gap = " ".repeat(Math.max(0, columns - widthOf(title) - widthOf(place)));
    return { spans: [{ text: title, style: { bold: true } }, { text: gap }, { text: place, style: { dim: true } }] };
  }

  #bottomRow(columns: number, rows: number): Row {
    if (this.#asked !== undefined) {
      const text = shorten(`/${this.#asked}`, Math.max(1, columns - 1));
      this.#cursor = { row: rows - 1, column: widthOf(text) };
      return row(text);
    }
    this.#cursor = undefined;
    const toggle = this.#on.toggle === undefined ? "" : " · e fold";
    const search = this.#pattern === undefined ? "/ search" : "n N next, previous";
    const notice = this.#notice === "" ? "" : `${this.#notice} · `;
    return row(shorten(`${notice}q close · ↑ ↓ space b scroll · ${search} · y copy${toggle}`, columns), { dim: true });
  }
}
