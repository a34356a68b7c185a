// Broken hooks, commands, plugins and extensions of users. The built command says in one line what is wrong, and
// continues if it can.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finished } from "./command.ts";
import { ROGUE } from "./mcp/kit.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

function write(path: string, text: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
}
const mine = (path: string): string => join(rig.box.home, ".lathe", path);
const print = (...args: string[]): Promise<Finished> => rig.box.run([...MODEL, "-p", ...args], { env: rig.env });
const hook = (event: string, command: string, more: object = {}): void =>
  write(mine("hooks.json"), { hooks: { [event]: [{ hooks: [{ type: "command", command, ...more }] }] } });
const extension = (body: string): void => write(mine("extensions/odd.ts"), `export default (lathe) => { ${body} };`);
const callsOf = (name: string): void => rig.server.push(turn.calls([{ name, args: {}, id: "c" }]), turn.text("done"));

describe("a prompt that is not sent", () => {
  it.each([
    ["a hook", () => hook("UserPromptSubmit", "echo 'Not on Fridays.' >&2; exit 2"), "Not on Fridays."],
    [
      "an extension",
      () => extension('lathe.on("input", () => ({ reject: "no secrets" }))'),
      "no secrets (extension odd).",
    ],
    [
      "an extension that empties it",
      () => extension('lathe.on("input", () => ({ text: " " }))'),
      "nothing is left of it (extension odd).",
    ],
  ])("%s refuses it: one line with the reason and exit code 1, no internal error", async (_who, refuse, reason) => {
    refuse();
    const run = await print("hello");
    expect(run).toMatchObject({ code: 1, stdout: "", stderr: `lathe: The prompt was not sent: ${reason}\n` });
    expect(rig.server.requests).toHaveLength(0);
  });

  it("EX-06 a command from an empty file names the file instead of failing inside", async () => {
    write(mine("commands/empty.md"), "---\ndescription: nothing yet\n---\n\n");
    const run = await print("/empty");
    expect(run).toMatchObject({ code: 2, stderr: `lathe: ${mine("commands/empty.md")} contains no text to send.\n` });
  });
});

describe("variables that commands do not see", () => {
  it("are named once in a run with MCP servers, which start apart from it, also where that cannot be noted", async () => {
    mkdirSync(mine("cache/withheld-variables"), { recursive: true });
    write(mine("mcp.json"), { mcpServers: { rogue: { command: process.execPath, args: [ROGUE] } } });
    rig.server.push(turn.calls([{ name: "shell", args: { command: "true" }, id: "c" }]), turn.text("done"));
    const run = await rig.box.run([...MODEL, "--permission-mode", "full", "-p", "go"], {
      env: { ...rig.env, MY_OWN_TOKEN: "1" },
    });
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(run.stderr.match(/Commands do not see these environment variables: .*MY_OWN_TOKEN/g)).toHaveLength(1);
  });
});

describe("files that grow", () => {
  it("EX-06 commands that include each other many times end after a hundred files instead of never", async () => {
    for (let i = 1; i < 9; i++) write(mine(`commands/d${i}.md`), `@d${i + 1}.md\n`.repeat(8));
    write(mine("commands/d9.md"), "bottom");
    rig.server.push(turn.text("done"));
    const run = await print("/d1");
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(run.stderr).toMatch(/more than 100 files are included; @d\d\.md and those after it are left out/);
  });
});

describe("hooks that are badly written", () => {
  const shell = (): void =>
    rig.server.push(turn.calls([{ name: "shell", args: { command: "echo hi" }, id: "c" }]), turn.text("done"));

  it("EX-04 a timeout longer than a timer can be is a day, not no time at all", async () => {
    hook("PreToolUse", "echo no >&2; exit 2", { timeout: 99_999_999_999 });
    shell();
    const run = await print("--permission-mode", "full", "go");
    expect(run.stderr).not.toMatch(/in time|TimeoutOverflow/);
    expect(rig.server.requests[1]?.result("c")).toContain("no");
  });

  it.each([
    ["yes", "printed more than 64 KiB and was ended"],
    [`echo '{"decision":"reject","reason":"no"}'`, 'answered with the decision "reject", which has no effect'],
  ])("EX-04 what %s does wrong is said in words that help", async (command, said) => {
    hook("PreToolUse", command);
    shell();
    const run = await print("--permission-mode", "full", "go");
    expect(run.stderr).toContain(said);
  });

  it("a broken file is reported once, not by every part that reads it", async () => {
    write(mine("hooks.json"), '{"hooks":');
    write(mine("mcp.json"), "{");
    rig.server.push(turn.text("done"));
    const run = await print("hello");
    expect(run.stderr.match(/hooks\.json/g)).toHaveLength(1);
    expect(run.stderr.match(/mcp\.json/g)).toHaveLength(1);
  });
});

describe("extensions that are badly written", () => {
  const tool = (name: string, rest: string): string =>
    `lathe.registerTool({ name: "${name}", description: "x", parameters: { type: "object", properties: {} }, ${rest} });`;

  it("EX-05 a schema that contains itself costs its own tool, not the session", async () => {
    extension(
      `const p = { type: "object", properties: {} }; p.properties.again = p;
       lathe.registerTool({ name: "round", description: "x", parameters: p, execute: () => "x" });
       ${tool("fine", 'execute: () => "still here"')}`,
    );
    callsOf("fine");
    const run = await print("--permission-mode", "full", "go");
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(run.stderr).toContain(
      "The tool round of the extension odd is left out: its parameters cannot be written as JSON",
    );
    expect(rig.server.requests[1]?.result("c")).toBe("still here");
  });

  it("EX-05 a result with parts of no known kind says which kinds there are", async () => {
    extension(tool("odd_parts", 'execute: () => ({ content: [{ type: "sound" }] })'));
    callsOf("odd_parts");
    await print("--permission-mode", "full", "go");
    expect(rig.server.requests[1]?.result("c")).toContain(
      'neither { type: "text", text } nor { type: "image", data, mediaType }',
    );
  });

  it("EX-03 an extension that always wants to go on is stopped, and named", async () => {
    extension('lathe.on("stop", () => ({ continueWith: "again" }))');
    rig.server.push(...Array.from({ length: 60 }, () => turn.text("ok")));
    const run = await print("go");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("The extension odd has kept the model at work 50 times; now it may stop.");
    expect(rig.server.requests).toHaveLength(51);
  });

  it("EX-03 a file that waits for ever at its top level is left behind after the deadline of extensions", async () => {
    write(mine("extensions/waits.ts"), "await new Promise(() => {});\nexport default () => {};\n");
    write(mine("config.yml"), "timeouts: { extension: 1 }\n");
    rig.server.push(turn.text("done"));
    const run = await print("hello");
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(run.stderr).toMatch(/waits\.ts was still loading after 1 s/);
  });
});

describe("plugins that reach outside of their folder", () => {
  const plugin = (...words: string[]): Promise<Finished> => rig.box.run(["plugin", ...words], { env: rig.env });
  const at = (path: string): string => join(rig.box.home, "p", path);

  it("EX-10 links that lead out are not taken along, and named before anything is installed", async () => {
    write(at("commands/greet.md"), "hello");
    write(join(rig.box.home, "key"), "secret");
    symlinkSync(join(rig.box.home, "key"), at("commands/key.md"));
    symlinkSync("greet.md", at("commands/again.md"));
    const run = await plugin("add", at(""), "--yes");
    expect(run.stdout).toContain(
      "warning: commands/key.md is a link that leads outside of the plugin; it is left out.",
    );
    expect(run.stdout).not.toContain("command p:key");
    expect(run.stdout).toContain("command p:again");
    expect(existsSync(mine("plugins/p/commands/key.md"))).toBe(false);
  });

  it("EX-10 links in a plugin of a marketplace that lead out are named before it is installed", async () => {
    write(join(rig.box.home, "key"), "secret");
    write(at("m/plugins/q/commands/greet.md"), "hello");
    symlinkSync(join(rig.box.home, "key"), at("m/plugins/q/commands/key.md"));
    write(at("m/.claude-plugin/marketplace.json"), {
      name: "m",
      plugins: [{ name: "q", source: "./plugins/q" }],
    });
    expect((await plugin("marketplace", "add", at("m"))).stdout).toContain("Added m with 1 plugin.");
    expect(existsSync(mine("plugins/marketplaces/m/plugins/q/commands/key.md"))).toBe(false);
    const run = await plugin("add", "q@m", "--yes");
    expect(run.stdout).toContain(
      "warning: commands/key.md is a link that leads outside of the plugin; it is left out.",
    );
    expect(existsSync(mine("plugins/q/commands/greet.md"))).toBe(true);
    expect(existsSync(mine("plugins/q/commands/key.md"))).toBe(false);
  });

  it("EX-10 entries and folders with .. in them are left out, with one warning", async () => {
    write(at("package.json"), { name: "p", version: "1.0.0", lathe: { extensions: ["../../out.ts", "./in.ts"] } });
    write(at("in.ts"), "export default () => {};");
    write(at(".claude-plugin/plugin.json"), { name: "p", commands: "../elsewhere" });
    write(join(rig.box.home, "elsewhere/stolen.md"), "x");
    const run = await plugin("add", at(""), "--yes");
    expect(run.stdout).toContain("extension p, loads: in.ts");
    expect(run.stdout).toMatch(/warning: package\.json: the extension "\.\.\/\.\.\/out\.ts" is outside of its folder/);
    expect(run.stdout).not.toContain("stolen");
  });

  it("EX-10 no name at all is a question of usage, not the present folder", async () => {
    expect(await plugin("add", "", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name a folder"),
    });
  });

  it("EX-10 a manifest that is no JSON is one warning, by its name in the plugin", async () => {
    write(at(".claude-plugin/plugin.json"), "{");
    write(at("commands/greet.md"), "hello");
    const { stdout } = await plugin("add", at(""), "--yes");
    expect(stdout.match(/^warning: .*$/gm)).toEqual([
      expect.stringMatching(/^warning: \.claude-plugin\/plugin\.json:1: /),
    ]);
  });
});

describe("files of one's own that are not what they should be", () => {
  const run = (...args: string[]): Promise<Finished> => rig.box.run(args, { env: rig.env });

  it("lathe mcp add leaves a file alone whose servers are no object, and says so", async () => {
    write(mine("mcp.json"), { mcpServers: ["kept"] });
    const added = await run("mcp", "add", "x", "node");
    expect(added).toMatchObject({ code: 2, stderr: expect.stringContaining('does not hold { "mcpServers": { … } }') });
    expect(readFileSync(mine("mcp.json"), "utf8")).toContain("kept");
  });

  it("lathe mcp add takes no address that is neither http nor https for a program", async () => {
    expect(await run("mcp", "add", "x", "ftp://host/x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("http"),
    });
  });

  it("G-108 lathe migrate reports a broken file once", async () => {
    write(join(rig.box.home, ".codex/config.toml"), "[mcp");
    expect((await run("migrate")).stdout.match(/config\.toml/g)).toHaveLength(1);
  });

  it("lathe discover keeps a name with a line break in its row", async () => {
    write(mine("commands/two\nlines.md"), "x");
    expect((await run("discover", "command")).stdout).toMatch(
      /^ {2}two lines +Lathe, user +~\/\.lathe\/commands\/two lines\.md$/m,
    );
  });
});
