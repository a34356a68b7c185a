// Names in zip archives: UTF-8 if the archive says so or the bytes are valid UTF-8, otherwise code page 437.

import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";

const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const UNICODE_NAME = 0x7075;

/** `extra`: the extra fields of the directory record, one of which may hold the name in UTF-8. */
export function zipName(raw: Buffer, saysUtf8: boolean, extra: Buffer): string {
  if (saysUtf8) return raw.toString("utf8");
  const unicode = extraField(extra, UNICODE_NAME);
  // The field has a checksum of the original name, so it does not match after a rename by an older program.
  if (unicode && unicode.length > 5 && unicode[0] === 1 && unicode.readUInt32LE(1) === crc32(raw)) {
    return unicode.subarray(5).toString("utf8");
  }
  if (isUtf8(raw)) return raw.toString("utf8");
  return Array.from(raw, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80])).join("");
}

/** Content of the first extra field with this id. */
function extraField(extra: Buffer, id: number): Buffer | undefined {
  for (const field of extraFields(extra)) if (field.id === id) return field.content;
  return undefined;
}

export function* extraFields(
  extra: Buffer,
): Generator<{ readonly id: number; readonly at: number; readonly content: Buffer }> {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    yield { id: extra.readUInt16LE(at), at: at + 4, content: extra.subarray(at + 4, at + 4 + length) };
    at += 4 + length;
  }
}
