// Words and values that an attacker would send to break a parser, hide something from the user or take over a terminal.

import type { Chance } from "./chance.ts";

/** Text that a terminal would act on, or that hides or reorders other text: none of it may reach the user unescaped. */
export const ACTS_ON_TERMINAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const MARKS = [
  "\u001b[2J\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001b]52;c;cm0gLXJm\u0007",
  "\u009b31m",
  "\u0007",
  "\r",
  "\b\b\b",
  "\u0000",
  "\u202egnp.exe",
  "\u2066hidden\u2069",
  "\u200b",
  "\ufeff",
  "\u2028",
  "\u2029",
  "\ud800",
  "\udfff",
  "\u0085",
];

const WORDS = [
  "two",
  "one\ntwo",
  "x",
  "f.txt",
  "’",
  "“quoted”",
  "ß",
  "é",
  "😀",
  "$HOME",
  "$(id)",
  "`id`",
  "';--",
  "%s",
  "\\",
  "\t",
];

/** Names that every object inherits. */
export const INHERITED = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

export function hostileText(chance: Chance): string {
  if (chance.percent(2)) return chance.pick(["x", "\u001b", "é\n", "\ud83d"]).repeat(chance.pick([1_000, 70_000]));
  const words = chance.list(4, () => (chance.percent(40) ? chance.pick(MARKS) : chance.pick([...WORDS, ...INHERITED])));
  return words.join(chance.pick(["", " ", "\n", "/"]));
}

export function hostileNumber(chance: Chance): number {
  return chance.pick([0, 1, 2, 3, -1, -0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e300, Number.MIN_VALUE]);
}

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

/** Any JSON value. */
export function hostileValue(chance: Chance): unknown {
  switch (chance.below(10)) {
    case 0:
      return null;
    case 1:
      return chance.percent(50);
    case 2:
    case 3:
      return hostileNumber(chance);
    case 4:
      return chance.list(3, () => hostileText(chance));
    case 5:
      return ownKeys(chance.list(3, () => [chance.pick(INHERITED), hostileText(chance)]));
    case 6:
      return nested(chance.pick([3, 300, 1_500]));
    case 7:
      return {};
    default:
      return hostileText(chance);
  }
}

/** Like JSON.parse: `__proto__` is a key like any other. */
export function ownKeys(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}
