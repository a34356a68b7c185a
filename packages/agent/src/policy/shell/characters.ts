// Characters that make a command look like another one, or that shells interpret differently.

/** Why the text may not be what it looks like; undefined if it is plain. */
export function suspiciousCharacter(text: string): string | undefined {
  const control = /[\0-\x08\x0b-\x1f\x7f]/.exec(text);
  if (control) return `it holds the control character U+${code(control[0])}`;
  // Separators that look like blanks, marks that change the direction or are invisible, and lone surrogates.
  if (/^[\x00-\x7f]*$/.test(text)) return undefined;
  const hidden = [...text].find((character) => HIDDEN.some(([from, to]) => within(character, from, to)));
  if (hidden) return `it holds the invisible character U+${code(hidden)}`;
  return undefined;
}

/** First and last code point. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0x80, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

function within(character: string, from: number, to: number): boolean {
  const point = character.codePointAt(0) as number;
  return point >= from && point <= to;
}

/** Characters in a program name or option that look like ASCII letters. */
export function hasLookAlike(word: string): boolean {
  return /[^\x20-\x7e]/.test(word);
}

function code(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
}
