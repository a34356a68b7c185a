// A small description language for plain configuration values, for messages that name the exact place.

import { isJsonObject, type JsonObject, type JsonValue } from "../types/json.ts";

/** Problems of a value at a path; none when it fits. */
export type Shape = (value: JsonValue, path: string) => string[];

const expects =
  (what: string, fits: (value: JsonValue) => boolean): Shape =>
  (value, path) =>
    fits(value) ? [] : [`${path}: must be ${what}`];

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** Most typos are wrong capitals, another file's convention, or one letter: `apikey`, `base_url`, `reasonning`. */
function hint(key: string, members: Readonly<Record<string, Shape>>): string {
  const plain = (text: string): string => text.toLowerCase().replace(/[_-]/g, "");
  const isLonger = (a: string, b: string): boolean =>
    a.length === b.length + 1 && [...a].some((_, i) => a.slice(0, i) + a.slice(i + 1) === b);
  const isSlip = (a: string, b: string): boolean => a === b || isLonger(a, b) || isLonger(b, a);
  const meant = Object.keys(members).find((name) => isSlip(plain(name), plain(key)));
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

export const shapes = {
  text: expects("a non-empty text", (value) => typeof value === "string" && value !== ""),
  word: (what: string): Shape => expects(what, (value) => typeof value === "string" && /^[^\s,]+$/.test(value)),
  textOrNull: expects("text or null", (value) => typeof value === "string" || value === null),
  flag: expects("true or false", (value) => typeof value === "boolean"),
  number: expects("a non-negative number", (value) => typeof value === "number" && value >= 0),
  positive: expects("a number above 0", (value) => typeof value === "number" && value > 0),
  anything: (() => []) as Shape,
  oneOf: (...words: readonly string[]): Shape =>
    expects(`one of ${words.join(", ")}`, (value) => typeof value === "string" && words.includes(value)),
  listOf:
    (item: Shape): Shape =>
    (value, path) =>
      Array.isArray(value)
        ? value.flatMap((entry, index) => item(entry, `${path}[${index}]`))
        : [`${path}: must be a list`],
  mapOf:
    (item: Shape): Shape =>
    (value, path) =>
      isJsonObject(value)
        ? Object.entries(value).flatMap(([key, entry]) => item(entry, join(path, key)))
        : [`${path === "" ? "file" : path}: must be a mapping`],
  object:
    (members: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape =>
    (value, path) => {
      if (!isJsonObject(value)) return [`${path === "" ? "file" : path}: must be a mapping`];
      const missing = required.filter((key) => value[key] === undefined).map((key) => `${join(path, key)}: is missing`);
      const present = Object.entries(value as JsonObject).flatMap(([key, entry]) => {
        const member = Object.hasOwn(members, key) ? members[key] : undefined;
        return member === undefined
          ? [`${join(path, key)}: unknown key${hint(key, members)}`]
          : member(entry, join(path, key));
      });
      return [...missing, ...present];
    },
};
