import { describe, expect, it } from "vitest";
import { violationOf } from "../src/schema/validate.ts";
import type { JsonSchema, JsonValue } from "../src/types/json.ts";

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, ...more });

describe("schemas of strangers: what cannot be checked does not make every call fail", () => {
  it.each<[string, JsonSchema, JsonValue]>([
    ["a pattern in another dialect", object({ a: { type: "string", pattern: "^[\\w-.]+$" } }), { a: "x" }],
    ["a pattern that is none", object({ a: { type: "string", pattern: "(" } }), { a: "x" }],
    ["patternProperties that are none", object({}, { patternProperties: { "(": { type: "string" } } }), { a: 1 }],
    ["a reference to another document", object({ a: { $ref: "https://schemas.invalid/a.json" } }), { a: 1 }],
    ["a reference to nothing", object({ a: { $ref: "#/$defs/none" } }), { a: 1 }],
  ])("%s", async (_what, schema, value) => expect(await violationOf(schema, value)).toBeUndefined());

  it("the rest of such a schema still holds, and values that look like schemas are left alone", async () => {
    const schema = object(
      {
        a: { type: "string", pattern: "(" },
        b: { const: { pattern: "(" } },
        c: { $ref: "#/$defs/c" },
      },
      { $defs: { c: { type: "integer" } } },
    );
    expect(await violationOf(schema, { a: 5 })).toMatchObject({ path: "/a" });
    expect(await violationOf(schema, { b: {} })).toMatchObject({ path: "/b" });
    expect(await violationOf(schema, { b: { pattern: "(" }, c: 1 })).toBeUndefined();
    expect(await violationOf(schema, { c: "x" })).toMatchObject({ path: "/c" });
  });
});
