// Ranks tools by a few words: BM25+ over weighted fields. The corpus is small and changes with the tools, so nothing is kept.

/** A text and how much each of its words weighs. */
interface Field {
  readonly text: string;
  readonly weight: number;
}

export interface Document {
  readonly name: string;
  readonly fields: readonly Field[];
}

export interface Match {
  readonly name: string;
  readonly score: number;
}

const K1 = 1.2;
const B = 0.75;
const DELTA = 1;

/** Best first, ties by name; only those that have a word in common with the query. */
export function rank(query: string, documents: readonly Document[]): Match[] {
  const terms = [...new Set(tokens(query))];
  const counted = documents.map(({ name, fields }) => ({ name, ...weighted(fields) }));
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const rarity = new Map(
    terms.map((term) => [term, idf(counted.length, counted.filter(({ counts }) => counts.has(term)).length)]),
  );
  return counted
    .map(({ name, counts, length }) => {
      const score = terms.reduce((sum, term) => {
        const count = counts.get(term);
        if (count === undefined) return sum;
        const saturated = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
        return sum + (rarity.get(term) ?? 0) * (saturated + DELTA);
      }, 0);
      return { name, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

const idf = (documents: number, having: number): number => Math.log(1 + (documents - having + 0.5) / (having + 0.5));

function weighted(fields: readonly Field[]): { readonly counts: ReadonlyMap<string, number>; readonly length: number } {
  const counts = new Map<string, number>();
  let length = 0;
  for (const { text, weight } of fields) {
    for (const token of tokens(text)) {
      counts.set(token, (counts.get(token) ?? 0) + weight);
      length += weight;
    }
  }
  return { counts, length };
}

/** Words in small letters without accents; `camelCase`, `HTTPServer` and `v2Beta` are several. */
export function tokens(text: string): string[] {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
