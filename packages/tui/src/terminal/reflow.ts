// What terminals do to rows that are on the screen when the window changes its width. All our rows end with a line end, so a wider window
// changes nothing; in a narrower one most terminals break a row that no longer fits into several, and the region begins higher up.
// Where terminals differ and we do not know which one it is, the smaller answer is right: too small leaves remains of old live rows,
// too large would erase committed text.

export interface Reflow {
  /** Rows are broken at all. */
  readonly breaksRows: boolean;
  /** A blank that was written at the end of a row belongs to its length. */
  readonly countsLastBlank: boolean;
  /** A background up to the edge makes a row as long as the window. */
  readonly countsFills: boolean;
  /** Cells that were written once and erased since belong to the row's length. */
  readonly countsErased: boolean;
  /** Rows that break below the cursor move the cursor down as well, and the row that it is at meanwhile is left whole. In the others the cursor stays with its character. */
  readonly movesCursorByRowsBelow: boolean;
  /** Every row that breaks pushes one into the scrollback at the top, also while there are empty rows below. */
  readonly pushesDespiteRoom: boolean;
  /** Programs learn of a size some time after rows were rearranged for it. */
  readonly isToldLate: boolean;
}

/** Every terminal that we know nothing else of. */
export const REFLOW_USUAL: Reflow = {
  breaksRows: true,
  countsLastBlank: false,
  countsFills: false,
  countsErased: false,
  movesCursorByRowsBelow: false,
  pushesDespiteRoom: false,
  isToldLate: false,
};
const REFLOW_TMUX: Reflow = {
  ...REFLOW_USUAL,
  countsLastBlank: true,
  countsFills: true,
  countsErased: true,
  pushesDespiteRoom: true,
  isToldLate: true,
};
/** VS Code and others built on xterm.js. */
export const REFLOW_XTERM_JS: Reflow = {
  ...REFLOW_USUAL,
  countsLastBlank: true,
  movesCursorByRowsBelow: true,
  pushesDespiteRoom: true,
};
/** xterm itself, GNU screen, the Linux console. */
const REFLOW_NONE: Reflow = { ...REFLOW_USUAL, breaksRows: false };

export function reflowOf(env: Readonly<Record<string, string | undefined>>, terminalName = ""): Reflow {
  if (env.TMUX !== undefined || terminalName.startsWith("tmux")) return REFLOW_TMUX;
  if (env.TERM_PROGRAM === "vscode" || terminalName.startsWith("xterm.js")) return REFLOW_XTERM_JS;
  if (/^(linux|screen)/.test(env.TERM ?? "") || terminalName.startsWith("XTerm")) return REFLOW_NONE;
  return REFLOW_USUAL;
}
