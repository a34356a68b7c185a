// How many columns text takes at a terminal.

/** East Asian wide characters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Accents, joiners and the like: drawn onto the character before them. */
const NONE = /[\p{Mn}\p{Me}\p{Cf}]/u;
const PLAIN = /^[ -~]*$/;
const TAB = 8;

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** As much as fits into `room` columns; what is left out is an ellipsis. */
export function shorten(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let kept = "";
  let width = 1;
  for (const character of text) {
    width += characterWidth(character);
    if (width > room) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Text without line ends in pieces of at most `room` columns. */
export function pieces(text: string, room: number): string[] {
  const rows = [""];
  let width = 0;
  for (const character of text) {
    const wide = character === "\t" ? TAB : characterWidth(character);
    if (width + wide > room && width > 0) {
      rows.push("");
      width = 0;
    }
    rows[rows.length - 1] += character;
    width += wide;
  }
  return rows;
}

/** Rows that text without line ends fills. */
export const rowsOf = (text: string, columns: number): number => Math.max(1, Math.ceil(widthOf(text) / columns));

/** What is on the cursor's row after a text without line ends. */
export function lastRow(text: string, columns: number): string {
  let row = "";
  let width = 0;
  for (const character of text) {
    const wide = character === "\t" ? Math.min(TAB - (width % TAB), columns - width) : characterWidth(character);
    if (width + wide > columns) {
      row = "";
      width = 0;
    }
    row += character;
    width += wide;
  }
  return row;
}

const characterWidth = (character: string): number =>
  character >= " " && character <= "~" ? 1 : NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
