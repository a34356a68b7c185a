// Formats a duration so that it changes at most once a second: "0s", "42s", "3m 05s", "2h 10m", "1d 3h".

export function elapsedTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

const two = (number: number): string => String(number).padStart(2, "0");
