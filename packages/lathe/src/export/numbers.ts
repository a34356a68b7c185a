// Numbers as readers want them.

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1e6 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(2)}M`;
}

export function seconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

export const dollars = (cost: number): string => `$${cost.toFixed(cost > 0 && cost < 0.1 ? 4 : 2)}`;
