import type { JsonSchema } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { schemaProblem } from "./schema-problem.ts";

describe("an output schema that cannot be meant", () => {
  it.each<[JsonSchema, RegExp]>([
    [{ type: "strin" }, /\/type: "strin" is not a type/],
    [{ properties: { a: { type: ["string", "nul"] } } }, /\/properties\/a\/type: "nul"/],
    [{ properties: { a: "string" } }, /\/properties\/a is not a schema/],
    [{ properties: ["a"] }, /\/properties is not an object/],
    [{ anyOf: {} }, /\/anyOf is not a list/],
    [{ required: "a" }, /\/required/],
    [{ enum: "a" }, /\/enum/],
    [{ items: [{ type: "string" }, 3] }, /\/items\/1 is not a schema/],
    [{ items: { $ref: "#/$defs/lost" } }, /\/items\/\$ref: "#\/\$defs\/lost" is not in this file/],
    [{ $ref: "other.json#/x" }, /"other\.json#\/x" is not in this file/],
    [{ $ref: "#" }, /^\/\$ref: "#" leads back to itself$/],
    [
      { properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { anyOf: [{ type: "null" }, { $ref: "#/$defs/b" }] } } },
      /^\/properties\/a\/\$ref: "#\/\$defs\/b" leads back to itself$/,
    ],
    [{ type: "string", pattern: "([" }, /regular expression/],
  ])("%j is told with its place", async (schema, message) => {
    expect(await schemaProblem(schema)).toMatch(message);
  });

  it.each<[JsonSchema]>([
    [{}],
    [{ $schema: "http://json-schema.org/draft-07/schema#", type: ["object", "null"], additionalProperties: false }],
    [{ properties: { next: { $ref: "#" }, type: { const: 1 }, required: { type: "string" } }, required: ["next"] }],
    [{ $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "array", items: { type: "integer" } } } }],
    [{ $ref: "#here", $defs: { a: { $anchor: "here", enum: [1, null] } } }],
    [{ $id: "https://x.example/s", items: { $ref: "https://x.example/s#/$defs/q" }, $defs: { q: true } }],
  ])("%j is taken", async (schema) => {
    expect(await schemaProblem(schema)).toBeUndefined();
  });
});
