// UTF-8 with stray bytes: a text that a program split or joined in the middle of a character. Each stray byte becomes
// one private-use character in the text, so that the rest can be read and edited normally and every byte is restored.

const FIRST = 0xef00;
const standIn = /[\uef80-\uefff]/g;

/** Undefined if the bytes fit another encoding better, or if the text already contains such private-use characters. */
export function decodeStray(bytes: Buffer): string | undefined {
  const parts: string[] = [];
  let stray = 0;
  let wide = 0;
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length > 1) wide += length;
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString("utf8", from, at));
    if (parts.at(-1)?.search(standIn) !== -1) return undefined;
    parts.push(String.fromCharCode(FIRST + (bytes[at] as number)));
    stray++;
    from = ++at;
  }
  const rest = bytes.toString("utf8", from);
  return wide > stray && rest.search(standIn) === -1 ? parts.join("") + rest : undefined;
}

export function encodeStray(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(standIn)) {
    parts.push(Buffer.from(text.slice(from, match.index), "utf8"), Buffer.of(match[0].charCodeAt(0) - FIRST));
    from = match.index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from), "utf8")]);
}

/** Number of bytes of the character that begins here; 0 if none does. */
function characterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  // The range of the second byte excludes overlong codes, surrogates and codes beyond Unicode.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    if (byte < (i === 1 ? low : 0x80) || byte > (i === 1 ? high : 0xbf)) return 0;
  }
  return length;
}
