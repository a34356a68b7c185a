// The one shape of everything that can be shown. A component is asked for rows whenever something may have changed; it keeps what
// it made last time and returns the same rows when nothing did.

import type { Key } from "./keys/key.ts";
import type { PictureProtocol } from "./picture/protocol.ts";
import type { Row } from "./rows/row.ts";
import type { Symbols } from "./theme/symbols.ts";

/** What a component may know while it makes rows. */
export interface RenderContext {
  readonly columns: number;
  /** Rows of the whole terminal: a component in the live region has to share them. */
  readonly rows: number;
  readonly symbols: Symbols;
  /** Whether the terminal makes links of addresses (OSC 8); it does unless this is false. */
  readonly links?: boolean | undefined;
  /** How the terminal draws pictures, where it is asked to. */
  readonly pictures?: PictureProtocol | undefined;
  /** Milliseconds, from the screen's clock: for spinners and running times. */
  readonly now: number;
}

export interface Component {
  /** Rows at most `columns` wide. The same array when nothing has changed. */
  render(context: RenderContext): readonly Row[];
}

/** Where the terminal's cursor is to be, counted from the component's first row and column. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

/** A component that takes keys. `handle` says whether the key was its business; the others go on to the next component. */
export interface Focusable extends Component {
  handle(key: Key): boolean;
  /** The cursor of the last `render`; without one the cursor is hidden. */
  readonly cursor?: CursorPlace | undefined;
}
