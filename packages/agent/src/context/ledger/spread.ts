// Divides a whole number among shares so that the parts add up to it.

/**
 * Splits the total in proportion to the weights, into whole numbers that add up to it. If there is no weight, the first
 * share gets everything.
 */
export function spread(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum <= 0) return weights.map((_weight, index) => (index === 0 ? total : 0));
  const parts: number[] = [];
  let seen = 0;
  let given = 0;
  for (const weight of weights) {
    seen += weight;
    const upTo = Math.round((total * seen) / sum);
    parts.push(upTo - given);
    given = upTo;
  }
  return parts;
}
