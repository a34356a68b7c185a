// The live region as the terminal holds it, and the way to its next state: unchanged rows are not written again, rows
// below a change are moved by the terminal, and committed rows leave at the top in their final form.

import type { CursorPlace } from "../component.ts";
import type { Row } from "../rows/row.ts";
import type { Reflow } from "../terminal/reflow.ts";
import { type Colours, EMPTY_IMAGE, imageOf, isSameImage, isSameRow, type RowImage } from "./encode.ts";
import { differingRuns, Frame, type Place } from "./frame.ts";
import { type HeldRow, rowsAboveCursor, rowsAfterBreaking } from "./held-region.ts";

export interface NextView {
  readonly committed: readonly Row[];
  readonly live: readonly Row[];
  readonly cursor?: CursorPlace | undefined;
  readonly columns: number;
  readonly height: number;
  /** Whether the terminal shows frames as a whole, so that the moving cursor is never visible. */
  readonly isShownWhole?: boolean;
  readonly now?: number;
}

const EMPTY_HELD: HeldRow = { image: EMPTY_IMAGE, used: 0 };
/** Another resize may follow within this time. */
const UNSETTLED_MS = 2_000;
const HIDE = "\x1b[?25l";
const SHOW = "\x1b[?25h";

export class Region {
  #held: HeldRow[] = [EMPTY_HELD];
  /**
   * Empty rows at the start of the region. They keep its last row in place after the window became narrower: otherwise
   * the region would move up by the rows that broke, and further resizes would push it into the scrollback. Committed
   * text fills them.
   */
  #gap = 0;
  /** The rows that the region may take without moving its last one. */
  #room = 0;
  #cursor: Place = { row: 0, column: -1 };
  #isCursorShown = true;
  #columns = 0;
  #height = 0;
  /** The terminal may have rearranged or lost our rows since the last frame. */
  #isStale = true;
  #resizedAt = Number.NEGATIVE_INFINITY;

  readonly #colours: Colours;
  readonly #reflow: () => Reflow;

  constructor(colours: Colours, reflow: () => Reflow) {
    this.#colours = colours;
    this.#reflow = reflow;
  }

  /** Makes the next frame write every row again. */
  invalidate(): void {
    this.#isStale = true;
  }

  /** Another program has written to the terminal: the region starts anew at the cursor, wherever that is. */
  forget(): void {
    this.#held = [EMPTY_HELD];
    this.#gap = 0;
    this.#cursor = { row: 0, column: -1 };
    this.#isStale = true;
  }

  /**
   * The bytes that bring the terminal to the next view, or "" if it shows it already. `isPlain` if they are too few for
   * a partial state to be visible.
   */
  update(next: NextView): { bytes: string; isPlain: boolean } {
    const frame = this.#begin(next);
    const committed = next.committed.length;
    const needed = next.live.length || 1;
    const gap = next.live.length === 0 ? 0 : Math.max(0, Math.min(this.#gap, this.#room - needed) - committed);
    this.#closeGap(frame, this.#gap - committed - gap);
    const replaced = this.#transform(frame, this.#images(next, gap), committed, next.height);
    this.#held = replaced.slice(committed);
    this.#gap = gap;
    this.#room = gap + needed;
    return this.#finish(frame, committed + gap, next);
  }

  #begin(next: NextView): Frame {
    const frame = new Frame(next.columns, this.#cursor);
    const isResized = next.columns !== this.#columns || next.height !== this.#height;
    const { now = 0 } = next;
    if (isResized) this.#resizedAt = now;
    // Rows written one below the other are complete even if the window has become narrower meanwhile. Patches would
    // then hit other rows.
    const mayMeetOthers =
      this.#reflow().isToldLate && next.committed.length > 0 && now - this.#resizedAt < UNSETTLED_MS;
    if (this.#isStale || isResized || mayMeetOthers) {
      const region = { rows: this.#held, cursor: this.#cursor, columns: this.#columns, height: this.#height };
      const above = rowsAboveCursor(region, next.columns, next.height, this.#reflow());
      if (this.#reflow().pushesDespiteRoom && next.columns < this.#columns) {
        this.#room = rowsAfterBreaking(region, above, next.columns, this.#reflow());
        this.#gap = this.#room;
      }
      this.#room = Math.min(this.#room, next.height);
      frame.restart(Math.min(above, next.height - 1));
      this.#held = [EMPTY_HELD];
      this.#columns = next.columns;
      this.#height = next.height;
      this.#isStale = false;
    }
    return frame;
  }

  /** New live rows fill empty ones from the top. */
  #closeGap(frame: Frame, count: number): void {
    // A frame that rewrites everything has no held rows.
    if (count <= 0 || count >= this.#held.length) return;
    frame.deleteRows(0, count);
    this.#held.splice(0, count);
  }

  #images({ committed, live, columns }: NextView, gap: number): RowImage[] {
    const empty = Array.from({ length: live.length === 0 ? 1 : gap }, () => EMPTY_IMAGE.row);
    const rows = [...committed, ...empty, ...live];
    const held = this.#held;
    const shift = held.length - rows.length;
    // Most rows have not moved, counted from the top or the bottom, and need no new image.
    return rows.map((row, index) => {
      for (const at of [index, index + shift]) {
        const image = held[at]?.image;
        if (image !== undefined && image !== EMPTY_IMAGE && isSameRow(image.row, row)) return image;
      }
      return imageOf(row, columns, this.#colours);
    });
  }

  /** Patches the held rows into the wanted ones; returns those as held rows. */
  #transform(frame: Frame, wanted: readonly RowImage[], committed: number, height: number): HeldRow[] {
    const held = this.#held;
    const { countsErased } = this.#reflow();
    const top = countsErased && committed > 0 ? 0 : commonTop(held, wanted);
    const grow = wanted.length - held.length;
    // Unchanged rows at the bottom can only move as far as the screen has room for new rows above them.
    const bottom = grow === 0 ? 0 : Math.min(commonBottom(held, wanted, top), Math.max(0, height - grow));
    const result = [...held];
    const patch = (row: number): void => {
      let before = result[row] as HeldRow;
      const image = wanted[row] as RowImage;
      if (countsErased && row < committed && before.used > image.width) {
        // The row is now permanent: erased cells at its end would become empty rows if the window gets narrower.
        frame.eraseRow(row);
        before = EMPTY_HELD;
      }
      if (before.image !== image && !isSameImage(before.image, image)) frame.patch(row, before.image, image);
      const used = image.fill === "" ? image.width : frame.columns;
      result[row] = { image, used: Math.max(before.used, used) };
    };
    if (grow <= 0) {
      // The terminal moves rows that move up.
      const moved = wanted.length - bottom;
      for (let row = top; row < moved; row++) patch(row);
      if (grow < 0 && bottom > 0) frame.deleteRows(moved, -grow);
      else if (grow < 0) frame.eraseFrom(wanted.length);
      result.splice(moved, -grow);
      for (let row = moved; row < wanted.length; row++) patch(row);
      return result;
    }
    // Rows that leave the screen at the top while rows are added must be final by then, so write from the top.
    const kept = held.length - bottom;
    for (let row = top; row < kept; row++) patch(row);
    if (bottom > 0) {
      frame.appendRows(held.length - 1, grow);
      frame.insertRows(kept, grow);
      result.splice(kept, 0, ...Array.from({ length: grow }, () => EMPTY_HELD));
      for (let row = kept; row < wanted.length; row++) patch(row);
    } else {
      for (let row = kept; row < wanted.length; row++) {
        frame.appendRows(row - 1, 1);
        result.push(EMPTY_HELD);
        patch(row);
      }
    }
    return result;
  }

  /** `above` is the number of rows above the live ones, some of them committed by this frame. */
  #finish(frame: Frame, above: number, next: NextView): { bytes: string; isPlain: boolean } {
    const { cursor, isShownWhole } = next;
    const isPlain = frame.isSmall;
    const isAstray = !isPlain && !isShownWhole;
    if (cursor !== undefined) {
      const place = { row: cursor.row + above, column: Math.min(cursor.column, frame.columns - 1) };
      const isThere = place.row === this.#cursor.row && place.column === this.#cursor.column;
      if (isThere && !frame.movesRows) frame.returnTo(place);
      else frame.moveTo(place.row, place.column);
    } else if (frame.place.column < 0) frame.moveTo(frame.place.row, 0);
    this.#cursor = { row: frame.place.row - next.committed.length, column: frame.place.column };
    const isShown = cursor !== undefined;
    let bytes = frame.bytes;
    // Show the cursor only at its final place, not where text is being written.
    if (this.#isCursorShown && (!isShown || isAstray)) bytes = HIDE + bytes;
    if (isShown && (!this.#isCursorShown || isAstray)) bytes += SHOW;
    this.#isCursorShown = isShown;
    return { bytes, isPlain };
  }
}

function commonTop(held: readonly HeldRow[], wanted: readonly RowImage[]): number {
  const limit = Math.min(held.length, wanted.length);
  let top = 0;
  while (top < limit && isKept(held[top] as HeldRow, wanted[top] as RowImage)) top++;
  return top;
}

/** Rows at the bottom that are worth moving: equal, or nearly so (a clock in a status line). */
function commonBottom(held: readonly HeldRow[], wanted: readonly RowImage[], top: number): number {
  const limit = Math.min(held.length, wanted.length) - top;
  let bottom = 0;
  while (bottom < limit) {
    const before = held[held.length - 1 - bottom] as HeldRow;
    const after = wanted[wanted.length - 1 - bottom] as RowImage;
    if (!isKept(before, after) && !isAlike(before.image, after)) break;
    bottom++;
  }
  return bottom;
}

const isKept = ({ image }: HeldRow, wanted: RowImage): boolean => isSameImage(image, wanted);

function isAlike(before: RowImage, after: RowImage): boolean {
  if (before.width === 0 || before.isUncertain || after.isUncertain || before.fill !== after.fill) return false;
  const changed = differingRuns(before, after).reduce((sum, [from, to]) => sum + to - from, 0);
  return changed * 2 < after.cells.length;
}
