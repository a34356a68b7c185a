// Files that other agents read outside their folders, what is listed as unsupported, and which effects `discover` and
// `trust` report.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../command.ts";
import { project } from "../project-kit.ts";

describe("what a session sends", () => {
  it("EX-12 instructions of opencode.json: files and globs, from its folder or above, nothing from outside, no address", async () => {
    await using rig = await project({
      "project/opencode.json": JSON.stringify({
        instructions: ["CONTRIBUTING.md", "docs/**/*.md", ".rules/{a,b}.md", "../outside.md", "https://x.example/r.md"],
      }),
      "project/CONTRIBUTING.md": "Sign your commits.",
      "project/docs/deep/er.md": "Deep text.",
      "project/.rules/b.md": "Hidden folder.",
      "outside.md": "SECRET",
    });
    await rig.say("go", turn.text("done"));
    for (const text of ["Sign your commits.", "Deep text.", "Hidden folder."]) expect(rig.system()).toContain(text);
    expect(rig.system()).not.toContain("SECRET");
    expect(rig.warnings().join("\n")).toContain("the instructions at https://x.example/r.md are not fetched");
  });

  it("EX-12 context.fileName of Gemini, .cursorrules and .windsurfrules", async () => {
    await using rig = await project({
      "project/.gemini/settings.json": JSON.stringify({ context: { fileName: ["CONTEXT.md", "../outside.md"] } }),
      "project/CONTEXT.md": "Named by settings.",
      "outside.md": "SECRET",
      "project/.cursorrules": "Old rules of Cursor.",
      "project/.windsurfrules": "Old rules of Windsurf.",
      "project/.continue/rules/go.md": "---\nname: go\n---\nRules of Continue.",
    });
    await rig.say("go", turn.text("done"));
    for (const text of ["Named by settings.", "Old rules of Cursor.", "Old rules of Windsurf.", "Rules of Continue."])
      expect(rig.system()).toContain(text);
    expect(rig.system()).not.toContain("SECRET");
  });

  it("G-93 rules of more than 8 kB in every request are named with their size", async () => {
    await using rig = await project({
      "project/.clinerules/long.md": "x".repeat(7_000),
      "project/.cursorrules": "y".repeat(2_000),
    });
    expect(rig.warnings()).toEqual([
      `Rules add 9.0 kB to every request: ${rig.cwd}/.clinerules/long.md (7.0 kB), ${rig.cwd}/.cursorrules (2.0 kB). To switch one off: /extensions rule`,
    ]);
  });
});

describe("discover and trust", () => {
  let box: Sandbox;
  beforeEach(async () => {
    box = await sandbox();
  });
  afterEach(() => box.remove());
  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, text] of Object.entries({ ".git/HEAD": "", ...files })) {
      const file = join(path.startsWith("~/") ? box.home : box.dir, path.replace(/^~\//, ""));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  };

  it("EX-01 what Lathe does not use of other agents is listed, with the way around it", async () => {
    await write({
      ".continue/mcpServers/db.yaml": "a",
      ".opencode/tool/math.ts": "a",
      ".opencode/plugin/log.js": "a",
      ".claude/output-styles/terse.md": "a",
    });
    const { stdout } = await box.run(["discover"]);
    expect(stdout).toMatch(/^Not supported$/m);
    for (const [name, reason] of [
      ["mcpServers/db.yaml", "add the server with lathe mcp add"],
      ["tool/math.ts", "write one for .lathe/tools"],
      ["plugin/log.js", "write an extension"],
      ["output-styles/terse.md", "APPEND_SYSTEM.md"],
    ] as const)
      expect(stdout.split("\n").find((line) => line.includes(name))).toMatch(new RegExp(`not supported; .*${reason}`));
  });

  it("EX-01 discover says when a rule is sent, and which have no effect", async () => {
    await write({
      ".cursorrules": "x".repeat(1_234),
      ".cursor/rules/ts.mdc": "---\nglobs: '*.ts'\n---\na",
      ".cursor/rules/manual.mdc": "---\nalwaysApply: false\n---\na",
      ".mcp.json": '{"mcpServers": {"off": {"command": "a", "disabled": true}}}',
      "~/.gemini/settings.json": '{"theme": "x"}',
    });
    await box.run(["trust"]);
    const { stdout } = await box.run(["discover"]);
    const remark = (word: string): string => stdout.split("\n").find((line) => line.includes(word)) ?? "";
    expect(remark("cursorrules")).toMatch(/in every request, 1\.2 kB$/);
    expect(remark("ts.mdc")).toMatch(/sent with files that match$/);
    expect(remark("manual.mdc")).toMatch(/no effect: it has no description, globs or alwaysApply$/);
    expect(remark(".mcp.json")).toMatch(/switched off in its file$/);
    expect((await box.run(["discover", "settings"])).stdout).toContain("no effect: another agent's settings");
  });

  it("EX-01 trust does not say of a shadowed or disabled file that it takes effect", async () => {
    await write({
      ".mcp.json": '{"mcpServers": {"a": {"command": "a"}}}',
      ".vscode/mcp.json": '{"servers": {"b": {"command": "b"}}}',
      "~/.claude.json": '{"mcpServers": {"a": {"command": "mine"}}}',
    });
    expect((await box.run(["trust"])).stdout).toContain(
      "Takes effect: .vscode/mcp.json. Trusted, but without effect (see lathe discover): .mcp.json.",
    );
  });
});
