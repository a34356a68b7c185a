// MCP servers in print and RPC mode: prompts, arguments with defaults, folders of editors, hidden tools.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

/** A server in a few lines: it says which arguments it got, and starts slowly if it is told to. */
const SERVER = `
import { createInterface } from "node:readline";
const many = Number(process.argv[2] ?? 0);
const tools = [{ name: "greet", description: "Greets", inputSchema: { type: "object",
  properties: { name: { type: "string" }, tone: { type: "string", default: "warm" } }, required: ["name", "tone"] } },
  ...Array.from({ length: many }, (_, i) => ({ name: "extra" + i, inputSchema: { type: "object" } }))];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, prompts: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: args }) => ({ content: [{ type: "text", text: "got " + JSON.stringify(args) + " in " + process.argv[3] }] }),
  "prompts/list": () => ({ prompts: [{ name: "weather", arguments: [{ name: "city", required: true }] }] }),
  "prompts/get": ({ arguments: { city } }) => ({ messages: [{ role: "user", content: { type: "text", text: "Weather in " + city + "?" } }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
}
`;

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

function configure(...args: string[]): void {
  const home = join(rig.box.home, ".lathe");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "server.mjs"), SERVER);
  const server = { command: process.execPath, args: ["$" + "{userHome}/.lathe/server.mjs", ...args] };
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { s: server } }));
}
const print = (prompt: string) => rig.box.run([...MODEL, "--permission-mode", "full", "-p", prompt], { env: rig.env });
const call = (name: string, args: object) => turn.calls([{ name, args: { ...args }, id: `toolu_${name.length}` }]);

it("MC-03 a server's prompt works in print mode, also as the first thing that the server is asked", async () => {
  configure();
  rig.server.push(turn.text("sunny"));
  expect(await print("/mcp__s__weather Paris")).toMatchObject({ code: 0, stdout: "sunny\n" });
  expect(rig.server.requests.at(-1)!.text).toContain("Weather in Paris?");
});

it("MC-03 a server's prompt works over RPC", async () => {
  configure();
  const host = await rig.start("--permission-mode", "full");
  rig.server.push(turn.text("rain"));
  await host.prompt("/mcp__s__weather Oslo");
  expect(rig.server.requests.at(-1)!.text).toContain("Weather in Oslo?");
});

it("MC-02 a required field with a default is filled in; editors' names of folders are the folders", async () => {
  configure("0", "$" + "{workspaceFolder}");
  rig.server.push(call("mcp__s__greet", { name: "Ann" }), turn.text("done"));
  await print("go");
  expect(rig.server.requests.at(-1)!.text).toContain(
    `got {\\"tone\\":\\"warm\\",\\"name\\":\\"Ann\\"} in ${rig.box.dir}`,
  );
});

it("MC-04 a hidden tool that is called by its exact name points to the search", async () => {
  configure("60");
  rig.server.push(call("mcp__s__greet", { name: "Ann" }), call("nothing_here", {}), turn.text("done"));
  await print("go");
  expect(rig.server.requests.at(-1)!.text).toContain(
    "The tool mcp__s__greet exists but is not loaded. Call search_tool_bm25",
  );
  expect(rig.server.requests.at(-1)!.text).toContain("Unknown tool: nothing_here");
});
