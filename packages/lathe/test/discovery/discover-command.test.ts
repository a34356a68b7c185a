// `lathe discover` and `lathe trust` as users run them.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(() => box.remove());

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(path.startsWith("~/") ? box.home : box.dir, path.replace(/^~\//, ""));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

it("EX-01 shows what was found, from where, and what shadows it; a disabled provider stays so at the next start", async () => {
  await write({
    ".git/HEAD": "",
    ".lathe/commands/fix.md": "a",
    ".claude/commands/fix.md": "b",
    "~/.codex/prompts/fix.md": "c",
  });
  const first = await box.run(["discover", "commands"]);
  expect(first).toEqual({
    code: 0,
    stdout: `Commands
  fix  Lathe, project        .lathe/commands/fix.md
  fix  Claude Code, project  .claude/commands/fix.md  shadowed by .lathe/commands/fix.md
  fix  Codex, user           ~/.codex/prompts/fix.md  shadowed by .lathe/commands/fix.md
`,
    stderr: "",
  });
  await box.run(["config", "set", "discovery.disabledProviders", "claude"]);
  const { stdout } = await box.run(["discover"]);
  expect(stdout).not.toContain("Claude Code");
  expect(stdout).toContain("\nNot looked for (discovery.disabledProviders): claude\n");
  expect((await box.run(["discover", "providers"])).stdout).toMatch(
    /^native +Lathe +100\nplugins +Lathe plugins +90\nclaude +Claude Code +80 +disabled$/m,
  );
});

it("EX-01 as JSON: states and sources, and no values, which may hold keys", async () => {
  await write({
    ".git/HEAD": "",
    ".mcp.json": '{"mcpServers": {"a": {"command": "a", "env": {"KEY": "hidden-key"}}}}',
    "~/.claude.json":
      '{"mcpServers": {"b": {"url": "https://b.example", "headers": {"Authorization": "hidden-token"}}}}',
    "~/.gemini/settings.json": "{",
  });
  const { code, stdout, stderr } = await box.run(["discover", "--json", "mcp-server"]);
  const listing = JSON.parse(stdout);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toContain("hidden");
  expect(listing.items).toMatchObject([
    { kind: "mcp-server", name: "b", state: "active", source: { provider: "claude", level: "user", line: 1 } },
    { name: "a", state: "ignored", reason: "this folder is not trusted", source: { path: join(box.dir, ".mcp.json") } },
  ]);
  expect(listing.warnings).toMatchObject([{ path: join(box.home, ".gemini/settings.json"), line: 1 }]);
  expect(listing.providers[0]).toEqual({ id: "native", name: "Lathe", priority: 100, isEnabled: true });
});

it("EX-01 lathe trust lets servers, hooks and extensions take effect, until one changes", async () => {
  await write({
    ".git/HEAD": "",
    ".mcp.json": '{"mcpServers": {"a": {"command": "a"}}}',
    ".lathe/extensions/e/index.ts": "1",
    ".lathe/extensions/e/lib/part.ts": "1",
  });
  const untrusted = await box.run(["discover"]);
  expect(untrusted.stdout.match(/ignored: this folder is not trusted/g)).toHaveLength(2);
  expect(untrusted.stderr).toBe(
    "lathe: This folder is not trusted; ignored: .mcp.json (mcp-server a); .lathe/extensions/e/index.ts (extension e). To let them take effect: lathe trust\n",
  );
  expect((await box.run(["trust"])).stdout).toContain(
    "Takes effect: .lathe/extensions/e/index.ts, .lathe/extensions/e/lib/part.ts, .mcp.json.",
  );
  expect((await box.run(["discover"])).stdout).not.toContain("ignored");
  await write({ ".lathe/extensions/e/lib/part.ts": "2" });
  expect((await box.run(["discover", "extension"])).stdout).toContain(
    "ignored: new or changed since this folder was trusted",
  );
});

it("EX-02 EX-05 a file among the tools that is no module is listed with the reason, and trust promises nothing of it", async () => {
  await write({ ".git/HEAD": "", ".lathe/tools/run.sh": "x", ".lathe/tools/count.ts": "export default 1" });
  expect((await box.run(["trust"])).stdout).toContain(
    "Takes effect: .lathe/tools/count.ts. Trusted, but without effect (see lathe discover): .lathe/tools/run.sh.",
  );
  expect((await box.run(["discover", "tool"])).stdout).toMatch(
    /tools\/count\.ts *\n.*tools\/run\.sh +ignored: a tool is a \.ts or \.js file/,
  );
});

it("bad words get one line", async () => {
  expect(await box.run(["discover", "skils"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^lathe: There is no kind "skils"\. Did you mean skill\? Kinds: context-file, .*, or providers\.\n$/,
    ),
  });
  expect(await box.run(["discover", "skill", "x"])).toMatchObject({ code: 2, stdout: "" });
  expect(await box.run(["discover"])).toEqual({ code: 0, stdout: "Nothing was found.\n", stderr: "" });
});
