/** Milliseconds of the fastest of n rounds, after a warm-up: the least disturbed one. */
export async function fastest(rounds: number, work: () => unknown): Promise<number> {
  for (let round = 0; round < 3; round++) await work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await work();
    best = Math.min(best, performance.now() - began);
  }
  return best;
}
