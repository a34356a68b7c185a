// Ranks passages by the words they share with a query (BM25): rare words count more, long passages less.

const K1 = 1.2;
const B = 0.75;

/** A text and the weight of each of its words. */
export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** How passages are split into words, and the minimum that a shared word adds. */
export interface Bm25Options {
  readonly wordsOf: (text: string) => Iterable<string>;
  /** What a shared word adds even in a long passage (the delta of BM25+); 0 if absent. */
  readonly floor?: number | undefined;
}

/** The number of a passage and how well it fits the query. */
export interface Ranked {
  readonly passage: number;
  readonly score: number;
}

/** An index of passages that ranks them by a query. */
export class Bm25 {
  /** For each word, the passages that hold it and how often. */
  readonly #postings = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  readonly #wordsOf: Bm25Options["wordsOf"];
  readonly #floor: number;
  #total = 0;

  constructor({ wordsOf, floor = 0 }: Bm25Options) {
    this.#wordsOf = wordsOf;
    this.#floor = floor;
  }

  get size(): number {
    return this.#lengths.length;
  }

  /** Adds a passage made of one or more fields, and returns its number. */
  add(fields: readonly WeightedText[]): number {
    const passage = this.#lengths.length;
    const counts = new Map<string, number>();
    let length = 0;
    for (const { text, weight } of fields) {
      for (const word of this.#wordsOf(text)) {
        counts.set(word, (counts.get(word) ?? 0) + weight);
        length += weight;
      }
    }
    for (const [word, count] of counts) {
      const list = this.#postings.get(word);
      if (list) list.push(passage, count);
      else this.#postings.set(word, [passage, count]);
    }
    this.#lengths.push(length);
    this.#total += length;
    return passage;
  }

  /** Best first; among equals, the newest first. */
  rank(query: string): Ranked[] {
    const scores = new Map<number, number>();
    const average = this.#total / Math.max(1, this.size);
    for (const word of new Set(this.#wordsOf(query))) {
      const list = this.#postings.get(word);
      if (!list) continue;
      const holders = list.length / 2;
      const rarity = Math.log(1 + (this.size - holders + 0.5) / (holders + 0.5));
      for (let at = 0; at < list.length; at += 2) {
        const passage = list[at]!;
        const count = list[at + 1]!;
        const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * this.#lengths[passage]!) / average));
        scores.set(passage, (scores.get(passage) ?? 0) + rarity * (weight + this.#floor));
      }
    }
    return [...scores]
      .map(([passage, score]) => ({ passage, score }))
      .sort((a, b) => b.score - a.score || b.passage - a.passage);
  }
}
