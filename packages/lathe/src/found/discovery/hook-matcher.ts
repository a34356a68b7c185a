// Which calls, sources and triggers a hook is for: a matcher is a pattern over names.

export type Matcher = (names: readonly string[]) => boolean;

/** Patterns are people's own; on names of this length even a clumsy one ends. */
const LONGEST_NAME = 128;

/** A pattern over the whole of a name; throws when it is none. Absent: everything. */
export function matcherOf(pattern: string | undefined): Matcher {
  if (pattern === undefined || pattern === "" || pattern === "*") return () => true;
  // Names and lists of names need no pattern.
  if (/^[\w|, -]+$/.test(pattern)) {
    const wanted = new Set(pattern.split(/[|,]/).map((name) => name.trim()));
    return (names) => names.some((name) => wanted.has(name));
  }
  const whole = new RegExp(`^(?:${pattern})$`);
  return (names) => names.some((name) => name.length <= LONGEST_NAME && whole.test(name));
}

/** A pattern that may match anywhere in a text, such as a command line; throws when it is none. Absent: everything. */
export function searchOf(pattern: string | undefined): Matcher {
  if (pattern === undefined || pattern === "" || pattern === "*") return () => true;
  const anywhere = new RegExp(pattern);
  return (texts) => texts.some((text) => anywhere.test(text));
}
