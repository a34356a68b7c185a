// The interface of everything on the screen. The screen asks a component for rows whenever something may have changed;
// if nothing has, the component returns the same rows as before.

import type { Key } from "./keys/key.ts";
import type { PictureProtocol } from "./picture/protocol.ts";
import type { Row } from "./rows/row.ts";
import type { Symbols } from "./theme/symbols.ts";

/** What a component may use to make rows. */
export interface RenderContext {
  readonly columns: number;
  /** Rows of the whole terminal; a component in the live region shares them with others. */
  readonly rows: number;
  readonly symbols: Symbols;
  /** Whether the terminal supports links (OSC 8); true unless set to false. */
  readonly links?: boolean | undefined;
  /** How the terminal draws pictures, if it should. */
  readonly pictures?: PictureProtocol | undefined;
  /** Milliseconds of the screen's clock, for spinners and running times. */
  readonly now: number;
}

export interface Component {
  /** Rows at most `columns` wide. Returns the same array if nothing has changed. */
  render(context: RenderContext): readonly Row[];
}

/** The place for the terminal's cursor, relative to the component's first row and column. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

/** A component that takes keys. `handle` returns whether it used the key; otherwise the next component gets it. */
export interface Focusable extends Component {
  handle(key: Key): boolean;
  /** The cursor after the last `render`; if undefined, the cursor is hidden. */
  readonly cursor?: CursorPlace | undefined;
}
