// Escape sequences of the two protocols that take picture files as they are.

import { Buffer } from "node:buffer";
import type { CellArea } from "./size.ts";

/** Most bytes in a single kitty sequence. */
const CHUNK = 4_096;

/**
 * A PNG file. The terminal must not answer (`q=2`) or move the cursor (`C=1`), since we paint what is below. The
 * picture has no number: reusing one would remove the earlier picture.
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
