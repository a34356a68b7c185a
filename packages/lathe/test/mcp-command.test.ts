import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";
import { ROGUE } from "./mcp/kit.ts";

let box: Sandbox;
beforeAll(async () => {
  box = await sandbox();
});
afterAll(() => box.remove());
const mcp = (...args: string[]) => box.run(["mcp", ...args]);

describe("lathe mcp", () => {
  it("adds a program and an address, lists them without secrets, and removes them", async () => {
    expect(await mcp("add", "--env", "TOKEN=s3cret", "rogue", process.execPath, ROGUE, "--tools", "2")).toMatchObject({
      code: 0,
      stdout: "Added rogue in ~/.lathe/mcp.json. Try it: lathe mcp test rogue\n",
    });
    await mcp("add", "--header", "Authorization: Bearer x", "web", "https://example.invalid/mcp");
    expect(JSON.parse(readFileSync(join(box.home, ".lathe", "mcp.json"), "utf8"))).toEqual({
      mcpServers: {
        rogue: { command: process.execPath, args: [ROGUE, "--tools", "2"], env: { TOKEN: "s3cret" } },
        web: { type: "http", url: "https://example.invalid/mcp", headers: { Authorization: "Bearer x" } },
      },
    });
    const listed = await mcp("list", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: "rogue", env: ["TOKEN"] },
      { name: "web", headers: ["Authorization"] },
    ]);
    expect(listed.stdout).not.toContain("s3cret");
    expect((await mcp("remove", "web")).stdout).toBe("Removed web from ~/.lathe/mcp.json.\n");
    expect(await mcp("remove", "web")).toMatchObject({
      code: 2,
      stderr: "lathe: There is no server web in ~/.lathe/mcp.json. See: lathe mcp list\n",
    });
  });

  it("tests a server: its tools and code 0, or the reason and code 1", async () => {
    const good = await mcp("test", "rogue");
    expect(good).toMatchObject({ code: 0, stderr: "" });
    expect(good.stdout).toMatch(/^rogue: connected \(rogue 1\)\n {2}mcp__rogue__echo\n/);
    await mcp("add", "broken", process.execPath, ROGUE, "--crash");
    expect(await mcp("test", "broken")).toMatchObject({
      code: 1,
      stdout: "broken: failed: it ended with code 3: no configuration found\n",
    });
  });

  it("what is wrong with a command or a file is one line that says what to do", async () => {
    expect((await mcp("add", "x")).stderr).toBe(
      "lathe: Give a name, then a command or an address: lathe mcp add <name> <command or address>\n",
    );
    expect((await mcp("add", "--env", "NOVALUE", "x", "y")).stderr).toBe("lathe: Write it as --env NAME=value.\n");
    expect((await mcp("fly")).code).toBe(2);
    mkdirSync(join(box.dir, ".lathe"));
    writeFileSync(join(box.dir, ".lathe", "mcp.json"), '{\n  "mcpServers": {\n    "odd": { "args": [] }\n  }\n}\n');
    expect((await mcp("list")).stderr).toContain('mcp.json:3: MCP server odd: it needs a "command" or a "url"');
  });
});
