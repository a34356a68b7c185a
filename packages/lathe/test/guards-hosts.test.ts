// The same guards in every mode: each denies what it should in every host; guards from a folder need its trust.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cursorHooks, PI_GATE, PI_PATHS, rulesPlugin, write } from "./guards-kit.ts";
import { ROGUE } from "./mcp/kit.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";
import { KEY, TerminalRun } from "./terminal/emulator.ts";

let rig: Setup;
beforeAll(async () => {
  rig = await setup();
  await bringGuards();
});
afterAll(() => rig.remove());
afterEach(() => {
  for (const name of readdirSync(rig.box.dir))
    if (!/^(?:\.cursor|keys\.txt)$/.test(name)) rmSync(file(name), { recursive: true });
});

const file = (name: string): string => join(rig.box.dir, name);
const here = (name: string): string => join(rig.box.home, name);
const FULL = ["--permission-mode", "full"];

/** All guards at once; the folder's own only take effect when it is trusted. */
async function bringGuards(): Promise<void> {
  await rig.box.run(["plugin", "add", rulesPlugin(here("src/rules")), "--yes"], { env: rig.env });
  write(here(".lathe/extensions/permission-gate.ts"), PI_GATE);
  write(here(".lathe/extensions/protected-paths.ts"), PI_PATHS);
  write(here(".lathe/mcp.json"), {
    mcpServers: { all: { command: process.execPath, args: [ROGUE] } },
  });
  write(file("keys.txt"), "classified");
  cursorHooks(rig.box.dir, {
    beforeShellExecution: "/curl/.test(told.command)",
    beforeReadFile: "/classified/.test(told.content)",
    beforeMCPExecution: `told.tool_name === "echo"`,
    afterFileEdit: "false",
  });
  // What the server offers is known from then on: a first request does not wait long for one that is still starting.
  await rig.box.run(["mcp", "test", "all"], { env: rig.env });
}

/** One call for each guard, with what the model reads when it is refused. */
const CALLS = [
  { call: { name: "shell", args: { command: "rm -rf keys.txt" } }, refusal: "Not with these rules." },
  { call: { name: "write_file", args: { file_path: ".env", content: "A=1" } }, refusal: "Not with these rules." },
  { call: { name: "shell", args: { command: "sudo touch made" } }, refusal: "Dangerous, and not confirmed" },
  { call: { name: "write_file", args: { file_path: "keep/a", content: "x" } }, refusal: "keep/a is protected" },
  {
    call: { name: "shell", args: { command: "touch curl" } },
    refusal: "beforeShellExecution says no.",
    ofFolder: true,
  },
  { call: { name: "read_file", args: { file_path: "keys.txt" } }, refusal: "beforeReadFile says no.", ofFolder: true },
  { call: { name: "mcp__all__echo", args: { text: "hi" } }, refusal: "beforeMCPExecution says no.", ofFolder: true },
  { call: { name: "write_file", args: { file_path: "fine.txt", content: "x" } }, refusal: undefined },
];

const HOSTS: Readonly<Record<string, () => Promise<void>>> = {
  print: async () => {
    await rig.box.runBuilt([...MODEL, ...FULL, "-p", "go"], { env: rig.env });
  },
  json: async () => {
    await rig.box.run(["--mode", "json", ...MODEL, ...FULL, "go"], { env: rig.env });
  },
  rpc: async () => {
    const host = await rig.start(...FULL);
    const done = host.prompt("go");
    const asked = await host.wait("select", (frame) => frame["method"] === "select");
    host.send({ type: "extension_ui_response", id: asked["id"], value: "No" });
    await done;
    await host.finish();
  },
  terminal: async () => {
    const run = new TerminalRun(rig.box, [...MODEL, ...FULL], {
      inside: true,
      env: { ...rig.env, LATHE_NO_TITLE: "1" },
    });
    try {
      await run.see(/\/help/);
      run.type(`go${KEY.enter}`);
      await run.see(/Dangerous: sudo/);
      run.type(`${KEY.down}${KEY.enter}`);
      await run.see(/all done/);
    } finally {
      await run.close();
    }
  },
};

it("EX-04 what a folder brings does not run before it is trusted, and Lathe says so", async () => {
  const ofFolder = CALLS.filter((one) => one.ofFolder);
  rig.server.push(...ofFolder.map(({ call }) => turn.calls([call])), turn.text("all done"));
  const { stderr } = await rig.box.run([...MODEL, ...FULL, "-p", "go"], { env: rig.env });
  expect(stderr).toContain("This folder is not trusted; ignored: .cursor/hooks.json (hook)");
  expect(existsSync(file("curl"))).toBe(true);
  for (const event of ["beforeShellExecution", "beforeReadFile", "beforeMCPExecution", "afterFileEdit"])
    expect(existsSync(file(`told-${event}`))).toBe(false);
});

describe.each(Object.entries(HOSTS))("in %s mode", (_, host) => {
  beforeAll(() => rig.box.run(["trust"], { env: rig.env }));

  it("EX-03 EX-04 EX-10 every guard denies what it should, and the model reads why", async () => {
    rig.server.push(...CALLS.map(({ call }) => turn.calls([call])), turn.text("all done"));
    await host();
    const results = rig.server.requests.at(-1)?.view.messages.flatMap((message) => message.results) ?? [];
    expect(results).toHaveLength(CALLS.length);
    CALLS.forEach(({ call, refusal }, i) => {
      if (refusal !== undefined)
        expect([call, results[i]?.text], JSON.stringify(call)).toEqual([call, expect.stringContaining(refusal)]);
    });
    const made = ["keys.txt", ".env", "made", "keep/a", "curl", "fine.txt"].map((name) => existsSync(file(name)));
    expect(made).toEqual([true, false, false, false, false, true]);
    expect(JSON.parse(readFileSync(file("told-afterFileEdit"), "utf8"))).toMatchObject({ file_path: file("fine.txt") });
  });
});
