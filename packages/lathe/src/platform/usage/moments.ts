// Moments that others have stated, such as the end of a token or a limit: numbers of milliseconds that may lie where no date is.

/** The last one that a `Date` can be. */
export const LAST_MOMENT = 8.64e15;

/** A whole number that is a date, because what is kept is read as one later. NaN stays NaN. */
export const nearestMoment = (ms: number): number => Math.round(Math.min(LAST_MOMENT, Math.max(0, ms)));

/** For people. A list must not fail because one of its lines has a strange end. */
export function momentText(ms: number): string {
  if (Math.abs(ms) <= LAST_MOMENT) return new Date(ms).toISOString();
  return ms > 0 ? "the end of time" : "an unknown time";
}
