import { describe, expect, it } from "vitest";
import { Checker } from "../../src/schema/checker.ts";
import {
  anything,
  bytes,
  choice,
  exactly,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  openObject,
  optional,
  orNull,
  type Static,
  text,
  withWords,
} from "../../src/schema/define.ts";
import { isCheckedHere } from "../../src/schema/own-language.ts";
import { problemText } from "../../src/schema/problem.ts";
import { violationOf } from "../../src/schema/validate.ts";
import type { JsonSchema } from "../../src/types/json.ts";

const part = oneOf(
  object({ kind: exactly("text"), text: text() }),
  object({ kind: choice(["image", "audio"]), url: text({ minLength: 1 }) }),
);
const schema = object({
  name: text("What it is called"),
  size: optional(integer({ minimum: 1, maximum: 9 })),
  parts: optional(listOf(part)),
  labels: optional(mapOf(number())),
  isOpen: optional(flag()),
  mode: optional(choice(["on", "off", ""])),
  parent: optional(orNull(text())),
  key: optional(withWords<string>(text(), { writeOnly: true })),
  more: optional(openObject({ any: anything() })),
});

describe("one definition", () => {
  it("is plain JSON Schema and carries its type", () => {
    const value: Static<typeof schema> = { name: "a", size: 2, parts: [{ kind: "text", text: "t" }], parent: null };
    expect(new Checker(schema).fits(value)).toBe(true);
    // @ts-expect-error -- `size` is a number
    const wrong: Static<typeof schema> = { name: "a", size: "2" };
    expect(new Checker(schema).fits(wrong)).toBe(false);
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(schema["required"]).toEqual(["name"]);
  });
});

describe("one text says where, what was expected and what was found", () => {
  it.each<[unknown, string]>([
    [5, "the value must be an object, not 5"],
    [{}, "name is missing"],
    [{ name: 5 }, "name must be a string, not 5"],
    [{ name: "a", size: 2.5 }, "size must be a whole number from 1 to 9, not 2.5"],
    [{ name: "a", size: "9" }, 'size must be a whole number from 1 to 9, not "9"'],
    [{ name: "a", parts: {} }, "parts must be a list, not an object"],
    [{ name: "a", parts: [{ kind: "text" }] }, "parts[0].text is missing"],
    [{ name: "a", parts: [{ kind: "vide" }] }, 'parts[0].kind must be one of text, image, audio, not "vide"'],
    [{ name: "a", parts: [{ kind: "audio", url: "" }] }, 'parts[0].url must be a non-empty string, not ""'],
    [{ name: "a", labels: { "x.y": "1" } }, 'labels["x.y"] must be a number, not "1"'],
    [{ name: "a", mode: "of" }, 'mode must be one of on, off, or empty, not "of"'],
    [{ name: "a", parent: 1 }, "parent must be a string or null, not 1"],
    [{ name: "a", is_open: true }, "is_open is unknown; did you mean isOpen?"],
    [{ nam: "a", name: "b" }, "nam is unknown; did you mean name?"],
    [{ name: "a", key: 12345 }, "key must be a string, not a number"],
    [{ name: "a", more: {} }, "more.any is missing"],
    [
      { name: "x".repeat(90), size: "y".repeat(90) },
      `size must be a whole number from 1 to 9, not "${"y".repeat(60)}"…`,
    ],
  ])("%j", (value, said) => expect(new Checker(schema).wrongIn(value)).toBe(said));

  it("all problems are said when all are asked for, those that are missing first", () => {
    const problems = new Checker(schema).problemsIn({ size: 0, extra: 1, labels: { a: "b", c: "d" } });
    expect(problems.map((problem) => problemText(problem, "file"))).toEqual([
      "file.name is missing",
      "file.size must be a whole number from 1 to 9, not 0",
      'file.labels.a must be a number, not "b"',
      'file.labels.c must be a number, not "d"',
      "file.extra is unknown (known: name, size, parts, labels, isOpen, mode, parent, key, more)",
    ]);
  });

  it("members of a newer version are accepted where that is asked for, at every depth", () => {
    const value = { name: "a", extra: 1, parts: [{ kind: "text", text: "", extra: 1 }] };
    expect(new Checker(schema, { acceptsUnknown: true }).fits(value)).toBe(true);
    expect(new Checker(schema).fits(value)).toBe(false);
  });

  it("bytes are no object, and numbers are finite", () => {
    expect(new Checker(bytes()).fits(new Uint8Array(1))).toBe(true);
    expect(new Checker(openObject({})).wrongIn(new Uint8Array(1))).toBe("the value must be an object, not binary data");
    expect(new Checker(number()).wrongIn(Number.POSITIVE_INFINITY)).toBe("the value must be a number, not Infinity");
  });

  it("a value may be described instead of repeated, and no sign reaches a terminal as it is", () => {
    expect(new Checker(number(), { hidesValues: true }).wrongIn("secret", "x")).toBe(
      "x must be a number, not a string of 6 characters",
    );
    expect(new Checker(number()).wrongIn("\u009b31m\u202e", "x")).toBe('x must be a number, not "\\u009b31m\\u202e"');
  });

  it("a format says what it wants and why the value is not that", () => {
    const formats = {
      even: { expects: "an even word", check: (word: string) => word.length % 2 === 0 || "it is odd" },
    };
    const checker = new Checker(listOf(text({ format: "even" })), { formats });
    expect(checker.wrongIn(["ab", "abc"], "words")).toBe('words[1] must be an even word, not "abc": it is odd');
  });
});

describe("schemas of any origin", () => {
  const foreign: readonly JsonSchema[] = [
    { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } } },
    { type: "string", pattern: "^a" },
    { type: ["string", "null"] },
    { properties: { a: { type: "string" } } },
    { type: "object", patternProperties: { a: {} } },
    { type: "array", items: [{ type: "string" }] },
    { oneOf: [{ type: "string" }] },
  ];
  it.each(foreign)("%j is left to the compiler", (schema) => expect(isCheckedHere(schema)).toBe(false));

  it("both validators accept the same and say the same", async () => {
    const own: JsonSchema = {
      type: "object",
      properties: {
        a: { type: "integer", minimum: 1 },
        b: { type: "string", enum: ["x", "y"] },
        c: { anyOf: [{ type: "string" }, { type: "null" }] },
        d: { type: "array", items: { type: "number" }, minItems: 1 },
        e: { type: "object", additionalProperties: { type: "boolean" } },
      },
      required: ["a"],
      additionalProperties: false,
    };
    expect(isCheckedHere(own)).toBe(true);
    // A keyword that changes nothing, but that only the compiler knows.
    const compiled: JsonSchema = { ...own, not: { type: "string" } };
    expect(isCheckedHere(compiled)).toBe(false);
    const values = [
      { a: 1 },
      { a: 1, b: "x", c: null, d: [1.5], e: { f: true } },
      ...[{}, { a: 0 }, { a: 1.5 }, { a: "1" }, { a: 1, b: "z" }, { a: 1, c: 5 }, { a: 1, d: [] }, { a: 1, d: ["1"] }],
      ...[{ a: 1, e: { f: 1 } }, { a: 1, z: 1 }, { z: 1 }, { a: 1, d: {} }],
    ];
    for (const value of values) expect(await violationOf(own, value)).toEqual(await violationOf(compiled, value));
  });
});
