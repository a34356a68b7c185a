// Which files are pictures that a model can see, recognised by their first bytes rather than their names.

/**
 * The limit that every provider accepts: the strictest counts 5 MiB of base64. A larger picture would make every later
 * request fail.
 */
export const MOST_IMAGE_BYTES = (5 << 20) * 0.75;

const SIGNATURES: readonly (readonly [string, readonly number[], number])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47], 0],
  ["image/jpeg", [0xff, 0xd8, 0xff], 0],
  ["image/gif", [0x47, 0x49, 0x46, 0x38], 0],
  ["image/webp", [0x57, 0x45, 0x42, 0x50], 8],
];

/** Media type of a picture that models can see, by its first bytes; undefined for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(([, signature, at]) => signature.every((byte, i) => bytes[at + i] === byte))?.[0];
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size from the header; undefined if the header does not contain it. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = (width: number, height: number) => (width > 0 && height > 0 ? { width, height } : undefined);
  const type = imageType(bytes);
  if (type === "image/jpeg") return jpegSize(view);
  if (bytes.length < 30) return undefined;
  if (type === "image/png") return size(view.getUint32(16), view.getUint32(20));
  if (type === "image/gif") return size(view.getUint16(6, true), view.getUint16(8, true));
  return type === "image/webp" ? webpSize(bytes, view) : undefined;
}

/** Walks the segments; one of them contains the size. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1; // a fill byte
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Uint8Array, view: DataView): ImageSize | undefined {
  const kind = String.fromCharCode(...bytes.subarray(12, 16));
  if (kind === "VP8X") return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
  if (kind === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = view.getUint32(21, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
