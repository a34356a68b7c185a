// Formats numbers for readers.

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1e6 ? `${Math.round(count / 1000)}k` : `${Number((count / 1e6).toFixed(2))}M`;
}

export function seconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const whole = Math.round(ms / 1000);
  if (whole < 60) return `${(ms / 1000).toFixed(1)} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.round(minutes / 1440)} days`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

export const dollars = (cost: number): string => `$${cost.toFixed(cost > 0 && cost < 0.1 ? 4 : 2)}`;

/** `1 prompt`, `2 prompts`. */
export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** `unpriced` counts the requests with an unknown price. */
export function costText({ cost, unpriced }: { readonly cost: number; readonly unpriced: number }): string {
  if (unpriced === 0) return dollars(cost);
  return cost === 0 ? "–" : `at least ${dollars(cost)}`;
}
