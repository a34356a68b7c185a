import { stripVTControlCharacters } from "node:util";

/** They reorder what stands beside them. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Without colours, cursor movements and other control characters, which a tool's output may hold; with marks for what reorders text. */
export const visible = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?/g, "\n"))
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(BIDI, (control) => `<U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
