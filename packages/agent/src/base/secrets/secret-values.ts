// Which strings must be hidden if a variable or credential holds them. Pure.

/** A value that must be hidden, and the name that replaces it. */
export interface Secret {
  /** The text that replaces the value. */
  readonly name: string;
  readonly value: string;
  /** The host of the address that contained the value. */
  readonly host?: string | undefined;
}

/** Shorter values would match everywhere. */
const SHORTEST = 8;
/** From this length on, two kinds of characters are enough. */
const LONG = 16;
/** Minimum length of a line of a PEM key. */
const LONG_LINE = 32;

/** The value itself, the password inside an address, the parts of headers, the lines of a key; never a plain word. */
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

/** Placeholders that people write in place of a secret. */
export const isTemplate = (text: string): boolean =>
  /^(?:<.*>|\$.*)$|your[-_ ]|change[-_ ]?me|placeholder|example/i.test(text);

/** `postgres`, `not-needed` and the like occur in ordinary text, which redaction would corrupt. */
export function isDistinctive(text: string): boolean {
  if (text.length < SHORTEST || isTemplate(text) || /^[A-Z_]+$/i.test(text)) return false;
  const hasDigit = /\d/.test(text);
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(text)).length;
  return kinds >= 2 && (hasDigit || text.length >= LONG);
}

function addressOf(text: string): URL | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** Returns a text that contains a literal percent sign unchanged. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
