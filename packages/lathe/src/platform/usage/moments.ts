// Timestamps from outside, such as the end of a token or a limit: milliseconds that may lie outside the range of a
// `Date`.

/** The latest time that a `Date` can represent. */
export const LAST_MOMENT = 8.64e15;

/** Clamps the timestamp to a valid date, because saved values are read back as dates. NaN stays NaN. */
export const clampMoment = (ms: number): number => Math.round(Math.min(LAST_MOMENT, Math.max(0, ms)));

/** The timestamp as shown to people. A list must not fail because one of its rows has an invalid end. */
export function momentText(ms: number): string {
  if (Math.abs(ms) <= LAST_MOMENT) return new Date(ms).toISOString();
  return ms > 0 ? "the end of time" : "an unknown time";
}
