// Finds words close to one that does not exist, by edit distance, nearest first: typos, not other words.

/** Candidates that `wanted` may be a misspelling of, nearest first. */
export function similarWords(wanted: string, candidates: readonly string[]): string[] {
  const offBy = ({ candidate }: { candidate: string }): number => Math.abs(candidate.length - wanted.length);
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || offBy(a) - offBy(b) || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}

/** Two swapped letters count as one mistake. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (beforePrevious[j - 2] ?? 0) + 1 : substitute;
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitute, swap));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
