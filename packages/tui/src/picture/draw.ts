// A picture file as the bytes that draw it at a terminal, and the cells that it takes. What a terminal cannot draw is not drawn: the text
// that stands for it is there anyway.

import { itermPicture, kittyPicture } from "./encode.ts";
import { decodePng, encodePng } from "./png.ts";
import type { PictureProtocol } from "./protocol.ts";
import { shrunk } from "./scale.ts";
import { sixelPicture } from "./sixel.ts";
import { type CellArea, type CellSize, cellsFor, type PictureSize, pictureSize, USUAL_CELL } from "./size.ts";

/** A larger file is made smaller first; one that cannot be is not drawn. */
const MOST_SENT_BYTES = 1_048_576;
/** What a small file may unpack to at the terminal. */
const MOST_PIXELS = 50_000_000;
/** Sixels are pixels: with cells taken as smaller than they are, a picture never takes more rows than it was given. */
const SMALL_CELL: CellSize = { width: 6, height: 12 };
const BAND = 6;

export interface PictureTerminal {
  readonly protocol: PictureProtocol;
  /** Pixels of a cell, where the terminal has said so. */
  readonly cell?: CellSize | undefined;
}

export interface DrawnPicture {
  readonly area: CellArea;
  /** Draws it from the cursor on to the right and down. Where the cursor is afterwards is the terminal's choice. */
  readonly bytes: string;
}

/** Whether the terminal, or we for it, can make a picture of such a file. iTerm2 reads every format itself; for the others we know PNG only. */
export const drawsType = (protocol: PictureProtocol, type: PictureSize["type"]): boolean =>
  protocol === "iterm2" || (protocol !== "none" && type === "png");

export function drawPicture(file: Uint8Array, terminal: PictureTerminal, most: CellArea): DrawnPicture | undefined {
  const size = pictureSize(file);
  if (size === undefined || size.width * size.height === 0 || size.width * size.height > MOST_PIXELS) return undefined;
  if (terminal.protocol === "none" || most.columns < 1 || most.rows < 1) return undefined;
  if (terminal.protocol === "sixel") return sixelDrawing(file, size, terminal.cell ?? SMALL_CELL, most);
  const cell = terminal.cell ?? USUAL_CELL;
  const area = cellsFor(size, most, cell);
  const isTaken = terminal.protocol === "iterm2" || size.type === "png";
  const sent = isTaken && file.length <= MOST_SENT_BYTES ? file : smallerFile(file, area, cell);
  if (sent === undefined) return undefined;
  return { area, bytes: terminal.protocol === "kitty" ? kittyPicture(sent, area) : itermPicture(sent, area) };
}

function smallerFile(file: Uint8Array, area: CellArea, cell: CellSize): Uint8Array | undefined {
  const pixels = decodePng(file);
  if (pixels === undefined) return undefined;
  const [width, height] = [area.columns * cell.width, area.rows * cell.height].map(Math.round) as [number, number];
  return encodePng(shrunk(pixels, Math.min(width, pixels.width), Math.min(height, pixels.height)));
}

function sixelDrawing(file: Uint8Array, size: PictureSize, cell: CellSize, most: CellArea): DrawnPicture | undefined {
  // Terminals move on by whole bands.
  const highest = Math.floor((most.rows * cell.height) / BAND) * BAND;
  const scale = Math.min(1, (most.columns * cell.width) / size.width, highest / size.height);
  const width = Math.max(1, Math.floor(size.width * scale));
  const height = Math.max(1, Math.floor(size.height * scale));
  const pixels = highest < BAND ? undefined : decodePng(file);
  if (pixels === undefined) return undefined;
  const rows = Math.ceil((Math.ceil(height / BAND) * BAND) / cell.height);
  const area = { columns: Math.ceil(width / cell.width), rows };
  return { area, bytes: sixelPicture(shrunk(pixels, width, height)) };
}
