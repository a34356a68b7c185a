import { stripVTControlCharacters } from "node:util";

/** Without colours, cursor movements and other control characters, which a tool's output may hold. */
export const visible = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?/g, "\n")).replace(/[^\P{Cc}\n\t]/gu, "");
