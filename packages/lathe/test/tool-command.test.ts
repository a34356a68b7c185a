import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ sample: true });
});
afterEach(() => box.remove());

describe("lathe tool", () => {
  it("runs a tool of any profile and says by its exit code whether it worked", async () => {
    const good = await box.run(["tool", "read_file", '{"file_path":"package.json","limit":1}']);
    expect(good).toMatchObject({ code: 0, stdout: "1 | {\n[6 more lines; continue with offset=2]\n" });
    const bad = await box.run(["tool", "shell", '{"command":"exit 3"}']);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^\[exit code: 3, \d+ ms\]\n$/);
    // Long output is cut as the model would get it.
    for (const name of ["shell", "bash"]) {
      const long = await box.run(["tool", name, '{"command":"seq 1 200000"}']);
      expect(long.stdout.length).toBeLessThan(60_000);
      expect(long.stdout).toMatch(/^1\n2\n[\s\S]*(?:truncated|omitted)[\s\S]*\n200000\n/i);
    }
  });

  it("T-GH-1 a tool that lacks what it needs says what the user can do", async () => {
    const ended = await box.run(["tool", "github", '{"op":"repo_view"}'], {
      env: { GITHUB_TOKEN: "", GH_TOKEN: "", GITLAB_TOKEN: "" },
    });
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stdout).toBe(
      "The tool github is not available here. It needs the token of a git host: sign in with gh auth login, or set GITHUB_TOKEN or GITLAB_TOKEN.\n",
    );
  });

  it("D3 the built command reads a page in its worker", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Title</h1><ul><li>one<li><b>two</b></ul>");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await box.run(["config", "set", "web.allowPrivate", "true"]);
    const page = await box.runBuilt(["tool", "web_fetch", JSON.stringify({ url })]);
    server.close();
    expect(page).toMatchObject({ code: 0, stdout: "# Title\n\n- one\n- **two**\n" });
  });

  it("takes arguments from stdin, refuses bad ones in one line, and describes itself", async () => {
    const piped = await box.run(["tool", "glob", "-"], { stdin: '{"pattern":"*.json"}' });
    expect(piped.stdout).toBe("package.json\n");
    const invalid = await box.run(["tool", "read_file", '{"path":1}']);
    expect(invalid).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Invalid arguments for tool: read_file"),
    });
    const broken = await box.run(["tool", "read_file", "{"]);
    expect(broken).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^lathe: The arguments of read_file are not valid JSON.*\n$/),
    });
    const described = (await box.run(["tool", "read_file", "--describe"])).stdout;
    const schema = JSON.parse(described.slice(described.lastIndexOf("\n\n{")));
    expect(schema).toMatchObject({ type: "object", required: ["file_path"] });
    expect((await box.run(["tool", "read", "--describe"])).stdout).toContain('"path"');
  });

  it("knows the tools in the form that the settings give them, and takes one JSON text", async () => {
    await box.run(["config", "set", "editVariant", "patch"]);
    expect((await box.run(["tool", "edit", "--describe"])).stdout).toContain('"diff"');
    const split = await box.run(["tool", "read_file", "{file_path:", "package.json}"]);
    expect(split).toMatchObject({ code: 2, stderr: expect.stringContaining("one JSON text in quotes") });
  });

  it("keeps to the permission mode it is given", async () => {
    const denied = await box.run([
      "tool",
      "write_file",
      '{"file_path":"x","content":"x"}',
      "--permission-mode",
      "read-only",
    ]);
    expect(denied).toMatchObject({ code: 1, stdout: expect.stringContaining("read-only") });
  });
});

describe("lathe prompt", () => {
  it("D-041 shows what would be sent, part by part, without a credential and without sending", async () => {
    await writeFile(join(box.dir, "AGENTS.md"), "Always be kind.");
    const { code, stdout } = await box.run(["prompt", "--model", "anthropic/claude-opus-4-6", "hello"]);
    expect(code).toBe(0);
    expect(stdout).toContain("You are Lathe");
    expect(stdout).toContain("Always be kind.");
    expect(stdout).toMatch(/\d+ +tool schemas +edit_file/);
    expect(stdout).toMatch(/tool schemas \(\d+\)/);
  });
});
