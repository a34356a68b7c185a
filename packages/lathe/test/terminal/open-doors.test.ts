// Users' additions at a real terminal: tools of extensions that do not stop by themselves, questions of MCP servers,
// and an extension that blocks everything.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI } from "../command.ts";
import { ROGUE } from "../mcp/kit.ts";
import { setup } from "../rpc-host.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

const DEAF_TOOL = `export default (lathe) => lathe.registerTool({
  name: "deaf", description: "never ends", tier: "read",
  parameters: { type: "object", properties: {} },
  execute: () => new Promise(() => {}),
});`;

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

function mine(path: string, text: string): void {
  const file = join(bench.box.env["LATHE_HOME"]!, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe("a custom tool that does not listen to its signal", () => {
  it("EX-05 Esc ends it at once, and the next message is answered", async () => {
    mine("extensions/deaf.ts", DEAF_TOOL);
    bench.server.push(turn.calls([{ name: "deaf", args: {} }]), turn.text("next answer"));
    const run = await bench.open(SONNET, BUILT);
    run.type(`go${KEY.enter}`);
    await run.see(/deaf[\s\S]*esc to interrupt/);
    run.type(KEY.escape);
    await run.see("Interrupted.");
    run.type(`again${KEY.enter}`);
    await run.see("next answer");
  });

  it("EX-05 over RPC abort ends it, with one result for its call", async () => {
    const rig = await setup();
    try {
      const file = join(rig.box.env["LATHE_HOME"]!, "extensions/deaf.ts");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, DEAF_TOOL);
      rig.server.push(turn.calls([{ name: "deaf", args: {}, id: "c" }]), turn.text("next answer"));
      const host = await rig.start();
      host.send({ type: "prompt", message: "go" });
      await host.event("tool_execution_start");
      await host.ask("abort");
      await host.event("agent_end");
      await host.prompt("again");
      expect(rig.server.requests[1]?.result("c")).toContain("nterrupted");
      expect(await host.finish()).toBe(0);
    } finally {
      await rig.remove();
    }
  });
});

describe("a question of an MCP server", () => {
  it("MC-04 Esc gives it up together with the call: nobody is left in front of a question that nobody waits for", async () => {
    mine("mcp.json", JSON.stringify({ mcpServers: { odd: { command: process.execPath, args: [ROGUE, "--broken"] } } }));
    // What the server offers is known from then on: a first request does not wait long for one that is still starting.
    await bench.box.run(["mcp", "test", "odd"]);
    bench.server.push(turn.text("ready"), turn.calls([{ name: "mcp__odd__ask", args: {} }]), turn.text("next answer"));
    const run = await bench.open([...SONNET, "--permission-mode", "full"]);
    run.type(`hello${KEY.enter}`);
    await run.see("ready");
    run.type(`go${KEY.enter}`);
    await run.see(/The MCP server odd asks: Which branch\?[\s\S]*Esc to stop/);
    run.type(KEY.escape);
    const rows = await run.see(/Interrupted\.[\s\S]*Ask for a change/);
    expect(rows.join("\n")).not.toContain("Esc to stop");
    run.type(`again${KEY.enter}`);
    await run.see("next answer");
  });
});

describe("an extension that blocks everything at a terminal", () => {
  it("EX-03 the shell gets its terminal back, what was typed meanwhile is not run, and the culprit is named below the screen", async () => {
    const at = (name: string): string => join(bench.box.dir, name);
    mine(
      "extensions/blocks.ts",
      `import { writeFileSync } from "node:fs";
       export default (lathe) => lathe.on("input", () => { writeFileSync("${at("blocking")}", ""); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
    );
    const run = bench.start([], { program: "sh", columns: 250 });
    run.type(`"${process.execPath}" "${CLI}" ${SONNET.join(" ")}; stty -a > after; echo en""ded\r`);
    await run.see("/help");
    run.type(`go${KEY.enter}`);
    await expect.poll(() => existsSync(at("blocking"))).toBe(true);
    run.type("touch typed\r");
    const rows = await run.see(/^ended$/m);
    const said = rows.join("\n");
    expect(said).toMatch(/^lathe: The extension blocks \([\s\S]*blocked[\s\S]*lathe ext enable blocks[\s\S]*ended$/m);
    // Nothing of the screen that was there is left beside or below it.
    expect(said.slice(said.indexOf("lathe: The extension"))).not.toMatch(/─|auto-edit|claude-sonnet/);
    run.type('echo li""stens\r');
    await run.see(/^listens$/m);
    expect(existsSync(at("typed"))).toBe(false);
    expect(readFileSync(at("after"), "utf8")).toMatch(/ iutf8\n[\s\S]*\bisig icanon iexten echo /);
    expect(run.modes).toMatchObject({ bracketedPasteMode: false, sendFocusMode: false });
  });
});
