// How deep values may be nested: most code walks them by recursion.

/** Of a value that comes from outside, such as the arguments of a call. */
export const MOST_NESTING = 200;

/** False for what is nested deeper than any real value: most code walks values by recursion. */
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
