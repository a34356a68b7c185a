// Titles of sessions as text.

const LONGEST = 60;

/** Cleans a title: one line without control characters or quotes around it; "" if nothing is left. */
export function cleanTitle(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const bare = line.replace(/^["'“”«»‘’`]+|["'“”«»‘’`.]+$/gu, "").trim();
  return [...bare].slice(0, LONGEST).join("").trim();
}

/** Runs of hyphens and underscores become one space; the first letter becomes a capital. */
export function humanizeName(name: string): string {
  const spaced = name.replace(/[-_]+/g, " ").trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A title from a plan: its first heading, or its first line. */
export function titleOfPlan(plan: string): string {
  const lines = plan.split("\n").map((line) => line.trim());
  const heading = lines.find((line) => /^#+\s/.test(line)) ?? lines.find((line) => line !== "") ?? "";
  const name = heading.replace(/^#+\s+/, "").replace(/^plan\s*[:–-]\s*/i, "");
  return cleanTitle(/^\S+$/.test(name) ? humanizeName(name) : name);
}
