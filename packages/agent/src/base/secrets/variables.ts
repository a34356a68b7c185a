// Which environment variables hold a key or a password, judged by name and value. This is a guess: it prevents
// accidents and is not a security boundary (decision 0307).

import { withoutSecretShapes } from "./secret-shapes.ts";

/** Each as the last word of a name, or the whole name. */
const SECRET_WORDS = new Set(
  "KEY KEYS PAT PASS CREDENTIAL CREDENTIALS CREDS AUTH COOKIE COOKIES DSN HEADERS WEBHOOK".split(" "),
);
/** The same for phrases of several words. */
const SECRET_PHRASES = ["WEBHOOK_URL", "CONNECTION_STRING"];
/** At the end of a name, even within a word, and in the plural. */
const SECRET_ENDINGS = ["APIKEY", "API_KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE"];

/**
 * Whether the name suggests that the value is or contains a key or a password. Every start checks every variable, and
 * compiling a pattern of these words takes longer than all of these comparisons.
 */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (SECRET_WORDS.has(upper.slice(upper.lastIndexOf("_") + 1)) || upper.endsWith("_PWD")) return true;
  if (SECRET_PHRASES.some((phrase) => upper === phrase || upper.endsWith(`_${phrase}`))) return true;
  const singular = upper.endsWith("S") ? upper.slice(0, -1) : upper;
  return SECRET_ENDINGS.some((ending) => singular.endsWith(ending));
}

/** `scheme://user:password@hosts`. A port followed by a path is not a password, although an @ may follow. */
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:(?!\d{1,5}(?:[/?#]|$))\S+@(?<hosts>[^\s/?#@]*)\S*/gi;
/** `password=…` as a parameter of an address or a connection string. */
const PARAMETER = /(?:^|[?&;\s])(?:password|passwd|pwd|secret|access_token|auth_?token|api_?key|accountkey)=[^\s&;]/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|(?:[\w-]+\.)+localhost)(?::\d+)?$/i;
const LOOPBACK_ADDRESS = /:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/?]|$)/i;
const SHORTEST_KEY = 16;

/**
 * Whether any variable without a secret name has a value in the shape of a key. Usually none has, which one scan over
 * all of them shows; patterns that run only once are never compiled to machine code.
 */
export function mayHoldKeys(env: Readonly<Record<string, string | undefined>>): boolean {
  const all = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [] : [value]));
  const text = all.join("\n");
  return withoutSecretShapes(text) !== text;
}

/**
 * Whether the value is a key of a known shape, or an address with a password that does not lead to this machine. Most
 * values lack both characters that the patterns need, and a pattern that runs twice is compiled to machine code.
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
