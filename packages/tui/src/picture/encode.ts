// Pictures as the escape sequences of the two protocols that take files as they are.

import { Buffer } from "node:buffer";
import type { CellArea } from "./size.ts";

/** The most a single kitty sequence may carry. */
const CHUNK = 4_096;

/**
 * A PNG file. Terminals answer nothing (`q=2`), and the cursor stays where it was (`C=1`): what is below it is ours to paint. It has no number:
 * one that was used before would take the earlier picture away.
 */
export function kittyPicture(png: Uint8Array, area: CellArea): string {
  const data = Buffer.from(png).toString("base64");
  const chunks: string[] = [];
  for (let at = 0; at < data.length || at === 0; at += CHUNK) {
    const more = at + CHUNK < data.length ? 1 : 0;
    const control = at === 0 ? `a=T,f=100,q=2,C=1,c=${area.columns},r=${area.rows},m=${more}` : `m=${more}`;
    chunks.push(`\x1b_G${control};${data.slice(at, at + CHUNK)}\x1b\\`);
  }
  return chunks.join("");
}

/** Any picture file that the terminal's system can read. */
export function itermPicture(file: Uint8Array, area: CellArea): string {
  const data = Buffer.from(file).toString("base64");
  const options = `inline=1;size=${file.length};width=${area.columns};height=${area.rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=${options}:${data}\x07`;
}
