// The canonical text for hashes, and the check of answers.

import type { JsonSchema, JsonValue } from "@lathe/llm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemsOf, schemaProblem } from "./answer-schema.ts";
import { canonicalHash, canonicalJson } from "./canonical-json.ts";

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
/** The same value with its fields in reverse order. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, turned(field)]),
  );
}

describe("canonical JSON", () => {
  it("G-10 equal values have one text, which reads back as the value", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(turned(value))).toBe(text);
      }),
    );
  });

  it("G-10 the examples of RFC 8785", () => {
    const numbers = [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0];
    expect(canonicalJson(numbers)).toBe("[333333333.3333333,1e+30,4.5,0.002,1e-27,0]");
    const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.values(JSON.parse(canonicalJson(names).replace(/"1"/, '"one"')))).toEqual([2, 4, 6, 7, 1, 5, 3]);
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
    expect(canonicalHash({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });

  it("G-10 half a surrogate pair and endless nesting have no text", () => {
    let deep: JsonValue = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => canonicalJson(deep)).toThrow("64 levels");
    expect(() => canonicalJson({ a: ["\ud83d"] })).toThrow("surrogate");
  });
});

describe("schemas of answers", () => {
  it("G-10 a keyword that is not on the list is named with its place", () => {
    for (const [schema, says] of [
      [{ type: "string", pattern: "a" }, "#/pattern"],
      [{ properties: { a: { $ref: "#" } } }, "#/properties/a/$ref"],
      [{ anyOf: [{ type: "string" }, { format: "date" }] }, "#/anyOf/1/format"],
      [{ type: "text" }, "#/type must be"],
      [{ items: [] }, "#/items"],
      [{ required: "a" }, "#/required"],
      [{ toString: 1 }, "#/toString"],
    ] as const)
      expect(schemaProblem(schema as never), JSON.stringify(schema)).toContain(says);
    expect(schemaProblem({ type: ["string", "null"], minLength: 1, title: "t", description: "d" })).toBeUndefined();
  });

  it("G-10 each keyword names the place where an answer is wrong", () => {
    const wrong = (schema: JsonSchema, answer: JsonValue): unknown => {
      expect(schemaProblem(schema)).toBeUndefined();
      return problemsOf(answer, schema).map(({ path, keyword }) => `${path} ${keyword}`);
    };
    expect(wrong({ type: "string" }, 42)).toEqual(["/answer type"]);
    expect(wrong({ type: "string", minLength: 2, maxLength: 3 }, "🎉")).toEqual(["/answer minLength"]);
    expect(wrong({ maxLength: 1 }, "🎉")).toEqual([]);
    expect(wrong({ minimum: 2, maximum: 1 }, 1.5)).toEqual(["/answer minimum", "/answer maximum"]);
    expect(wrong({ type: "integer" }, 1.5)).toEqual(["/answer type"]);
    expect(wrong({ enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 })).toEqual([]);
    expect(wrong({ const: null }, false)).toEqual(["/answer const"]);
    expect(wrong({ items: { type: "boolean" } }, [true, 1])).toEqual(["/answer/1 type"]);
    const fields = { properties: { "a/b": { type: "string" } }, required: ["c"], additionalProperties: false };
    expect(wrong(fields, { "a/b": 1, d: 1 })).toEqual([
      "/answer/c required",
      "/answer/a~1b type",
      "/answer/d additionalProperties",
    ]);
    expect(wrong({ additionalProperties: { type: "null" } }, { toString: 1 })).toEqual(["/answer/toString type"]);
    expect(wrong({ oneOf: [{ type: "number" }, { minimum: 1 }] }, 2)).toEqual(["/answer oneOf"]);
    expect(wrong({ anyOf: [{ type: "string" }, { type: "null" }] }, 2)).toEqual(["/answer anyOf"]);
    expect(wrong({ anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] }, "b")).toEqual(["/answer enum"]);
  });
});
