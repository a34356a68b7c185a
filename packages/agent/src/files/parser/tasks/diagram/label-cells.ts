// Labels for the drawing library: one UTF-16 unit per cell of the drawing, and nothing that its patterns or our line
// tracing could mistake for a bracket or a line. The finished drawing gets the real labels back.

/** Placeholder for the second cell of a wide character. */
const FILLER = "\uf8ff";
const FIRST_ESCAPE = 0xe000;
const FIRST_MARK = 0xe800;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
const PLAIN = /[\p{L}\p{N}\p{M}]/u;
const BREAK = /<br\s*\/?>/i;

/** A label whose first cell is a unique mark. */
export interface MarkedLabel {
  readonly mark: string;
  readonly lines: readonly string[];
}

/** The labels of one drawing. */
export class LabelCells {
  readonly #escapes = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  /** With `keepsSpaces`, spaces stay, because the label is inside a box. */
  mark(label: string, keepsSpaces: boolean): MarkedLabel {
    const lines = label.split(BREAK).map((line) => this.#cells(line.trim(), keepsSpaces));
    const [first = ""] = lines;
    const mark = String.fromCharCode(FIRST_MARK + this.#marks++);
    this.#originals.set(mark, first.charAt(0));
    return { mark, lines: [`${mark}${first.slice(1)}`, ...lines.slice(1)] };
  }
  #marks = 0;

  /** Number of labels that can be distinguished. */
  static readonly most = 4000;

  restore(drawing: string): string {
    const back = (text: string): string =>
      text.replace(/[\ue000-\uf8fe]/g, (cell) => {
        const original = this.#originals.get(cell) ?? cell;
        return original === cell ? cell : back(original);
      });
    return back(drawing).replaceAll(FILLER, "");
  }

  #cells(text: string, keepsSpaces: boolean): string {
    return [...text]
      .map((char) => {
        // A surrogate pair already takes two cells.
        if (char.length > 1) return char;
        if (PLAIN.test(char) || (keepsSpaces && char === " ")) return WIDE.test(char) ? `${char}${FILLER}` : char;
        return WIDE.test(char) ? `${this.#escape(char)}${FILLER}` : this.#escape(char);
      })
      .join("");
  }

  #escape(char: string): string {
    const known = this.#escapes.get(char);
    if (known !== undefined) return known;
    const cell = String.fromCharCode(FIRST_ESCAPE + this.#escapes.size);
    this.#escapes.set(char, cell);
    this.#originals.set(cell, char);
    return cell;
  }
}
