// Ranks passages by the words they share with a query (BM25): rare words count more, long passages less.

const K1 = 1.2;
const B = 0.75;

export interface Ranked {
  readonly passage: number;
  readonly score: number;
}

export class Bm25 {
  /** By word: passages that hold it, with how often. */
  readonly #postings = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  #total = 0;

  get size(): number {
    return this.#lengths.length;
  }

  /** Returns the number of the passage. */
  add(text: string): number {
    const passage = this.#lengths.length;
    const counts = new Map<string, number>();
    let length = 0;
    for (const word of wordsOf(text)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
      length += 1;
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

  /** Best first; of equals the newest. */
  rank(query: string): Ranked[] {
    const scores = new Map<number, number>();
    const average = this.#total / Math.max(1, this.size);
    for (const word of new Set(wordsOf(query))) {
      const list = this.#postings.get(word);
      if (!list) continue;
      const holders = list.length / 2;
      const rarity = Math.log(1 + (this.size - holders + 0.5) / (holders + 0.5));
      for (let at = 0; at < list.length; at += 2) {
        const passage = list[at]!;
        const count = list[at + 1]!;
        const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * this.#lengths[passage]!) / average));
        scores.set(passage, (scores.get(passage) ?? 0) + rarity * weight);
      }
    }
    return [...scores]
      .map(([passage, score]) => ({ passage, score }))
      .sort((a, b) => b.score - a.score || b.passage - a.passage);
  }
}

/** Lower case; a name made of several words is found by the whole and by each of them. */
function* wordsOf(text: string): Generator<string> {
  for (const [whole] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const lower = whole.toLowerCase();
    yield lower;
    const parts = whole.match(/\p{Lu}?[\p{Ll}\p{Lo}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu);
    if (parts && parts.length > 1) for (const part of parts) yield part.toLowerCase();
  }
}
