// Ranks tools by a few words: BM25+ over weighted fields. The corpus is small and changes with the tools, so the index
// is not stored.

import { Bm25, type WeightedText } from "@lathe/agent/base";

export interface Document {
  readonly name: string;
  readonly fields: readonly WeightedText[];
}

export interface Match {
  readonly name: string;
  readonly score: number;
}

/** Best first, ties by name; only documents that share a word with the query. */
export function rank(query: string, documents: readonly Document[]): Match[] {
  const index = new Bm25({ wordsOf: tokens, floor: 1 });
  for (const { fields } of documents) index.add(fields);
  return index
    .rank(query)
    .map(({ passage, score }) => ({ name: documents[passage]!.name, score }))
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

/** Words in lower case without accents; `camelCase`, `HTTPServer` and `v2Beta` are split. */
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
