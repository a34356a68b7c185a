// The type and size of a picture from its first bytes, and the number of terminal cells it should take.

export interface PictureSize {
  readonly type: "png" | "jpeg" | "gif" | "webp";
  readonly width: number;
  readonly height: number;
}

export interface CellArea {
  readonly columns: number;
  readonly rows: number;
}

/** A cell's size in pixels. */
export interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** For terminals that do not report their cell size. */
export const USUAL_CELL: CellSize = { width: 9, height: 18 };

/** Undefined for unknown formats and files truncated before their size. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (bytes.length >= 24 && text(1, 4) === "PNG") {
    return { type: "png", width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (bytes.length >= 10 && text(0, 3) === "GIF") {
    return { type: "gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (bytes.length >= 30 && text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return webpSize(view, text(12, 16));
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpegSize(view) : undefined;
}

function webpSize(view: DataView, kind: string): PictureSize | undefined {
  if (kind === "VP8X") {
    const three = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
    return { type: "webp", width: three(24) + 1, height: three(27) + 1 };
  }
  if (kind === "VP8L") {
    const bits = view.getUint32(21, true);
    return { type: "webp", width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { type: "webp", width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** The first frame header has the size; segments before it are skipped. */
function jpegSize(view: DataView): PictureSize | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { type: "jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The picture's own size, but at most `most`, with its proportions. */
export function cellsFor(
  size: Pick<PictureSize, "width" | "height">,
  most: CellArea,
  cell: CellSize = USUAL_CELL,
): CellArea {
  const columns = Math.max(1, size.width / cell.width);
  const rows = Math.max(1, size.height / cell.height);
  const scale = Math.min(1, most.columns / columns, most.rows / rows);
  return { columns: Math.max(1, Math.round(columns * scale)), rows: Math.max(1, Math.round(rows * scale)) };
}
