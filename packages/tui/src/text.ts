// What other screens than a terminal draw, too: text from outside made fit to be shown, and diffs with their changed words.

export type { DiffLine, FileDiff } from "./diff/file-diff.ts";
export { parseUnified } from "./diff/unified.ts";
export { type MarkedText, wordMarks } from "./diff/word-marks.ts";
export { visible, visibleLine } from "./rows/visible.ts";
