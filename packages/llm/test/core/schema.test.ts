import { describe, expect, it } from "vitest";
import { toGeminiSchema } from "../../src/schema/gemini.ts";
import { toOpenAIStrict } from "../../src/schema/openai.ts";
import { violationOf, withoutOptionalNulls } from "../../src/schema/validate.ts";
import type { JsonSchema } from "../../src/types/json.ts";

/** Uses each feature once. */
const FULL: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    path: { type: "string", description: "where", minLength: 1, format: "uri" },
    mode: { enum: ["fast", "slow"] },
    level: { const: 3 },
    point: { $ref: "#/$defs/Point" },
    only: { allOf: [{ type: "integer", minimum: 0 }], description: "one element" },
    target: { description: "either", anyOf: [{ type: "string" }, { type: "number" }] },
    tags: { type: "array", items: { type: "string" }, default: [] },
    maybe: { type: ["string", "null"] },
  },
  required: ["path", "target"],
  additionalProperties: false,
  $defs: {
    Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"], additionalProperties: false },
  },
};

describe("OpenAI strict schemas", () => {
  it("TC-07 golden of one schema with each feature", () => {
    expect(toOpenAIStrict(FULL)).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "where" },
        mode: { type: ["string", "null"], enum: ["fast", "slow", null] },
        level: { anyOf: [{ type: "integer", const: 3 }, { type: "null" }] },
        point: {
          anyOf: [
            { type: "object", properties: { x: { type: "number" } }, required: ["x"], additionalProperties: false },
            { type: "null" },
          ],
        },
        only: { type: ["integer", "null"], minimum: 0, description: "one element" },
        target: {
          anyOf: [
            { type: "string", description: "either" },
            { type: "number", description: "either" },
          ],
        },
        tags: { type: ["array", "null"], items: { type: "string" } },
        maybe: { type: ["string", "null"] },
      },
      required: ["path", "mode", "level", "point", "only", "target", "tags", "maybe"],
      additionalProperties: false,
    });
  });

  it.each([
    ["a map", { type: "object", properties: { env: { type: "object", additionalProperties: { type: "string" } } } }],
    ["anything", { type: "object", properties: { value: {} } }],
    ["recursion", { type: "object", properties: { next: { $ref: "#" } } }],
    ["a reference that leads nowhere", { type: "object", properties: { next: { $ref: "#/$defs/X" } } }],
    ["two allOf members", { type: "object", properties: { a: { allOf: [{ type: "string" }, { pattern: "x" }] } } }],
    ["not", { type: "object", properties: { a: { type: "string", not: { const: "b" } } } }],
    ["an array without items", { type: "object", properties: { a: { type: "array" } } }],
    ["a union at the root", { anyOf: [{ type: "object", properties: {}, additionalProperties: false }] }],
  ])("TC-07 %s cannot be strict", (_, schema) => {
    expect(toOpenAIStrict(schema as JsonSchema)).toBeUndefined();
  });

  it("TC-07 translations are byte-equal and leave the source alone", () => {
    const before = JSON.stringify(FULL);
    expect(JSON.stringify(toOpenAIStrict(FULL))).toBe(JSON.stringify(toOpenAIStrict(FULL)));
    expect(JSON.stringify(toGeminiSchema(FULL))).toBe(JSON.stringify(toGeminiSchema(FULL)));
    expect(JSON.stringify(FULL)).toBe(before);
  });

  it("TC-07 the nulls that strict mode makes a model write are taken out again", async () => {
    const written = {
      path: "file:///a",
      target: "t",
      mode: null,
      level: null,
      point: null,
      only: null,
      tags: null,
      maybe: null,
    };
    const cleaned = withoutOptionalNulls(FULL, written);
    expect(cleaned).toEqual({ path: "file:///a", target: "t", maybe: null });
    expect(await violationOf(FULL, cleaned)).toBeUndefined();
  });
});

describe("a check that would not end", () => {
  it("a pattern that is tried for ever is given up", async () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    expect((await violationOf(schema, { a: `${"a".repeat(40)}!` }))?.message).toContain("takes too long");
    expect(await violationOf(schema, { a: "aaa" })).toBeUndefined();
    expect(await violationOf(schema, { a: "b" })).toMatchObject({
      path: "/a",
      message: expect.stringContaining("pattern"),
    });
  });

  it("a schema that refers to itself refuses the value instead of overflowing the stack", async () => {
    expect((await violationOf({ $ref: "#" }, 1))?.message).toContain("nest too deep");
  });
});

describe("a property that the schema does not admit", () => {
  it.each([
    [{ additionalProperties: false }, "/x~1y", "x/y is unknown"],
    [{ properties: { "x/y": false } }, "/x~1y", "x/y is not allowed"],
  ])("%j is named", async (schema, path, message) => {
    expect(await violationOf({ type: "object", ...schema } as JsonSchema, { "x/y": 1 })).toMatchObject({
      path,
      message,
    });
  });
});

describe("nulls of strict mode in schemas that other programs write", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      edits: { type: "array", items: { $ref: "#/$defs/Edit" } },
      where: { anyOf: [{ $ref: "#/$defs/Place" }, { type: "string" }] },
      only: { allOf: [{ $ref: "#/$defs/Place" }] },
      free: { $ref: "#/$defs/Free" },
    },
    $defs: {
      Edit: {
        type: "object",
        properties: {
          text: { type: "string" },
          count: { type: "integer", default: 1 },
          next: { $ref: "#/$defs/Edit" },
        },
        required: ["text"],
      },
      Place: {
        type: "object",
        properties: { line: { type: "integer" }, file: { type: "string" } },
        required: ["file"],
      },
      Free: { type: ["string", "null"] },
    },
  };

  it("TC-06 TC-07 they are taken out behind references and inside variants, and stay where null is allowed", async () => {
    const place = { file: "a", line: null };
    const written = {
      edits: [{ text: "x", count: null, next: { text: "y", count: 2, next: null } }],
      where: place,
      only: place,
      free: null,
    };
    const cleaned = withoutOptionalNulls(schema, written);
    expect(cleaned).toEqual({
      edits: [{ text: "x", next: { text: "y", count: 2 } }],
      where: { file: "a" },
      only: { file: "a" },
      free: null,
    });
    expect(await violationOf(schema, cleaned)).toBeUndefined();
    expect(withoutOptionalNulls(schema, { where: "b", only: null })).toEqual({ where: "b" });
  });

  it("TC-07 names that objects bring along are names like others, and __proto__ hides nothing", () => {
    const schema = { type: "object", properties: { path: { type: "string" } } };
    const written = JSON.parse('{"__proto__": {"path": "/etc/passwd"}, "constructor": null, "path": "a"}');
    const cleaned = withoutOptionalNulls(schema, written) as Record<string, unknown>;
    expect(Object.entries(cleaned)).toEqual([
      ["constructor", null],
      ["path", "a"],
    ]);
    expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype);
  });

  it("TC-06 a reference that leads nowhere, or in a circle, changes nothing", () => {
    const $defs: JsonSchema = {
      Loop: { $ref: "#/$defs/Loop" },
      Either: { anyOf: [{ $ref: "#/$defs/Either" }, { type: "string" }] },
    };
    for (const $ref of ["#/$defs/Missing", "#/$defs/Loop", "#/$defs/Either", "https://x.test/schema"]) {
      const odd: JsonSchema = { type: "object", properties: { a: { $ref } }, $defs };
      expect(withoutOptionalNulls(odd, { a: { b: null } })).toEqual({ a: { b: null } });
      expect(() => withoutOptionalNulls(odd, { a: null })).not.toThrow();
    }
  });
});

describe("Gemini schemas", () => {
  it("TC-07 golden of the same schema", () => {
    expect(toGeminiSchema(FULL)).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "where", minLength: 1 },
        mode: { type: "string", enum: ["fast", "slow"] },
        level: { type: "integer", description: "One of: 3." },
        point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
        only: { type: "integer", minimum: 0, description: "one element" },
        target: { description: "either", anyOf: [{ type: "string" }, { type: "number" }] },
        tags: { type: "array", items: { type: "string" } },
        maybe: { type: "string", nullable: true },
      },
      required: ["path", "target"],
    });
  });

  it("TC-07 recursion is cut, null variants become nullable, allOf is merged", () => {
    expect(
      toGeminiSchema({
        type: "object",
        properties: {
          next: { $ref: "#" },
          name: { anyOf: [{ type: "string", description: "n" }, { type: "null" }] },
          both: {
            allOf: [
              { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
              { properties: { b: { type: "string" } }, required: ["b"] },
            ],
          },
        },
      }),
    ).toEqual({
      type: "object",
      properties: {
        next: { type: "object", properties: expect.anything() },
        name: { type: "string", description: "n", nullable: true },
        both: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
      },
    });
  });
});

describe("Gemini schemas of careless authors", () => {
  const property = (schema: JsonSchema) =>
    (toGeminiSchema({ type: "object", properties: { a: schema } })["properties"] as JsonSchema)["a"];

  it.each([
    ["a list of nobody knows what", { type: "array" }, { type: "array", items: { type: "string" } }],
    [
      "one type or another",
      { type: ["array", "string", "null"], items: { type: "integer" } },
      { nullable: true, anyOf: [{ type: "array", items: { type: "integer" } }, { type: "string" }] },
    ],
    [
      "a required property that does not exist",
      { type: "object", properties: { b: { type: "string" } }, required: ["b", "c"] },
      { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
    ],
    ["a reference to elsewhere", { $ref: "https://x.test/s.json" }, { type: "object" }],
    ["a reference to nothing", { $ref: "#/$defs/Gone" }, { type: "object" }],
  ] as const)("TC-07 %s is still a schema that the API takes", (_, given, wire) => {
    expect(property(given as unknown as JsonSchema)).toEqual(wire);
  });
});

describe("validation", () => {
  it("GN-06 names the path of the first violation", async () => {
    const schema = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };
    expect(await violationOf(schema, { age: 3 })).toBeUndefined();
    expect(await violationOf(schema, { age: "three" })).toMatchObject({ path: "/age" });
  });
});
