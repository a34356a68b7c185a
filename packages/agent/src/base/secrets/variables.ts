// Which environment variables hold a key or a password, judged by name and by value. A guess: it prevents accidents and is no
// security boundary (decision 0307).

import { withoutSecretShapes } from "./secret-shapes.ts";

/** As the last word of a name, or the whole of it. */
const SECRET_WORDS = new Set(
  "KEY KEYS PAT PASS CREDENTIAL CREDENTIALS CREDS AUTH COOKIE COOKIES DSN HEADERS WEBHOOK".split(" "),
);
/** The same for several words. */
const SECRET_PHRASES = ["WEBHOOK_URL", "CONNECTION_STRING"];
/** At the end of a name, also within a word and in the plural. */
const SECRET_ENDINGS = ["APIKEY", "API_KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE"];

/**
 * Its value is a key, a password, or holds one, as far as a name can tell. Every start asks this of every variable, and to
 * compile a pattern of these words takes longer than all of these comparisons.
 */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (SECRET_WORDS.has(upper.slice(upper.lastIndexOf("_") + 1)) || upper.endsWith("_PWD")) return true;
  if (SECRET_PHRASES.some((phrase) => upper === phrase || upper.endsWith(`_${phrase}`))) return true;
  const singular = upper.endsWith("S") ? upper.slice(0, -1) : upper;
  return SECRET_ENDINGS.some((ending) => singular.endsWith(ending));
}

/** `scheme://user:password@hosts`. A port with a path behind it is no password, although an @ may follow. */
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:(?!\d{1,5}(?:[/?#]|$))\S+@(?<hosts>[^\s/?#@]*)\S*/gi;
/** `password=…` as a parameter of an address or a connection string. */
const PARAMETER = /(?:^|[?&;\s])(?:password|passwd|pwd|secret|access_token|auth_?token|api_?key|accountkey)=[^\s&;]/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|(?:[\w-]+\.)+localhost)(?::\d+)?$/i;
const LOOPBACK_ADDRESS = /:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/?]|$)/i;
const SHORTEST_KEY = 16;

/**
 * Whether any variable without a secret name has a value in the shape of a key. Mostly none has: one look at all of them says
 * so, and patterns that run only once are never compiled to machine code.
 */
export function mayHoldKeys(env: Readonly<Record<string, string | undefined>>): boolean {
  const all = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [] : [value]));
  const text = all.join("\n");
  return withoutSecretShapes(text) !== text;
}

/**
 * A key of a known shape, or an address with a password, unless it leads to this machine. Most values have neither sign that the
 * patterns need, and a pattern that is used twice is compiled to machine code.
 */
export function isSecretValue(value: string, mayHoldKey = true): boolean {
  let isForeign = value.includes("=") && PARAMETER.test(value) && !LOOPBACK_ADDRESS.test(value);
  const rest = !value.includes("@")
    ? value
    : value.replace(ADDRESS, (_whole, hosts: string) => {
        isForeign ||= !hosts.split(",").every((host) => LOOPBACK.test(host));
        return "";
      });
  return isForeign || (mayHoldKey && rest.length >= SHORTEST_KEY && withoutSecretShapes(rest) !== rest);
}
