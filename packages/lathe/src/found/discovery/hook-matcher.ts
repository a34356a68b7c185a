// Which calls, sources and triggers a hook applies to: a matcher is a pattern over names.

export type Matcher = (names: readonly string[]) => boolean;

/** Users write the patterns; on names this short even a slow pattern finishes. */
const LONGEST_NAME = 128;

/** A pattern for the whole name; throws if it is invalid. Without a pattern everything matches. */
export function matcherOf(pattern: string | undefined): Matcher {
  if (pattern === undefined || pattern === "" || pattern === "*") return () => true;
  // Names and lists of names do not need a regular expression.
  if (/^[\w|, -]+$/.test(pattern)) {
    const wanted = new Set(pattern.split(/[|,]/).map((name) => name.trim()));
    return (names) => names.some((name) => wanted.has(name));
  }
  const whole = new RegExp(`^(?:${pattern})$`);
  return (names) => names.some((name) => name.length <= LONGEST_NAME && whole.test(name));
}

/**
 * A pattern that may match anywhere in a text, such as a command line; throws if it is invalid. Without a pattern
 * everything matches.
 */
export function searchOf(pattern: string | undefined): Matcher {
  if (pattern === undefined || pattern === "" || pattern === "*") return () => true;
  const anywhere = new RegExp(pattern);
  return (texts) => texts.some((text) => anywhere.test(text));
}
