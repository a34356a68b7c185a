// How terminals rearrange rows on the screen when the window's width changes. All our rows end with a line break, so a
// wider window changes nothing; in a narrower one, most terminals break a row that no longer fits, and the region
// begins higher up. If we do not know how a terminal behaves, the smaller answer is right: too small leaves remains of
// old live rows, too large would erase committed text.

export interface Reflow {
  /** Whether rows are broken at all. */
  readonly breaksRows: boolean;
  /** A blank written at the end of a row counts towards its length. */
  readonly countsLastBlank: boolean;
  /** A background up to the edge makes a row as long as the window. */
  readonly countsFills: boolean;
  /** Cells that were written and erased again count towards the row's length. */
  readonly countsErased: boolean;
  /**
   * Breaking rows below the cursor moves the cursor down, too, and the row where it is at that moment stays whole.
   * Otherwise the cursor stays on its character.
   */
  readonly movesCursorByRowsBelow: boolean;
  /** Every broken row pushes one into the scrollback, even if there are empty rows below. */
  readonly pushesDespiteRoom: boolean;
  /** Programs are told about a size some time after rows were rearranged for it. */
  readonly isToldLate: boolean;
}

/** For all terminals not known to differ. */
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
