// Parses option values in the forms people write them.

import { usageError } from "../usage/exit.ts";

export function positiveInteger(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw usageError(`--${option} must be a whole number above 0, not "${text}".`);
  return value;
}

export function money(option: string, text: string): number {
  const value = Number(text.replace(/^\$/, ""));
  if (!Number.isFinite(value) || value <= 0)
    throw usageError(`--${option} must be an amount in US dollars such as 0.50, not "${text}".`);
  return value;
}

export function httpUrl(option: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw usageError(`--${option} must be an address such as https://api.example.com/v1, not "${text}".`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest time a timer can be set to: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Parses `90`, `90s`, `5m` or `1h` into milliseconds for a timer. */
export function duration(option: string, text: string): number {
  return Math.min(lifetime(option, text), LONGEST_MS);
}

/** Like `duration` but without that limit: for something that ends on a date, such as `30d`. */
export function lifetime(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim());
  const value = match ? Number(match[1]) * (UNITS[match[2] ?? "s"] ?? 1000) : 0;
  if (value <= 0) throw usageError(`--${option} must be a time such as 90s or 5m, not "${text}".`);
  return value;
}

export const commaList = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
