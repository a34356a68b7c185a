// Times as ISO 8601 in UTC. We format them ourselves, because the first date that Node formats makes it look up the
// system's time zone, which would delay every first request.

const DAY_MS = 86_400_000;
/** Days from 1 March of year 0 to 1970; years that begin in March end with their leap day. */
const DAYS_TO_1970 = 719_468;
const DAYS_IN_400_YEARS = 146_097;

/** Milliseconds since the epoch as ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const { year, month, day } = dateOf(days + DAYS_TO_1970);
  // Years beyond four digits use another format.
  if (!(year >= 0 && year <= 9999)) return new Date(ms).toISOString();
  const rest = Math.floor(ms - days * DAY_MS);
  const hours = Math.floor(rest / 3_600_000);
  const minutes = Math.floor(rest / 60_000) % 60;
  const seconds = Math.floor(rest / 1000) % 60;
  const time = `${padNumber(hours, 2)}:${padNumber(minutes, 2)}:${padNumber(seconds, 2)}.${padNumber(rest % 1000, 3)}`;
  return `${padNumber(year, 4)}-${padNumber(month, 2)}-${padNumber(day, 2)}T${time}Z`;
}

/** @param days since 1 March of year 0 */
function dateOf(days: number): { year: number; month: number; day: number } {
  const cycle = Math.floor(days / DAYS_IN_400_YEARS);
  const inCycle = days - cycle * DAYS_IN_400_YEARS;
  const leapDays = Math.floor(inCycle / 1460) - Math.floor(inCycle / 36_524) + Math.floor(inCycle / 146_096);
  const years = Math.floor((inCycle - leapDays) / 365);
  const inYear = inCycle - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  // From March on, months of 31 and 30 days alternate so that every five of them have 153.
  const months = Math.floor((5 * inYear + 2) / 153);
  const day = inYear - Math.floor((153 * months + 2) / 5) + 1;
  const month = months < 10 ? months + 3 : months - 9;
  return { year: cycle * 400 + years + (month <= 2 ? 1 : 0), month, day };
}

function padNumber(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
