// Decodes and encodes PNG files, for terminals that need pixels and for pictures that are too large to send. Interlaced
// files are not supported: they are rare, and are simply not drawn.

import { Buffer } from "node:buffer";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import type { Pixels } from "./sixel.ts";

/** Larger pictures are not unpacked: that would delay keys. */
const MOST_PIXELS = 9_000_000;
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Values per pixel by colour type: grey, RGB, palette, grey with alpha, RGBA. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const GREY = 0;
const COLOURS = 2;
const PALETTE = 3;
const GREY_OPACITY = 4;
const ALL = 6;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly channels: number;
}

interface Parts {
  readonly header: Header;
  readonly palette: Uint8Array;
  /** Alpha values of the palette, or the one transparent colour. */
  readonly clear: Uint8Array;
  readonly data: Uint8Array;
}

/** Undefined if the file is damaged, interlaced or too large. */
export function decodePng(file: Uint8Array): Pixels | undefined {
  const parts = partsOf(file);
  if (parts === undefined) return undefined;
  const { header } = parts;
  const rowBytes = Math.ceil((header.width * header.channels * header.depth) / 8);
  const length = (rowBytes + 1) * header.height;
  let raw: Uint8Array;
  try {
    raw = inflateSync(parts.data, { maxOutputLength: length });
  } catch {
    return undefined; // truncated, or longer than its header says
  }
  if (raw.length < length) return undefined;
  unfilter(raw, rowBytes, header);
  return { width: header.width, height: header.height, rgba: rgbaOf(raw, rowBytes, parts) };
}

function partsOf(file: Uint8Array): Parts | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  let header: Header | undefined;
  let palette: Uint8Array = new Uint8Array();
  let clear: Uint8Array = new Uint8Array();
  const data: Uint8Array[] = [];
  for (let at = SIGNATURE.length; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 8, at + 8 + length);
    switch (bytes.toString("latin1", at + 4, at + 8)) {
      case "IHDR":
        header = headerOf(body);
        if (header === undefined) return undefined;
        break;
      case "PLTE":
        palette = body;
        break;
      case "tRNS":
        clear = body;
        break;
      case "IDAT":
        data.push(body);
        break;
    }
    at += length + 12;
  }
  return header === undefined ? undefined : { header, palette, clear, data: Buffer.concat(data) };
}

function headerOf(body: Buffer): Header | undefined {
  if (body.length < 13) return undefined;
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
  const [depth = 0, type = 0, , , interlace = 0] = body.subarray(8);
  const channels = CHANNELS[type];
  const isKnown = channels !== undefined && [1, 2, 4, 8, 16].includes(depth) && interlace === 0;
  if (!isKnown || width === 0 || height === 0 || width * height > MOST_PIXELS) return undefined;
  return { width, height, depth, type, channels };
}

/** Each row is stored as differences from its neighbours; afterwards the bytes are the values. */
function unfilter(raw: Uint8Array, rowBytes: number, { height, depth, channels }: Header): void {
  const step = Math.max(1, (depth * channels) >> 3);
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (let y = 0; y < height; y++) {
    const begin = y * (rowBytes + 1) + 1;
    const row = raw.subarray(begin, begin + rowBytes);
    FILTERS[raw[begin - 1] as number]?.(row, above, step);
    above = row;
  }
}

type Filter = (row: Uint8Array, above: Uint8Array, step: number) => void;

/** Separate loops for speed: every byte of the picture goes through one of them. */
const FILTERS: Readonly<Record<number, Filter>> = {
  1: (row, _, step) => {
    for (let x = step; x < row.length; x++) row[x] = (row[x] as number) + (row[x - step] as number);
  },
  2: (row, above) => {
    for (let x = 0; x < row.length; x++) row[x] = (row[x] as number) + (above[x] as number);
  },
  3: (row, above, step) => {
    for (let x = 0; x < row.length; x++) {
      const left = x < step ? 0 : (row[x - step] as number);
      row[x] = (row[x] as number) + ((left + (above[x] as number)) >> 1);
    }
  },
  4: (row, above, step) => {
    const first = Math.min(step, row.length);
    for (let x = 0; x < first; x++) row[x] = (row[x] as number) + (above[x] as number);
    for (let x = step; x < row.length; x++) {
      const predicted = nearest(row[x - step] as number, above[x] as number, above[x - step] as number);
      row[x] = (row[x] as number) + predicted;
    }
  },
};

/** The neighbour closest to left + up - corner (Paeth predictor). */
function nearest(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function rgbaOf(raw: Uint8Array, rowBytes: number, { header, palette, clear }: Parts): Uint8Array {
  const { width, height, depth, type, channels } = header;
  const rgba = new Uint8Array(width * height * 4);
  if (type === ALL && depth === 8) {
    for (let y = 0; y < height; y++)
      rgba.set(raw.subarray(y * (rowBytes + 1) + 1, (y + 1) * (rowBytes + 1)), y * rowBytes);
    return rgba;
  }
  const most = 2 ** depth - 1;
  /** The stored value. */
  const value = (row: number, index: number): number => {
    if (depth === 8) return raw[row + index] as number;
    if (depth === 16) return ((raw[row + index * 2] as number) << 8) | (raw[row + index * 2 + 1] as number);
    const bit = index * depth;
    return ((raw[row + (bit >> 3)] as number) >> (8 - depth - (bit & 7))) & most;
  };
  const toByte =
    depth === 16 ? (v: number) => v >> 8 : depth === 8 ? (v: number) => v : (v: number) => (v * 255) / most;
  const clearValue = (index: number): number => ((clear[index * 2] ?? 0) << 8) | (clear[index * 2 + 1] ?? 0);
  const hasClear = clear.length >= channels * 2;
  for (let y = 0, to = 0; y < height; y++) {
    const row = y * (rowBytes + 1) + 1;
    for (let x = 0; x < width; x++, to += 4) {
      const first = value(row, x * channels);
      if (type === PALETTE) {
        rgba[to] = palette[first * 3] ?? 0;
        rgba[to + 1] = palette[first * 3 + 1] ?? 0;
        rgba[to + 2] = palette[first * 3 + 2] ?? 0;
        rgba[to + 3] = clear[first] ?? 255;
        continue;
      }
      const isGrey = type === GREY || type === GREY_OPACITY;
      const second = isGrey ? first : value(row, x * channels + 1);
      const third = isGrey ? first : value(row, x * channels + 2);
      rgba[to] = toByte(first);
      rgba[to + 1] = toByte(second);
      rgba[to + 2] = toByte(third);
      if (type !== GREY && type !== COLOURS) rgba[to + 3] = toByte(value(row, x * channels + channels - 1));
      else {
        const isClear =
          hasClear && first === clearValue(0) && (isGrey || (second === clearValue(1) && third === clearValue(2)));
        rgba[to + 3] = isClear ? 0 : 255;
      }
    }
  }
  return rgba;
}

export function encodePng({ width, height, rgba }: Pixels): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const raw = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 0; y < height; y++) raw.set(rgba.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
