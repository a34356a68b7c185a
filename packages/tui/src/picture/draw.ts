// Draws a picture file: the bytes for the terminal, and the cells it takes. If a terminal cannot draw it, the text in
// its row is shown instead.

import { itermPicture, kittyPicture } from "./encode.ts";
import { decodePng, encodePng } from "./png.ts";
import type { PictureProtocol } from "./protocol.ts";
import { shrunk } from "./scale.ts";
import { sixelPicture } from "./sixel.ts";
import { type CellArea, type CellSize, cellsFor, type PictureSize, pictureSize, USUAL_CELL } from "./size.ts";

/** A larger file is scaled down first; if that is impossible, it is not drawn. */
const MOST_SENT_BYTES = 1_048_576;
/** The most pixels that a file may unpack to in the terminal. */
const MOST_PIXELS = 50_000_000;
/** Sixels are measured in pixels: assuming small cells, a picture never takes more rows than it has. */
const SMALL_CELL: CellSize = { width: 6, height: 12 };
const BAND = 6;

export interface PictureTerminal {
  readonly protocol: PictureProtocol;
  /** Size of a cell in pixels, if the terminal has reported it. */
  readonly cell?: CellSize | undefined;
}

export interface DrawnPicture {
  readonly area: CellArea;
  /** Draws the picture to the right of and below the cursor. Where the cursor ends up depends on the terminal. */
  readonly bytes: string;
}

/**
 * Whether the terminal, or we for it, can draw such a file. iTerm2 reads every format itself; for the others we only
 * support PNG.
 */
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
  // Terminals advance by whole bands.
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
