// Schemas as programs write them. The types are checked by the compiler: a wrong one fails `npm run check`.

import { startModelServer, turn } from "@lathe/testkit";
import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { generate } from "../../src/generate/generate.ts";
import { generateObject, streamObject } from "../../src/generate/object.ts";
import { defineTool } from "../../src/generate/tools.ts";
import { ConfigurationError, NoObjectGeneratedError } from "../../src/types/errors.ts";
import type { JsonSchema, JsonValue } from "../../src/types/json.ts";
import { clientFor, OPENAI } from "./support.ts";

const asked = (server: Parameters<typeof clientFor>[1]) => ({
  client: clientFor(OPENAI, server),
  model: OPENAI.model,
  prompt: "x",
});

describe("GN-06 the output has the type that its schema stands for", () => {
  it("of TypeBox", async () => {
    await using server = await startModelServer({ script: [turn.text('{"city":"Oslo","days":[1]}')] });
    const schema = Type.Object({ city: Type.String(), days: Type.Array(Type.Number()) });
    const { output } = await generateObject({ ...asked(server), schema });
    expectTypeOf(output).toEqualTypeOf<{ city: string; days: number[] }>();
    expect(output.days[0]?.toFixed(1)).toBe("1.0");
    expect(server.requests[0]?.refused).toBeUndefined();
  });

  it("of plain JSON Schema", async () => {
    await using server = await startModelServer({ script: [turn.text('{"city":"Oslo","size":"big"}')] });
    const { output } = await generateObject({
      ...asked(server),
      schema: {
        type: "object",
        properties: { city: { type: "string" }, size: { enum: ["small", "big"] } },
        required: ["city"],
      },
    });
    expectTypeOf(output).toEqualTypeOf<{ city: string; size?: "small" | "big" }>();
    expect(output).toEqual({ city: "Oslo", size: "big" });
  });

  it("of zod, whose defaults and changes take effect", async () => {
    await using server = await startModelServer({ script: [turn.text('{"city":"oslo","days":null}')] });
    const schema = z.object({ city: z.string().transform((city) => city.toUpperCase()), days: z.number().default(3) });
    const { output } = await generateObject({ ...asked(server), schema });
    expectTypeOf(output).toEqualTypeOf<{ city: string; days: number }>();
    expect(output).toEqual({ city: "OSLO", days: 3 });
    expect(server.requests[0]?.refused).toBeUndefined();
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("$schema");
  });

  it("of a schema that only the running program knows: any JSON", async () => {
    await using server = await startModelServer({ script: [turn.text('{"a":1}')] });
    const schema = JSON.parse('{"type":"object","properties":{"a":{"type":"number"}}}') as JsonSchema;
    const { output } = await generateObject({ ...asked(server), schema });
    expectTypeOf(output).toEqualTypeOf<JsonValue>();
    expect(output).toEqual({ a: 1 });
  });

  it("GN-07 streamObject too", async () => {
    await using server = await startModelServer({ script: [turn.text('{"city":"Oslo"}')] });
    const objects = streamObject({ ...asked(server), schema: z.object({ city: z.string() }) });
    for await (const _ of objects);
    const object = await objects.object();
    expectTypeOf(object).toEqualTypeOf<{ city: string }>();
    expect(object.city).toBe("Oslo");
  });
});

describe("GN-06 what does not match is refused with the place", () => {
  it.each([
    ["TypeBox", Type.Object({ who: Type.Object({ age: Type.Number() }) })],
    ["zod", z.object({ who: z.object({ age: z.number() }) })],
  ])("by %s", async (_, schema) => {
    await using server = await startModelServer({ script: [turn.text('{"who":{"age":"old"}}')] });
    const failure = await generateObject({ ...asked(server), schema }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NoObjectGeneratedError);
    expect(failure).toMatchObject({ path: "/who/age" });
  });

  it("a standard schema without JSON Schema is a ConfigurationError before anything is sent", async () => {
    await using server = await startModelServer({ script: [] });
    const schema = {
      "~standard": { version: 1, vendor: "tiny", validate: (value: unknown) => ({ value: value as number }) },
    } as const;
    await expect(generateObject({ ...asked(server), schema })).rejects.toThrow(ConfigurationError);
    expect(server.requests).toEqual([]);
  });
});

describe("TC-01 a tool's handler gets arguments of the type that its schema stands for", () => {
  it.each([
    ["TypeBox", Type.Object({ n: Type.Number() })],
    ["zod", z.object({ n: z.number() })],
  ] as const)("by %s", async (_, parameters) => {
    const script = [turn.calls([{ name: "double", args: { n: 21 } }]), turn.text("done")];
    await using server = await startModelServer({ script });
    const double = defineTool({
      name: "double",
      description: "Doubles a number",
      parameters,
      execute: ({ n }) => {
        expectTypeOf(n).toEqualTypeOf<number>();
        return String(n * 2);
      },
    });
    const { steps } = await generate({ ...asked(server), tools: [double] });
    expect(steps[0]?.toolResults).toMatchObject([{ content: "42", isError: false }]);
    expect(server.requests[0]?.refused).toBeUndefined();
  });

  it("what zod refuses beyond JSON Schema is an error result for the model", async () => {
    const script = [turn.calls([{ name: "even", args: { n: 3 } }]), turn.text("done")];
    await using server = await startModelServer({ script });
    const even = defineTool({
      name: "even",
      description: "Takes even numbers",
      parameters: z.object({ n: z.number().refine((n) => n % 2 === 0, "is odd") }),
      execute: () => "never",
    });
    const { steps } = await generate({ ...asked(server), tools: [even] });
    expect(steps[0]?.toolResults).toMatchObject([{ content: "Invalid arguments for even: n: is odd.", isError: true }]);
  });
});
