// Programs throw anything: strings, undefined, objects that cannot be turned into text.

/** One line about whatever was thrown. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "something that cannot be shown was thrown";
  }
}
