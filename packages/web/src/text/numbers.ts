// Formats numbers for users.

const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** 1.2K, 34M. */
export const tokenCount = (tokens: number): string => SHORT.format(tokens);

/** With more than cents if below a dollar, since a single request costs little. */
export const dollars = (amount: number): string => `$${amount.toFixed(amount !== 0 && amount < 1 ? 4 : 2)}`;

export const percent = (share: number): string => `${share < 10 && share > 0 ? share.toFixed(1) : Math.round(share)}%`;

const DAY_MS = 86_400_000;
const STEPS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", DAY_MS],
] as const;

/** "3 minutes ago"; a date after more than a week. */
export function timeSince(iso: string, now: number): string {
  const then = Date.parse(iso);
  const passed = now - then;
  if (Number.isNaN(then)) return "";
  if (passed < 60_000) return "just now";
  if (passed > 7 * DAY_MS) return iso.slice(0, 10);
  const [unit, ms] = STEPS.findLast(([, each]) => passed >= each) ?? STEPS[0];
  const count = Math.floor(passed / ms);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

export const countText = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;
