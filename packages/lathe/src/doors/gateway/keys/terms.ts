// What a client key may spend and use, and how users write it: `--budget 20/month`, `--models a,b`, `--expires 30d`.

import { usageError } from "../../../platform/usage/exit.ts";

/** `ever` is one amount for the life of the key. Days and months are UTC. */
export const PERIODS = ["day", "month", "ever"] as const;
export type Period = (typeof PERIODS)[number];

export interface KeyBudget {
  /** US dollars. */
  readonly usd: number;
  readonly period: Period;
}

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** Ten years. */
const LONGEST_MS = 3650 * DAY_MS;

/** Parses `20/month`, `5/day` or `3`. Amounts have at most four decimals, as many as we show. */
export function budgetOf(text: string): KeyBudget {
  const [, amount, period = "ever"] =
    /^\$?(\d{1,9}(?:\.\d{1,4})?|\.\d{1,4})(?:\/(day|month))?$/.exec(text.trim()) ?? [];
  const known = PERIODS.find((candidate) => candidate === period);
  if (amount === undefined || Number(amount) === 0 || known === undefined)
    throw usageError(`--budget takes US dollars, such as 20/month, 5/day or 3 in all, not "${text}".`);
  return { usd: Number(amount), period: known };
}

export function lifetimeOf(text: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * (UNITS[unit] ?? 0);
  if (amount === undefined || ms <= 0)
    throw usageError(`--expires takes a time such as 12h, 30d or 8w, not "${text}".`);
  if (ms > LONGEST_MS) throw usageError("--expires may be 3650d at most.");
  return ms;
}

/** The name of the period that contains the time; amounts under one name add up. */
export function periodAt(period: Period, ms: number): string {
  if (period === "ever") return "ever";
  return new Date(ms).toISOString().slice(0, period === "day" ? 10 : 7);
}

/** When the next period begins; undefined if there is none. */
export function periodEnd(period: Period, ms: number): number | undefined {
  if (period === "ever") return undefined;
  const date = new Date(ms);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return period === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}

const IN_WORDS: Readonly<Record<Period, string>> = { day: " a day", month: " a month", ever: " in all" };

export const budgetText = ({ usd, period }: KeyBudget): string => `$${Number(usd.toFixed(4))}${IN_WORDS[period]}`;

/** Whether a list of models, with `*` as wildcard, contains a model. Both `id` and `provider/id` match. */
export function namesModel(patterns: readonly string[], { provider, id }: { provider: string; id: string }): boolean {
  return patterns.some((pattern) => {
    const text = pattern.split("*").map((part) => part.replace(/[\\^$+?.()|[\]{}]/g, "\\$&"));
    const wanted = new RegExp(`^${text.join(".*")}$`);
    return wanted.test(id) || wanted.test(`${provider}/${id}`);
  });
}
