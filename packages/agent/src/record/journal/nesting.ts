// Limits the nesting of values, because most code walks them by recursion.

/** For values from outside, such as the arguments of a call. */
export const MOST_NESTING = 200;

/** False for values nested deeper than any real value. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
  if (depth === 0) return false;
  // Not Object.values, which would copy every list of numbers.
  if (Array.isArray(value)) return value.every((inner) => isShallow(inner, depth - 1));
  for (const key in value) {
    if (!isShallow((value as Record<string, unknown>)[key], depth - 1)) return false;
  }
  return true;
}
