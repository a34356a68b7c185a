// Which strings must not be seen when a variable or a credential holds them. Pure.

/** A value that must not be seen, and the name that replaces it. */
export interface Secret {
  /** Stands in the place of the value. */
  readonly name: string;
  readonly value: string;
  /** The host of the address that it stood in. */
  readonly host?: string | undefined;
}

/** Shorter values are found everywhere. */
const SHORTEST = 8;
/** From this length on, two kinds of characters are enough. */
const LONG = 16;
/** A line of a key in PEM. */
const LONG_LINE = 32;

/** The value itself, the password inside an address, the parts of headers, the lines of a key; nothing that is a plain word. */
export function secretValues(name: string, value: string): Secret[] {
  const text = value.trim();
  const found = new Set<string>();
  const add = (candidate: string) => {
    if (isDistinctive(candidate)) found.add(candidate);
  };
  const url = addressOf(text);
  if (url === undefined) add(text);
  else if (url.password !== "") {
    add(text);
    add(url.password);
    add(decodePercents(url.password));
  } else if (/(?:^|_)(?:DSN|WEBHOOK(?:_URL)?)$/i.test(name)) add(text);
  if (/HEADERS$/i.test(name)) {
    for (const part of text.split(/[\s,;:="']+/)) if (part.length >= LONG) add(part);
  }
  for (const line of text.includes("\n") ? text.split(/\s*\n\s*/) : []) if (line.length >= LONG_LINE) add(line);
  for (const plain of [...found]) {
    for (const written of [encodeURIComponent(plain), JSON.stringify(plain).slice(1, -1)]) found.add(written);
  }
  return [...found].map((plain) => ({ name, value: plain, ...(url ? { host: url.host } : {}) }));
}

/** What people write where a secret should be. */
export const isTemplate = (text: string): boolean =>
  /^(?:<.*>|\$.*)$|your[-_ ]|change[-_ ]?me|placeholder|example/i.test(text);

/** `postgres`, `not-needed` and the like occur in ordinary text, which would be corrupted. */
export function isDistinctive(text: string): boolean {
  if (text.length < SHORTEST || isTemplate(text) || /^[A-Z_]+$/i.test(text)) return false;
  const hasDigit = /\d/.test(text);
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(text)).length;
  return kinds >= 2 && (hasDigit || text.length >= LONG);
}

function addressOf(text: string): URL | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** A text that has a per cent sign of its own stays as it is. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
