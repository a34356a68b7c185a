// "Did you mean": the closest candidate, when it is close enough to be a typo.

import { near } from "@lathe/agent/contract";

export const nearest = (word: string, candidates: readonly string[]): string | undefined => near(word, candidates)[0];
