// What components return and the screen paints: rows of styled text. Colours are roles of a theme, resolved when a row
// becomes bytes, so that a row survives a change of theme. Rows are immutable: the screen compares them by identity
// first.

/** A colour of the theme by its token ("accent", "toolDiffAdded" …), a palette index below 256, or `#rrggbb`. */
export type Colour = string | number;

export interface Style {
  readonly color?: Colour;
  readonly background?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
  /** Address of the link (OSC 8). */
  readonly link?: string;
}

/**
 * Text without line breaks, tabs or control characters: `visible` must have been applied to everything from outside.
 */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line of the terminal, at most as wide as the columns it was made for. */
export interface Row {
  readonly spans: readonly Span[];
  /** Extends this background to the right edge. */
  readonly fill?: Colour;
  /**
   * A picture file. When the row is committed, the picture is drawn below it if the terminal can; everywhere else, the
   * row's text stands for it.
   */
  readonly picture?: Uint8Array;
}
