import { afterEach, describe, expect, it } from "vitest";
import { type Kit, managerOf, never, ROGUE, stdio } from "../../../test/mcp/kit.ts";
import { lastErrorLine } from "../../platform/usage/last-error-line.ts";
import { problemOf } from "./problem.ts";

let kit: Kit | undefined;
afterEach(async () => {
  await kit?.close();
  kit = undefined;
});

async function opened(...args: string[]): Promise<Kit> {
  kit = managerOf([stdio("odd", ROGUE, args)]);
  kit.manager.open();
  await kit.manager.ready(never);
  return kit;
}

describe("MC-01 a server whose list is partly broken", () => {
  it("loses the tools that are broken, with one line that names them, and keeps the others", async () => {
    const one = await opened("--broken");
    expect(one.warnings).toEqual([
      "MCP server odd (mcp.json) lists tools that are not described as the protocol says; they are left out: no_schema, text_schema, list_schema, deep, numbered and 2 more",
    ]);
    expect(await one.call("mcp__odd__echo", { text: "here" })).toBe("here");
    expect(one.tool("mcp__odd__odd_pattern").name).toBe("mcp__odd__odd_pattern");
  });

  it("a server that throws is quoted by its error, not by the version line that Node.js prints last", async () => {
    const one = await opened("--throw");
    expect(one.warnings).toEqual([
      "MCP server odd (mcp.json) failed: it ended with code 1: TypeError: the token is missing",
    ]);
  });

  it("a list without end is said to be one", async () => {
    const one = await opened("--pages");
    expect(one.warnings).toEqual([
      "MCP server odd (mcp.json) failed: its list of tools has no end: it went on after 64 pages",
    ]);
  });

  it("an answer in another shape is one sentence, not the validator's list", async () => {
    const one = await opened();
    await expect(one.call("mcp__odd__lie")).rejects.toThrow(
      "The MCP server odd failed: its answer to tools/call is not what the protocol says: content: Invalid input: expected array, received string. If it was at work, what it did is not known.",
    );
  });
});

describe("last words of a program", () => {
  it.each([
    ["", ""],
    ["listening\nno configuration found\n", "no configuration found"],
    ["/a.js:3\nthrow new Error('x')\n^\n\nError: x\n    at a.js:3:7 {\n  code: 5\n}\n\nNode.js v20.1.0\n", "Error: x"],
    ["Traceback (most recent call last):\n  File a\nValueError: bad\n", "ValueError: bad"],
  ])("%j", (stderr, said) => expect(lastErrorLine(stderr)).toBe(said));

  it("messages that only look like those of the protocol's package stay as they are", () => {
    expect(problemOf(new Error("Invalid result for x: nothing"))).toBe("Invalid result for x: nothing");
    expect(problemOf("plain")).toBe("plain");
  });
});
