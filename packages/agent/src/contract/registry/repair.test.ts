import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolRegistry } from "./registry.ts";
import { parseLooseObject, repairArguments } from "./repair.ts";

const schema = {
  type: "object",
  properties: {
    n: { type: "number" },
    i: { type: "integer" },
    b: { type: "boolean" },
    s: { type: "string" },
    list: { type: "array", items: { type: "integer" } },
    names: { type: "array", items: { type: "string" } },
    inner: { type: "object", properties: { b: { type: "boolean" } } },
  },
  required: ["s"],
};

describe("near-miss arguments", () => {
  it.each([
    [{ n: "1.5" }, { n: 1.5 }],
    [{ n: "-2e3" }, { n: -2000 }],
    [{ i: "7" }, { i: 7 }],
    [{ b: "true" }, { b: true }],
    [{ b: "false" }, { b: false }],
    [{ s: 42 }, { s: "42" }],
    [{ list: '["1"]' }, { list: ["1"] }],
    [{ names: "a" }, { names: ["a"] }],
    [{ list: ["1", 2] }, { list: [1, 2] }],
    [{ inner: { b: "true" } }, { inner: { b: true } }],
    [{ n: null }, {}],
  ])("%j becomes %j", (given, repaired) => {
    expect(repairArguments(given as never, schema)).toEqual(repaired);
  });

  it.each([
    [{ n: "1.5px" }],
    [{ n: "" }],
    [{ n: "0x10" }],
    [{ i: "1.5" }],
    [{ b: "yes" }],
    [{ b: 1 }],
    [{ s: 1.5 }],
    [{ s: null }],
    [{ list: "1,2" }],
    [{ other: "5" }],
  ])("%j stays as it is", (given) => {
    expect(repairArguments(given as never, schema)).toBe(given);
  });

  it("trailing commas go, commas inside strings stay", () => {
    expect(parseLooseObject('{"a": [1, 2, ], "b": ",}", }')).toEqual({ a: [1, 2], b: ",}" });
    expect(parseLooseObject('{"a": 1')).toBeUndefined();
    expect(parseLooseObject("[1]")).toBeUndefined();
  });

  it("what is already right is never changed", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const args = { s: "x", any: value as never };
        expect(repairArguments(args, schema)).toBe(args);
        expect(parseLooseObject(JSON.stringify(args))).toEqual(JSON.parse(JSON.stringify(args)));
      }),
    );
  });
});

describe("the registry", () => {
  it("PR-03 refuses names and schemas that no vendor takes", () => {
    const registry = new ToolRegistry();
    const define =
      (name: string, type = "object") =>
      () =>
        registry.register({ name, description: "x", parameters: { type }, execute: () => "" });
    for (const name of ["9a", "a b", "", "a".repeat(65)]) expect(define(name)).toThrow(/tool name/);
    expect(define("list", "array")).toThrow(/root type "object"/);
    expect(registry.names()).toEqual([]);
  });

  it("PR-03 unregister removes, register again appends at the end", () => {
    const registry = new ToolRegistry();
    for (const name of ["a", "b", "a"])
      registry.register({ name, description: name, parameters: { type: "object" }, execute: () => name });
    expect(registry.names()).toEqual(["a", "b"]);
    expect(registry.unregister("a")).toBe(true);
    expect(registry.unregister("a")).toBe(false);
    expect(registry.definitions().map((definition) => definition.name)).toEqual(["b"]);
  });
});
