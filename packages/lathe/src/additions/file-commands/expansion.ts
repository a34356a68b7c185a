// Puts what the user typed after a command's name into the command's text (EX-06). It takes one pass: placeholders
// inside an argument are not expanded.

/** Quotes keep blanks together and have no escapes; an unclosed quote runs to the end. */
export function splitArguments(typed: string): readonly string[] {
  const words = typed.match(/(?:[^\s"']|"[^"]*(?:"|$)|'[^']*(?:'|$))+/g) ?? [];
  return words.map((word) =>
    word.replace(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, (_all, a?: string, b?: string) => a ?? b ?? ""),
  );
}

const PLACEHOLDER = /\$@\[(\d+)(?::(\d+))?\]|\$(ARGUMENTS|@)|\$([1-9]\d*)|\{\{\s*(?:args|arguments|ARGUMENTS)\s*\}\}/g;

function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) !== -1;
}

/**
 * `$1`: the first argument. `$@[2]`: all from the second on; `$@[2:3]`: three from the second on. `$@`: all, without
 * their quotes. `$ARGUMENTS` and `{{args}}`: all as typed.
 */
function fillPlaceholders(text: string, typed: string): string {
  const words = splitArguments(typed);
  return text.replace(PLACEHOLDER, (_all, start?: string, count?: string, name?: string, position?: string): string => {
    if (start !== undefined) {
      const from = Math.max(0, Number(start) - 1);
      return words.slice(from, count === undefined ? undefined : from + Number(count)).join(" ");
    }
    if (position !== undefined) return words[Number(position) - 1] ?? "";
    return name === "@" ? words.join(" ") : typed;
  });
}

/** Puts the arguments at the end if the text has no placeholder. */
export function expand(text: string, typed: string): string {
  if (hasPlaceholder(text)) return fillPlaceholders(text, typed);
  return typed === "" ? text : `${text}\n\n${typed}`;
}
