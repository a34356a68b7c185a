// Heights of rows of which most have not been drawn yet: where each begins, and which one is at a place, without adding up all of them.

/** A Fenwick tree over heights; rows that were not measured have the height that is expected of them. */
export class Heights {
  readonly #expected: number;
  #heights: number[] = [];
  /** Sums of ranges, from 1 on. */
  #sums: number[] = [0];

  constructor(expected: number) {
    this.#expected = expected;
  }

  get count(): number {
    return this.#heights.length;
  }

  /** Of all rows. */
  get total(): number {
    return this.start(this.count);
  }

  height(at: number): number {
    return this.#heights[at] ?? this.#expected;
  }

  /** Rows that are added get the expected height. */
  resize(count: number): void {
    if (count < this.count) this.replace(this.#heights.slice(0, count));
    while (this.count < count) this.#push(this.#expected);
  }

  /** All at once, for example when rows were put before the first one. */
  replace(heights: readonly number[]): void {
    this.#heights = [];
    this.#sums = [0];
    for (const height of heights) this.#push(height);
  }

  /** Returns by how much it has changed. */
  set(at: number, height: number): number {
    const change = height - this.height(at);
    if (change === 0) return 0;
    this.#heights[at] = height;
    for (let node = at + 1; node < this.#sums.length; node += node & -node) this.#sums[node]! += change;
    return change;
  }

  /** Where the row begins; of the one behind the last: where all of them end. */
  start(at: number): number {
    let sum = 0;
    for (let node = at; node > 0; node -= node & -node) sum += this.#sums[node] as number;
    return sum;
  }

  /** The row that covers the place; the last one below all of them. */
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
