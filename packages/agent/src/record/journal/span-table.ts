// Location and kind of lines, in a few numbers per line: a journal may have millions.

/** The location of a line in its store. */
export interface LineSpan {
  readonly offset: number;
  /** The length without the newline. */
  readonly length: number;
}

const FIRST_ROWS = 64;
/** Kinds beyond this number get no number of their own: a file could contain a new kind in every line. */
const MOST_KINDS = 1000;
const OTHER_KIND = "";

export class SpanTable {
  #offsets = new Float64Array(FIRST_ROWS);
  #lengths = new Uint32Array(FIRST_ROWS);
  #kinds = new Uint16Array(FIRST_ROWS);
  readonly #kindNames: string[] = [OTHER_KIND];
  readonly #kindCodes = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the row, counted from 0. */
  add(kind: string, { offset, length }: LineSpan): number {
    if (this.#size === this.#offsets.length) this.#grow();
    const row = this.#size++;
    this.#offsets[row] = offset;
    this.#lengths[row] = length;
    this.#kinds[row] = this.#kindCodes.get(kind) ?? this.#newKind(kind);
    return row;
  }

  span(row: number): LineSpan {
    return { offset: this.#offsets[row]!, length: this.#lengths[row]! };
  }

  kind(row: number): string {
    return this.#kindNames[this.#kinds[row]!]!;
  }

  /** Oldest first. */
  *ofKind(kind: string): IterableIterator<LineSpan> {
    const code = this.#kindCodes.get(kind);
    if (code === undefined) return;
    for (let row = 0; row < this.#size; row++) if (this.#kinds[row] === code) yield this.span(row);
  }

  lastOfKind(kind: string): LineSpan | undefined {
    const code = this.#kindCodes.get(kind);
    if (code === undefined) return undefined;
    const row = this.#kinds.lastIndexOf(code, this.#size - 1);
    return row < 0 ? undefined : this.span(row);
  }

  #newKind(kind: string): number {
    if (this.#kindNames.length > MOST_KINDS) return 0;
    const code = this.#kindNames.push(kind) - 1;
    this.#kindCodes.set(kind, code);
    return code;
  }

  #grow(): void {
    this.#offsets = copyInto(this.#offsets, new Float64Array(this.#size * 2));
    this.#lengths = copyInto(this.#lengths, new Uint32Array(this.#size * 2));
    this.#kinds = copyInto(this.#kinds, new Uint16Array(this.#size * 2));
  }
}

export function copyInto<T extends Float64Array | Uint32Array | Uint16Array | Int32Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
