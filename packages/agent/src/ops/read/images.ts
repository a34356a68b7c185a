// Which files are pictures a model can look at, recognised by their first bytes rather than their names.

/** What every provider takes: the strictest counts 5 MiB of base64. A larger one would make each later request fail. */
export const MOST_IMAGE_BYTES = (5 << 20) * 0.75;

const SIGNATURES: readonly (readonly [string, readonly number[], number])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47], 0],
  ["image/jpeg", [0xff, 0xd8, 0xff], 0],
  ["image/gif", [0x47, 0x49, 0x46, 0x38], 0],
  ["image/webp", [0x57, 0x45, 0x42, 0x50], 8],
];

/** Media type of a picture that models can look at, by its first bytes; undefined for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(([, signature, at]) => signature.every((byte, i) => bytes[at + i] === byte))?.[0];
}
