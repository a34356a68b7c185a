// "Did you mean": the closest candidate, when it is close enough to be a typo.

import { similarWords } from "@lathe/agent/contract";

export const nearest = (word: string, candidates: readonly string[]): string | undefined =>
  similarWords(word, candidates)[0];
