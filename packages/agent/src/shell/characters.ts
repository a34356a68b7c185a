// Characters that make a command look like another one, or that shells read in different ways.

/** Why the text cannot be trusted to be what it looks like; undefined when it is plain. */
export function suspiciousCharacter(text: string): string | undefined {
  const control = /[\0-\x08\x0b-\x1f\x7f]/.exec(text);
  if (control) return `it holds the control character U+${code(control[0])}`;
  // Separators that look like blanks, marks that change the direction or are not seen at all, and halves of surrogate pairs.
  const hidden =
    /[\x80-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Surrogate}/u.exec(
      text,
    );
  if (hidden) return `it holds the invisible character U+${code(hidden[0])}`;
  return undefined;
}

/** Letters of a program's name or of an option that look like ASCII ones. */
export function hasLookAlike(word: string): boolean {
  return /[^\x20-\x7e]/.test(word);
}

function code(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
}
