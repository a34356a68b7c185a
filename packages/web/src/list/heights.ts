// Heights of rows, most of which have not been drawn yet: finds where each begins, and which row is at a position,
// without adding up all of them.

/** A Fenwick tree over heights; unmeasured rows have the expected height. */
export class Heights {
  readonly #expected: number;
  #heights: number[] = [];
  /** Sums of ranges, starting at index 1. */
  #sums: number[] = [0];

  constructor(expected: number) {
    this.#expected = expected;
  }

  get count(): number {
    return this.#heights.length;
  }

  /** The height of all rows. */
  get total(): number {
    return this.start(this.count);
  }

  height(at: number): number {
    return this.#heights[at] ?? this.#expected;
  }

  /** New rows get the expected height. */
  resize(count: number): void {
    if (count < this.count) this.replace(this.#heights.slice(0, count));
    while (this.count < count) this.#push(this.#expected);
  }

  /** Replaces all heights at once, for example when rows were inserted before the first one. */
  replace(heights: readonly number[]): void {
    this.#heights = [];
    this.#sums = [0];
    for (const height of heights) this.#push(height);
  }

  /** Returns the change in height. */
  set(at: number, height: number): number {
    const change = height - this.height(at);
    if (change === 0) return 0;
    this.#heights[at] = height;
    for (let node = at + 1; node < this.#sums.length; node += node & -node) this.#sums[node]! += change;
    return change;
  }

  /** Where the row begins; for the index after the last row, where all rows end. */
  start(at: number): number {
    let sum = 0;
    for (let node = at; node > 0; node -= node & -node) sum += this.#sums[node] as number;
    return sum;
  }

  /** The row at the position; the last row for positions below all of them. */
  rowAt(place: number): number {
    let node = 0;
    let left = place;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const next = node + step;
      if (next > this.count || (this.#sums[next] as number) > left) continue;
      node = next;
      left -= this.#sums[next] as number;
    }
    return Math.max(0, Math.min(node, this.count - 1));
  }

  #push(height: number): void {
    this.#heights.push(height);
    const node = this.#heights.length;
    let sum = height;
    for (let child = node - 1; child > node - (node & -node); child -= child & -child)
      sum += this.#sums[child] as number;
    this.#sums.push(sum);
  }
}
