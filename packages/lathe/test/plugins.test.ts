// `lathe plugin`: from a folder, a git repository, a package and a marketplace; the plugin's content is used.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI } from "./command.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";
import { hasScript, Terminal } from "./terminal.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const here = (path: string): string => join(rig.box.home, path);
function write(path: string, text: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
}
const plugin = (...words: string[]): ReturnType<Setup["box"]["run"]> =>
  rig.box.run(["plugin", ...words], { env: rig.env });

/** With a bit of everything; its hook leaves a file. */
function sample(root = here("sample")): string {
  write(join(root, ".claude-plugin/plugin.json"), { name: "sample", version: "1.2.0", description: "shows how" });
  write(join(root, "package.json"), { name: "sample", version: "1.2.0" });
  write(join(root, "commands/greet.md"), "Say hello to $1.\n");
  write(join(root, "agents/helper.md"), "---\nname: helper\ndescription: helps\n---\nHelp.\n");
  write(join(root, "hooks/hooks.json"), {
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `touch ${here("hooked")}; cat > /dev/null` }] }] },
  });
  write(join(root, ".mcp.json"), {
    mcpServers: { clock: { command: "node", args: [`$\{CLAUDE_PLUGIN_ROOT}/clock.mjs`] } },
  });
  return root;
}

describe("lathe plugin", () => {
  it("EX-10 shows what a plugin brings before it is installed, and installs nothing without a yes", async () => {
    const refused = await plugin("add", sample());
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("sample 1.2.0 (shows how) contains:");
    expect(refused.stdout).toContain("command sample:greet");
    expect(refused.stdout).toContain(`hook on PreToolUse, runs: touch ${here("hooked")}`);
    expect(refused.stdout).toMatch(/MCP server clock, runs: node .*clock\.mjs/);
    expect(refused.stderr).toContain("Not installed.");
    expect((await plugin("list")).stdout).toContain("No plugins are installed.");
  });

  it("EX-10 what an installed plugin brings is found and used, until it is disabled or removed", async () => {
    expect((await plugin("add", sample(), "--yes")).stdout).toContain("Installed sample.");
    const found = (await rig.box.run(["discover"], { env: rig.env })).stdout;
    for (const name of ["sample:greet", "sample:helper", "clock"]) expect(found).toContain(name);
    const go = async (): Promise<boolean> => {
      rig.server.push(turn.calls([{ name: "glob", args: { pattern: "*" } }]), turn.text("done"));
      await rig.box.run([...MODEL, "-p", "go"], { env: rig.env });
      return existsSync(here("hooked"));
    };
    await plugin("disable", "sample");
    expect(await go()).toBe(false);
    await plugin("enable", "sample");
    expect(await go()).toBe(true);
    expect((await plugin("remove", "sample")).stdout).toContain("Removed sample.");
    expect((await rig.box.run(["discover"], { env: rig.env })).stdout).not.toContain("sample:greet");
  });

  it("from a git repository, a packed package and a marketplace; nothing of theirs runs while they are fetched", async () => {
    const git = (folder: string, ...args: string[]): void => {
      const who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
      execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore" });
    };
    const repository = sample(here("repository"));
    git(repository, "init", "-b", "main");
    git(repository, "add", "--all");
    git(repository, "commit", "-m", "one");
    expect((await plugin("add", `file://${repository}`, "--yes")).stdout).toContain("Installed sample.");
    expect(existsSync(here(".lathe/plugins/sample/.git"))).toBe(false);
    await plugin("remove", "sample");

    const packed = sample(here("packed"));
    write(join(packed, "package.json"), {
      name: "sample",
      version: "1.2.0",
      scripts: { postinstall: `touch ${here("ran")}` },
    });
    execFileSync("npm", ["pack", "--silent", "--pack-destination", rig.box.home], { cwd: packed, stdio: "ignore" });
    expect((await plugin("add", `npm:${here("sample-1.2.0.tgz")}`, "--yes")).stdout).toContain("Installed sample.");
    expect(existsSync(here("ran"))).toBe(false);
    await plugin("remove", "sample");

    const market = here("market");
    sample(join(market, "plugins/sample"));
    write(join(market, ".claude-plugin/marketplace.json"), {
      name: "shop",
      plugins: [
        { name: "sample", source: "./plugins/sample", description: "shows how" },
        { name: "outside", source: "../../sample" },
      ],
    });
    expect((await plugin("marketplace", "add", market)).stdout).toContain("Added shop with 2 plugins.");
    expect((await plugin("marketplace", "list")).stdout).toContain("sample@shop  shows how");
    expect((await plugin("add", "outside@shop", "--yes")).stderr).toContain(
      "a kind of source that Lathe does not know",
    );
    expect((await plugin("add", "sample@shop", "--yes")).stdout).toContain("Installed sample.");
    expect(JSON.parse(readFileSync(here(".lathe/plugins/installed.json"), "utf8"))).toMatchObject({
      plugins: { sample: { source: "sample@shop", version: "1.2.0" } },
    });
  });

  it.skipIf(!hasScript)("EX-10 Ctrl+C and Ctrl+D at the question are a no, and nothing is left behind", async () => {
    const root = sample();
    const terminal = new Terminal(rig.box, rig.env);
    try {
      for (const key of ["\x03", "\x04"]) {
        const asked = terminal.type(`node ${CLI} plugin add ${root}`);
        const { output, code } = await terminal.reply(asked, /Install it\? \[y\/N\] /, key);
        expect(output).toContain("lathe: Not installed.");
        expect(code).toBe(1);
        expect(readdirSync(here(".lathe/plugins"))).toEqual([]);
      }
    } finally {
      await terminal.close();
    }
  });

  it("wrong words and sources are one line each", async () => {
    expect(await plugin("add", "./nothing/here/at/all")).toMatchObject({ code: 2, stdout: "" });
    expect((await plugin("add", "file:///nowhere/at/all")).stderr).toMatch(/could not be fetched: fatal:/);
    expect((await plugin("enable", "constructor")).stderr).toContain("constructor is not installed.");
    expect(await plugin("marketplace", "remove", "nope")).toMatchObject({
      code: 2,
      stderr: "lathe: There is no marketplace nope. See: lathe plugin marketplace list\n",
    });
    const escaping = sample(here("escaping"));
    write(join(escaping, ".claude-plugin/plugin.json"), { name: ".." });
    expect((await plugin("add", escaping, "--yes")).stderr).toContain('".." cannot be the name of a plugin');
    write(join(escaping, ".claude-plugin/plugin.json"), { name: "x\x1b[2J" });
    expect((await plugin("add", escaping, "--yes")).stderr).toContain('"x" cannot be the name of a plugin');
    mkdirSync(here("empty"));
    expect((await plugin("add", here("empty"), "--yes")).stderr).toContain("contains nothing that Lathe can use");
    expect((await plugin("frobnicate")).code).toBe(2);
  });

  it("EX-10 a marketplace whose plugins share its own folder, with lists of skills: only the listed are installed, and one runs", async () => {
    const market = here("market");
    const skill = (name: string, text: string): void =>
      write(join(market, `skills/${name}/SKILL.md`), `---\nname: ${name}\ndescription: ${name} files\n---\n${text}\n`);
    skill("xlsx", "Open the sheet with openpyxl.");
    skill("pdf", "Use pypdf.");
    skill("art", "Draw.");
    write(join(market, "notes/SKILL.md"), "---\nname: notes\n---\nNo description.\n");
    write(join(market, ".claude-plugin/marketplace.json"), {
      name: "agent-skills",
      owner: { name: "o" },
      metadata: { version: "1.0.0" },
      plugins: [
        { name: "documents", source: "./", strict: false, skills: ["./skills/xlsx", "./skills/pdf", "./notes"] },
        { name: "examples", source: "./", strict: false, skills: ["./skills/art"] },
      ],
    });
    await plugin("marketplace", "add", market);
    const added = await plugin("add", "documents@agent-skills", "--yes");
    expect(added.stdout).toContain("skill documents:xlsx\n  skill documents:pdf\n");
    expect(added.stdout).not.toContain("art");
    expect(added.stdout).toContain("notes/SKILL.md: it has no description, so the model is not told about this skill.");
    await plugin("add", "examples@agent-skills", "--yes");
    rig.server.push(turn.text("done"));
    await rig.box.run([...MODEL, "-p", "/skill:documents:xlsx sum column A"], { env: rig.env });
    expect(rig.server.requests.at(-1)!.text).toContain("Open the sheet with openpyxl.");
    expect(rig.server.requests.at(-1)!.text).toContain("examples:art");
    expect(rig.server.requests.at(-1)!.text).not.toContain("examples:xlsx");
  });

  it("EX-10 a plugin added by a relative path is updated from any folder; bad frontmatter is named before it is installed", async () => {
    sample(join(rig.box.dir, "p"));
    write(join(rig.box.dir, "p/agents/bad.md"), "---\nname: bad\n---\nx\n");
    write(join(rig.box.dir, "p/commands/odd.md"), "---\ndescription: [\n---\nx\n");
    const added = await plugin("add", "./p", "--yes");
    expect(added.stdout).toContain(
      "warning: agents/bad.md: it has no description; say in one line when to use the agent.",
    );
    expect(added.stdout).toMatch(/warning: commands\/odd\.md:\d: the frontmatter is /);
    write(join(rig.box.dir, "p/commands/later.md"), "Later.\n");
    const updated = await rig.box.run(["plugin", "update", "sample", "--yes"], { env: rig.env, cwd: rig.box.home });
    expect(updated.stdout).toContain("command sample:later");
  });

  it("EX-10 an update reads the marketplace's list anew, which may name another folder; pluginRoot stands before bare sources", async () => {
    const market = here("market");
    const list = (metadata: object, source: string): void =>
      write(join(market, "marketplace.json"), { name: "shop", metadata, plugins: [{ name: "sample", source }] });
    sample(join(market, "plugins/sample"));
    list({ pluginRoot: "./plugins" }, "sample");
    await plugin("marketplace", "add", market);
    expect(await plugin("add", "sample@shop", "--yes")).toMatchObject({ code: 0, stderr: "" });
    sample(join(market, "moved"));
    write(join(market, "moved/commands/later.md"), "Later.\n");
    list({}, "./moved");
    expect((await plugin("update", "sample@shop", "--yes")).stdout).toContain("command sample:later");
    write(join(market, "moved/commands/latest.md"), "Latest.\n");
    expect((await plugin("update", "sample", "--yes")).stdout).toContain("command sample:latest");
    expect(await plugin("update", "sample@other", "--yes")).toMatchObject({
      code: 2,
      stderr: "lathe: sample was not installed from other, but from sample@shop.\n",
    });
  });
});
