import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
      $schema: expect.stringMatching(/^file:.*\/schemas\/mcp\.json$/),
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

  it("MC-01 takes the words of other agents: -e, --transport, -H, --scope, options after the name, and one object", async () => {
    const saved = () => JSON.parse(readFileSync(join(box.home, ".lathe", "mcp.json"), "utf8")).mcpServers;
    await mcp("add", "gh", "-e", "TOKEN=s3cret", "-e", "MODE=fast", "--", "npx", "-y", "server", "-e", "own");
    await mcp("add", "--transport", "sse", "old", "https://example.invalid/sse", "--header", "X-Key: v");
    await mcp("add", "--transport=http", "--scope", "user", "new", "https://example.invalid/mcp");
    await mcp("add-json", "json", '{"command": "npx", "args": ["a"], "env": {"K": "s3cret"}}');
    expect(saved()).toMatchObject({
      gh: { command: "npx", args: ["-y", "server", "-e", "own"], env: { TOKEN: "s3cret", MODE: "fast" } },
      old: { type: "sse", url: "https://example.invalid/sse", headers: { "X-Key": "v" } },
      new: { type: "http", url: "https://example.invalid/mcp" },
      json: { command: "npx", args: ["a"], env: { K: "s3cret" } },
    });
    const got = await mcp("get", "gh");
    expect(got).toMatchObject({ code: 0, stderr: "" });
    expect(got.stdout).toMatch(/command +npx\n.*args +-y server -e own/s);
    expect(got.stdout).toMatch(/env +TOKEN MODE/);
    expect(got.stdout).not.toContain("s3cret");
    for (const [words, reason] of [
      [["add-json", "x", "{"], /not valid JSON/],
      [["add-json", "x", '{"args": []}'], /neither "command" nor "url"/],
      [["add", "--transport", "ws", "x", "y"], /--transport is one of stdio, http, sse/],
      [["add", "--transport", "http", "x", "npx"], /needs an address/],
      [["get", "nobody"], /There is no MCP server nobody/],
    ] as const) {
      const wrong = await mcp(...words);
      expect(wrong).toMatchObject({ code: 2, stdout: "" });
      expect(wrong.stderr).toMatch(reason);
    }
    for (const name of ["gh", "old", "new", "json"]) await mcp("remove", name);
    const script = (await box.run(["completions", "bash"])).stdout;
    for (const verb of ["add-json", "get", "test", "logout"])
      expect(/^ +mcp\) words="(.*)"/m.exec(script)?.[1]?.split(" ")).toContain(verb);
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

  it("a server that is off is tested only if it is named, and a secret in a server's own name is not shown", async () => {
    const own = await sandbox();
    try {
      const log = join(own.dir, "starts");
      const entry = { command: process.execPath, args: [ROGUE, "--log", log], enabled: false };
      const named = {
        command: process.execPath,
        args: [ROGUE, "--called", "TOKEN"],
        env: { TOKEN: "s3cret-of-server" },
      };
      mkdirSync(join(own.home, ".lathe"), { recursive: true });
      writeFileSync(join(own.home, ".lathe", "mcp.json"), JSON.stringify({ mcpServers: { quiet: entry, named } }));
      const all = await own.run(["mcp", "test"]);
      expect(all).toMatchObject({ code: 0, stderr: "" });
      expect(all.stdout).toMatch(
        /^quiet: off; to test it: lathe mcp test quiet\nnamed: connected \(\[redacted:TOKEN\] 1\)\n/,
      );
      expect(all.stdout).not.toContain("s3cret-of-server");
      expect(existsSync(log)).toBe(false);
      expect((await own.run(["mcp", "test", "quiet"])).stdout).toMatch(/^quiet: connected \(rogue 1\)\n/);
      expect(existsSync(log)).toBe(true);
    } finally {
      await own.remove();
    }
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

  it("MC-01 fields of a wrong kind are one warning with the line, and the server does not start with half of them", async () => {
    const odd = await sandbox();
    const servers = {
      words: '{ "command": "run", "args": "x" }',
      late: '{ "command": "run", "args": ["--port", 80], "timeout": -5 }',
      nowhere: '{ "url": "htp:/x" }',
      vars: '{ "command": "run", "env": ["A=b"] }',
      off: '{ "command": "run", "disabled": "yes" }',
      variable: `{ "url": "\${MCP_HOST}/mcp" }`,
    };
    try {
      const rows = Object.entries(servers).map(([name, text]) => `    "${name}": ${text}`);
      mkdirSync(join(odd.home, ".lathe"), { recursive: true });
      writeFileSync(join(odd.home, ".lathe", "mcp.json"), `{\n  "mcpServers": {\n${rows.join(",\n")}\n  }\n}\n`);
      const listed = await odd.run(["mcp", "list", "--json"]);
      expect(JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)).toEqual(["late", "variable"]);
      const at = "lathe: ~/.lathe/mcp.json";
      expect(listed.stderr.trim().split("\n")).toEqual([
        `${at}:3: MCP server words: "args" must be a list of texts; it is not used`,
        `${at}:4: MCP server late: "timeout" must be a number of milliseconds above 0; the default is used`,
        `${at}:5: MCP server nowhere: "url" must be an http or https address; it is not used`,
        `${at}:6: MCP server vars: "env" must be an object of texts; it is not used`,
        `${at}:7: MCP server off: "disabled" must be true or false; it is not used`,
      ]);
    } finally {
      await odd.remove();
    }
  });

  it("MC-01 comments, other keys and the order of a file that is written by hand stay when a server is added or removed", async () => {
    const own = await sandbox();
    const file = join(own.home, ".lathe", "mcp.json");
    const text = `{\n\t// for work\n\t"mcpServers": {\n\t\t"b": { "command": "b" }, // keep\n\t\t"a": { "command": "a" },\n\t},\n\t"other": 1\n}\n`;
    try {
      mkdirSync(join(own.home, ".lathe"), { recursive: true });
      writeFileSync(file, text);
      expect(await own.run(["mcp", "add", "c", "run"])).toMatchObject({ code: 0 });
      const added = readFileSync(file, "utf8");
      expect(added).toContain('\n\t// for work\n\t"mcpServers": {\n\t\t"b": { "command": "b" }, // keep\n');
      expect(added).toMatch(/\t\t"c": \{\n\t\t\t"command": "run"\n\t\t\}/);
      expect((await own.run(["mcp", "list"])).stdout).toMatch(/^b .*\na .*\nc /);
      expect(await own.run(["mcp", "remove", "a"])).toMatchObject({ code: 0 });
      expect(await own.run(["mcp", "remove", "c"])).toMatchObject({ code: 0 });
      expect(readFileSync(file, "utf8")).toBe(text.replace('\n\t\t"a": { "command": "a" },', ""));
      expect((await own.run(["mcp", "list"])).stderr).toBe("");
      writeFileSync(file, '{\n  "mcpServers": {\n');
      expect(await own.run(["mcp", "remove", "b"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("mcp.json:3 is not valid JSON. Fix or remove it."),
      });
    } finally {
      await own.remove();
    }
  });
});
