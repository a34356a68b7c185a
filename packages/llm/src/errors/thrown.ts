// Programs throw anything: texts, nothing, objects that cannot be turned into text.

/** One line for whatever was thrown; never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "something that cannot be shown was thrown";
  }
}
