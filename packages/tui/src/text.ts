// What screens other than a terminal use, too: safe text from outside, and diffs with changed words.

export type { DiffLine, FileDiff } from "./diff/file-diff.ts";
export { parseUnified } from "./diff/unified.ts";
export { type MarkedText, wordMarks } from "./diff/word-marks.ts";
export { visible, visibleLine } from "./rows/visible.ts";
