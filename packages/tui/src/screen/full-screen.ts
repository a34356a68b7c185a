// A view over the whole terminal, on the alternate screen: the previous screen and its scrollback come back when it
// closes.

import type { Focusable, RenderContext } from "../component.ts";
import type { Row } from "../rows/row.ts";
import { type Colours, EMPTY_IMAGE, imageOf, isSameImage, type RowImage } from "./encode.ts";
import { Frame } from "./frame.ts";

const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?1049l\x1b[?25h";

export class FullScreen {
  #view: Focusable;
  readonly #colours: Colours;
  #held: RowImage[] = [];
  #isCursorShown = false;
  #columns = 0;
  #isStale = true;

  constructor(view: Focusable, colours: Colours) {
    this.#view = view;
    this.#colours = colours;
  }

  open(): string {
    return ENTER;
  }

  close(): string {
    return LEAVE;
  }

  show(view: Focusable): void {
    this.#view = view;
  }

  invalidate(): void {
    this.#isStale = true;
  }

  update(context: RenderContext): { bytes: string; isPlain: boolean } {
    const rows = this.#view.render(context).slice(0, context.rows);
    const known = new Map(this.#held.map((image) => [image.row, image]));
    const isSameSize = this.#columns === context.columns && this.#held.length === context.rows && !this.#isStale;
    const wanted = Array.from({ length: context.rows }, (_, index) => {
      const row: Row = rows[index] ?? EMPTY_IMAGE.row;
      return (isSameSize ? known.get(row) : undefined) ?? imageOf(row, context.columns, this.#colours);
    });
    const before = isSameSize ? this.#held : wanted.map(() => EMPTY_IMAGE);
    // Every frame starts at the top left, the only certain position.
    const frame = new Frame(context.columns, { row: 0, column: 0 });
    for (const [row, image] of wanted.entries()) {
      const old = before[row] as RowImage;
      if (old !== image && !isSameImage(old, image)) frame.patch(row, old, image);
    }
    this.#held = wanted;
    this.#columns = context.columns;
    const bytes = this.#frameBytes(frame, isSameSize);
    this.#isStale = false;
    return { bytes, isPlain: frame.isSmall && isSameSize };
  }

  #frameBytes(frame: Frame, isSameSize: boolean): string {
    const cursor = this.#view.cursor;
    const place = cursor === undefined ? "" : `\x1b[${cursor.row + 1};${cursor.column + 1}H`;
    if (isSameSize && frame.bytes === "" && place === this.#cursorPlace) return "";
    const painted = isSameSize ? (frame.bytes === "" ? "" : `\x1b[H${frame.bytes}`) : `\x1b[H\x1b[J${frame.bytes}`;
    const hide = this.#isCursorShown && painted !== "" ? "\x1b[?25l" : "";
    const isShown = cursor !== undefined;
    const visibility =
      isShown && (hide !== "" || !this.#isCursorShown)
        ? "\x1b[?25h"
        : !isShown && this.#isCursorShown && hide === ""
          ? "\x1b[?25l"
          : "";
    this.#isCursorShown = isShown;
    this.#cursorPlace = place;
    return hide + painted + place + visibility;
  }

  #cursorPlace = "";
}
