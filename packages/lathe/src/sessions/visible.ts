import { stripVTControlCharacters } from "node:util";

/** These characters reorder the text next to them. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Removes colours, cursor movements and other control characters, which tool output may contain, and makes characters
 * that reorder text visible.
 */
export const visible = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?/g, "\n"))
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(BIDI, (control) => `<U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
