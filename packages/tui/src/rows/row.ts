// What components make and the screen paints: rows of styled text. Colours are roles of a theme, looked up when a row becomes bytes,
// so that a row outlives a change of theme. Rows are immutable: the screen compares them by identity first.

/** A colour of the theme by its token ("accent", "toolDiffAdded" …), or one of the 256 of the palette, or `#rrggbb`. */
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
  /** Address that the text links to (OSC 8). */
  readonly link?: string;
}

/** Text without line ends, tabs or control characters: `visible` has been over everything that comes from outside. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line of the terminal, never wider than the columns it was made for. */
export interface Row {
  readonly spans: readonly Span[];
  /** The background goes on to the right edge. */
  readonly fill?: Colour;
  /** A picture file. Where the row is committed, it is drawn below it if the terminal can; everywhere else the text of the row stands for it. */
  readonly picture?: Uint8Array;
}
