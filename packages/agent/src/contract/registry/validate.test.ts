import { expect, it } from "vitest";
import { validateArguments } from "./validate.ts";

const schema = {
  type: "object",
  properties: { path: { type: "string", pattern: "^(a+)+$" } },
  additionalProperties: false,
};
const checked = (args: Record<string, string>) =>
  validateArguments({ type: "function", id: "c", name: "look", arguments: args }, schema);

it("an argument that a tool does not have is named as such", async () => {
  expect(await checked({ input: "x" })).toEqual({ ok: false, message: "input is unknown (known: path)" });
});

it("an argument that a pattern would be tried on for ever is refused", async () => {
  expect(await checked({ path: `${"a".repeat(40)}!` })).toMatchObject({
    ok: false,
    message: expect.stringContaining("takes too long to check"),
  });
});
