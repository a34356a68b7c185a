// Guards from other agents: each refuses here what it refuses there, or Lathe says that it cannot run it.

import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finished } from "./command.ts";
import { cursorHooks, PI_GATE, PI_PATHS, rulesPlugin, write } from "./guards-kit.ts";
import { ROGUE } from "./mcp/kit.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const file = (name: string): string => join(rig.box.dir, name);
const here = (name: string): string => join(rig.box.home, name);
const run = (...args: string[]): Promise<Finished> => rig.box.run(args, { env: rig.env });
const print = (...args: string[]): Promise<Finished> => run(...MODEL, "--permission-mode", "full", "-p", ...args, "go");
/** The model makes these calls, then ends. */
const calls = (...list: Parameters<typeof turn.calls>[0][number][]): void =>
  void rig.server.push(...list.map((call) => turn.calls([call])), turn.text("done"));
const shell = (command: string) => ({ name: "shell", args: { command } });
const patch = (path: string) => ({
  name: "apply_patch",
  args: { patch: `*** Begin Patch\n*** Add File: ${path}\n+text\n*** End Patch` },
});
const request = (at: number): string => JSON.stringify(rig.server.requests[at]?.body);

describe("plugins", () => {
  it.each([
    ["with the key hooks", (events: object) => ({ description: "rules", hooks: events })],
    ["without it", (events: object) => events],
  ])("EX-10 a guard finds its folder and knows the tools by Claude's names, its file %s", async (_, shape) => {
    await run("plugin", "add", rulesPlugin(here("src/rules"), shape), "--yes");
    write(file("data/a"), "");
    calls(shell("rm -rf data"), { name: "write_file", args: { file_path: ".env", content: "A=1" } }, patch("sub/.env"));
    const { stderr } = await print();
    expect(stderr).not.toContain("import error");
    expect([existsSync(file("data/a")), existsSync(file(".env")), existsSync(file("sub/.env"))]).toEqual([
      true,
      false,
      false,
    ]);
    for (const at of [1, 2, 3]) expect(request(at)).toContain("Not with these rules.");
  });

  it("hooks that the manifest names or holds run as well", async () => {
    const root = rulesPlugin(here("src/rules"), () => ({}));
    const hook = (line: string) => ({ PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: line }] }] });
    write(join(root, "more/hooks.json"), { hooks: hook("echo 'from the named file' >&2; exit 2") });
    write(join(root, ".claude-plugin/plugin.json"), { name: "rules", hooks: "./more/hooks.json" });
    await run("plugin", "add", root, "--yes");
    calls(shell("touch made"));
    await print();
    expect(request(1)).toContain("from the named file");
    write(here(".lathe/plugins/rules/.claude-plugin/plugin.json"), {
      name: "rules",
      hooks: hook(`echo "from the manifest in $CLAUDE_PLUGIN_ROOT" >&2; exit 2`),
    });
    calls(shell("touch made"));
    await print();
    expect(request(3)).toContain(`from the manifest in ${here(".lathe/plugins/rules")}`);
    expect(existsSync(file("made"))).toBe(false);
  });

  it("CLAUDE_PLUGIN_ROOT in the text of a command is the folder of its plugin", async () => {
    const root = rulesPlugin(here("src/rules"));
    write(join(root, "commands/where.md"), `Look into $\{CLAUDE_PLUGIN_ROOT}/core.\n`);
    await run("plugin", "add", root, "--yes");
    rig.server.push(turn.text("done"));
    await run(...MODEL, "-p", "/rules:where");
    expect(request(0)).toContain(`Look into ${here(".lathe/plugins/rules/core")}.`);
  });
});

describe("hooks in Claude's words", () => {
  const theirs = (line: string, matcher: string): string =>
    write(here(".claude/settings.json"), {
      hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: line }] }] },
    });

  it("EX-04 a patch of several files is shown as one edit for each, with its text", async () => {
    theirs(`cat >> ${file("told")}`, "Edit");
    const text = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Add File: b.txt\n+two\n*** End Patch";
    calls({ name: "apply_patch", args: { patch: text } });
    await print();
    const told = readFileSync(file("told"), "utf8").trimEnd().split("\n");
    expect(told.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { tool_name: "Edit", tool_input: { file_path: file("a.txt"), new_string: text } },
      { tool_name: "Edit", tool_input: { file_path: file("b.txt"), new_string: text } },
    ]);
  });

  it("EX-04 tools that are unknown there are shown as the commands, edits and searches that they come to", async () => {
    const refuse = (matcher: string, what: string) => ({
      matcher,
      hooks: [
        {
          type: "command",
          command: `told=$(cat); printf "%s\\n" "$told" >> ${file("told")}; case "$told" in *'${what}'*) echo 'no ${matcher} here' >&2; exit 2;; esac`,
        },
      ],
    });
    write(here(".claude/settings.json"), {
      hooks: { PreToolUse: [refuse("Bash", ""), refuse("Edit", "a = 2"), refuse("Grep", "kept.ts")] },
    });
    write(file("a.ts"), "const a = 1;\n");
    write(file("kept.ts"), "const hidden = 1;\n");
    const find = (query: string) => ({ name: "search_tool_bm25", args: { query } });
    const code = 'require("node:fs").writeFileSync("made", "")';
    const rewrite = { ops: [{ pat: "const a = 1", out: "const a = 2" }], paths: ["a.ts"] };
    calls(
      ...[find("eval cells of code"), { name: "eval", args: { cells: [{ language: "js", code }] } }],
      ...[find("ast_edit rewrite code"), { name: "ast_edit", args: rewrite }],
      { name: "resolve", args: { action: "apply", reason: "as planned" } },
      ...[find("ast_grep find code"), { name: "ast_grep", args: { pat: "const $A = 1", paths: ["kept.ts"] } }],
    );
    await print();
    expect([request(7).includes("no Grep here"), request(7).includes("const hidden")]).toEqual([true, false]);
    expect([request(2).includes("no Bash here"), request(5).includes("no Edit here")]).toEqual([true, true]);
    expect([existsSync(file("made")), readFileSync(file("a.ts"), "utf8")]).toEqual([false, "const a = 1;\n"]);
    const told = readFileSync(file("told"), "utf8").trimEnd().split("\n");
    expect(told.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { tool_name: "Bash", tool_input: { command: expect.stringContaining("node -e") } },
      { tool_name: "Grep", tool_input: { path: file("a.ts") } },
      {
        tool_name: "Edit",
        tool_input: { file_path: file("a.ts"), old_string: "const a = 1;", new_string: "const a = 2" },
      },
      { tool_name: "Grep", tool_input: { path: file("kept.ts") } },
    ]);
  });

  it("a link does not hide the file behind it", async () => {
    theirs(`grep -q secret.txt && { echo 'not this one' >&2; exit 2; }; exit 0`, "Read");
    write(file("secret.txt"), "classified");
    symlinkSync("secret.txt", file("plain.txt"));
    calls({ name: "read_file", args: { file_path: "plain.txt" } });
    await print();
    expect(request(1)).toContain("not this one");
    expect(request(1)).not.toContain("classified");
  });

  it("arguments that a hook changes are carried over to the tool, or the call is refused", async () => {
    const change = (input: object): string =>
      `echo '${JSON.stringify({ hookSpecificOutput: { permissionDecision: "allow", updatedInput: input } })}'`;
    theirs(change({ command: "touch other", timeout: 5000, run_in_background: false }), "Bash");
    calls(shell("touch made"));
    await print();
    expect([existsSync(file("made")), existsSync(file("other"))]).toEqual([false, true]);
    theirs(change({ new_string: "something else" }), "Edit");
    calls(patch("a.txt"));
    await print();
    expect(existsSync(file("a.txt"))).toBe(false);
    expect(request(3)).toContain("changed arguments that this tool does not have");
  });
});

describe("a guard that cannot run here", () => {
  it("is an error of lathe discover and one line at the start; other hooks are a warning of lathe discover only", async () => {
    write(here(".claude/settings.json"), {
      hooks: {
        PreToolUse: [{ hooks: [{ type: "prompt", prompt: "Is this safe?" }] }],
        WorktreeCreate: [{ hooks: [{ type: "command", command: "true" }] }],
      },
    });
    const listed = await run("discover", "hook");
    expect(listed.stdout).toMatch(
      /Errors\n {2}~\/\.claude\/settings\.json:1: a hook of PreToolUse cannot run here: hooks of the type prompt are not supported\./,
    );
    expect(listed.stdout).toMatch(/Warnings\n.*there is no event WorktreeCreate/);
    rig.server.push(turn.text("done"));
    const { stderr } = await print();
    expect(stderr.match(/cannot run here/g)).toHaveLength(1);
    expect(stderr).toContain("Nothing is guarded by this:");
    expect(stderr).not.toContain("WorktreeCreate");
    const { errors } = JSON.parse((await run("discover", "--json")).stdout) as { errors: unknown[] };
    expect(errors).toHaveLength(1);
  });

  it("is also one whose program or script is not there; it runs again as soon as it is", async () => {
    const hook = (command: string, event = "PreToolUse") => ({ [event]: [{ hooks: [{ type: "command", command }] }] });
    const settings = here(".claude/settings.json");
    const script = here("tools/guard.sh");
    write(settings, {
      hooks: { ...hook(`sh -c true; "${script}"`), ...hook(`"${script}" --check`, "UserPromptSubmit") },
    });
    const listed = await run("discover", "hook");
    expect(listed.stdout).toContain(`a hook of UserPromptSubmit cannot run here: ~/tools/guard.sh does not exist.`);
    expect(listed.stdout).not.toContain("a hook of PreToolUse cannot run here");
    write(settings, { hooks: hook(`python3 "${script}"`) });
    const bare = await rig.box.run(["discover", "hook"], { env: { ...rig.env, PATH: here("bin") } });
    expect(bare.stdout).toContain("a hook of PreToolUse cannot run here: python3 is not installed.");
    write(settings, { hooks: hook(`bash "${script}"`) });
    calls(shell("touch made"));
    expect((await print()).stderr).toContain(`Nothing is guarded by this: ${settings}:1: a hook of PreToolUse`);
    write(script, "echo 'not now' >&2; exit 2\n");
    calls(shell("touch later"));
    expect((await print()).stderr).not.toContain("Nothing is guarded");
    expect([existsSync(file("made")), existsSync(file("later"))]).toEqual([true, false]);
  });
});

it("EX-04 a hook of Copilot is given Copilot's fields, and its denial denies", async () => {
  const script = `let told = require("node:fs").readFileSync(0, "utf8"); require("node:fs").writeFileSync("told", told);
    console.log(JSON.stringify({ permissionDecision: "deny", permissionDecisionReason: "Not from Copilot." }))`;
  write(file("hook.cjs"), script);
  const hook = { type: "command", bash: `"${process.execPath}" hook.cjs` };
  write(file(".github/hooks/guard.json"), { version: 1, hooks: { preToolUse: [hook] } });
  await run("trust");
  calls(shell("touch made"));
  await print();
  expect(existsSync(file("made"))).toBe(false);
  expect(request(1)).toContain("Not from Copilot.");
  const { toolName, toolArgs } = JSON.parse(readFileSync(file("told"), "utf8"));
  expect([toolName, JSON.parse(toolArgs)]).toEqual(["bash", { command: "touch made" }]);
});

it("EX-04 a run that is recorded says that hooks do not guard it", async () => {
  write(here(".claude/settings.json"), {
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] },
  });
  calls(shell("echo fine"));
  const { stderr } = await print("--record", here("tape"));
  expect(stderr).toContain("lathe: Hooks do not run in a run that is recorded; nothing is guarded.\n");
});

describe("Cursor's hooks", () => {
  const told = (event: string): unknown => JSON.parse(readFileSync(file(`told-${event}`), "utf8"));
  it("EX-04 beforeShellExecution denies a command once the folder is trusted, and never runs before", async () => {
    cursorHooks(rig.box.dir, { beforeShellExecution: "/touch/.test(told.command)" });
    calls(shell("touch made"));
    await print();
    expect([existsSync(file("made")), existsSync(file("told-beforeShellExecution"))]).toEqual([true, false]);
    await run("trust");
    calls(shell("touch again"), shell("echo fine"));
    const { stderr } = await print();
    expect(existsSync(file("again"))).toBe(false);
    expect(request(3)).toContain("beforeShellExecution says no.");
    expect(stderr).toContain("refused");
    expect(told("beforeShellExecution")).toMatchObject({
      command: "echo fine",
      cwd: rig.box.dir,
      workspace_roots: [rig.box.dir],
      hook_event_name: "beforeShellExecution",
      conversation_id: expect.stringMatching(/./),
    });
  });

  it("beforeReadFile is given the content and denies the reading", async () => {
    write(file("keys.txt"), "classified");
    cursorHooks(rig.box.dir, {
      beforeReadFile: "/classified/.test(told.content) && told.file_path.endsWith('keys.txt')",
    });
    await run("trust");
    calls({ name: "read_file", args: { file_path: "keys.txt" } });
    await print();
    expect(request(1)).toContain("beforeReadFile says no.");
    expect(request(1)).not.toContain("classified");
  });

  it("afterFileEdit is told of the file and the change", async () => {
    cursorHooks(rig.box.dir, { afterFileEdit: "false" });
    await run("trust");
    calls({ name: "write_file", args: { file_path: "a.txt", content: "hello" } });
    await print();
    expect(told("afterFileEdit")).toMatchObject({
      file_path: file("a.txt"),
      edits: [{ old_string: "", new_string: "hello" }],
    });
  });

  it("beforeMCPExecution denies a call of a server's tool; one that fails and is failClosed denies too", async () => {
    write(here(".lathe/mcp.json"), {
      mcpServers: { all: { command: process.execPath, args: [ROGUE] } },
    });
    cursorHooks(rig.box.dir, {
      beforeMCPExecution: `told.tool_name === "echo" && JSON.parse(told.tool_input).text === "hi"`,
    });
    await run("trust");
    calls({ name: "mcp__all__echo", args: { text: "hi" } });
    await print();
    expect(request(1)).toContain("beforeMCPExecution says no.");
    write(file(".cursor/hooks.json"), {
      version: 1,
      hooks: { beforeMCPExecution: [{ command: "exit 1", failClosed: true }] },
    });
    await run("trust");
    calls({ name: "mcp__all__echo", args: { text: "hi" } });
    await print();
    expect(request(3)).toMatch(/ended with code 1, and it must not be skipped/);
  });
});

describe("extensions for pi", () => {
  const extension = (name: string, text: string): string => write(here(`.lathe/extensions/${name}.ts`), text);
  /** Extensions run in a process of their own. */
  const runBuilt = (...args: string[]): Promise<Finished> =>
    rig.box.runBuilt([...MODEL, "--permission-mode", "full", ...args], { env: rig.env });

  it("EX-03 guards for commands and paths know the calls of every tool by pi's names and arguments", async () => {
    extension("permission-gate", PI_GATE);
    extension("protected-paths", PI_PATHS);
    calls(
      shell("sudo touch made"),
      { name: "write_file", args: { file_path: "keep/a", content: "A=1" } },
      patch("keep/b"),
      patch("fine.txt"),
    );
    await runBuilt("-p", "go");
    const made = ["made", "keep/a", "keep/b", "fine.txt"].map((name) => existsSync(file(name)));
    expect(made).toEqual([false, false, false, true]);
    expect(request(1)).toContain("Dangerous, and not confirmed");
    expect(request(2)).toContain(`Path ${file("keep/a")} is protected`);
    expect(request(3)).toContain(`Path ${file("keep/b")} is protected`);
  });

  it("arguments that a handler changes in place are those that run; tools and commands in pi's form work", async () => {
    extension(
      "changer",
      `export default function (pi) {
        pi.on("tool_call", (event) => {
          if (event.toolName === "bash") event.input.command = event.input.command.replace("made", "other");
        });
        pi.registerTool({
          name: "greet",
          description: "Greets.",
          parameters: { type: "object", properties: { who: { type: "string" } } },
          execute: async (id, params) => ({ content: [{ type: "text", text: "Hello " + params.who }] }),
        });
        pi.registerCommand("hi", { description: "says hi", handler: async (args) => "Say hi to " + args });
      }`,
    );
    calls(shell("touch made"), { name: "greet", args: { who: "Ada" } });
    await runBuilt("-p", "/hi Bob");
    expect([existsSync(file("made")), existsSync(file("other"))]).toEqual([false, true]);
    expect(request(0)).toContain("Say hi to Bob");
    expect(request(2)).toContain("Hello Ada");
  });

  it("one that waits for something that does not happen here is not loaded, and named at the start and by discover", async () => {
    extension("typed", `export default (pi) => pi.on("user_bash", () => ({ block: true, reason: "no" }));`);
    rig.server.push(turn.text("done"));
    const { stderr } = await runBuilt("-p", "go");
    expect(stderr).toContain("the extension typed cannot run here: it was written for pi and waits for user_bash");
    expect((await run("discover")).stdout).toMatch(/Errors\n.*the extension typed cannot run here/);
    rig.server.push(turn.text("done"));
    const named = await runBuilt("--extension", here(".lathe/extensions/typed.ts"), "-p", "go");
    expect(named.stderr).toContain("It was written for pi, and nothing of it takes effect.");
  });
});
