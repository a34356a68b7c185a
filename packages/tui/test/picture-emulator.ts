// A terminal that draws pictures: each of its cells shows a sign, and the cursor ends in the row below, as after sixels. The emulator itself
// leaves pictures out.

import type { DrawnPicture } from "../src/picture/draw.ts";
import type { CellArea } from "../src/picture/size.ts";
import { Emulator } from "./emulator.ts";

const PICTURE = /\x1b\]1337;File=inline=1;size=\d+;width=(\d+);height=(\d+)[^\x07]*\x07/;
const PICTURE_SIGN = "▒";

export class PictureEmulator extends Emulator {
  override write(bytes: string): void {
    let rest = bytes;
    for (let found = PICTURE.exec(rest); found; found = PICTURE.exec(rest)) {
      super.write(rest.slice(0, found.index));
      const [whole, columns = "", rows = ""] = found;
      super.write(`\r${PICTURE_SIGN.repeat(Number(columns))}\n`.repeat(Number(rows)));
      rest = rest.slice(found.index + whole.length);
    }
    super.write(rest);
  }
}

export const pictureLine = (columns: number): string => PICTURE_SIGN.repeat(columns);

/** A picture of the size that its file names, if there is room. */
export function drawNamed(file: Uint8Array, most: CellArea): DrawnPicture | undefined {
  const [columns = 0, rows = 0] = file;
  if (columns > most.columns || rows > most.rows) return undefined;
  const bytes = `\x1b]1337;File=inline=1;size=1;width=${columns};height=${rows};preserveAspectRatio=1:AA==\x07`;
  return { area: { columns, rows }, bytes };
}
