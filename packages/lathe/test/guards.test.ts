// Guards that people brought from other agents: each refuses here what it refuses there, or Lathe says that it cannot run.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finished } from "./command.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const file = (name: string): string => join(rig.box.dir, name);
const here = (name: string): string => join(rig.box.home, name);
function write(path: string, text: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
}
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

/** A plugin that finds its own parts by CLAUDE_PLUGIN_ROOT, and lets everything pass when it does not find them. */
function rulesPlugin(hooks: (events: object) => object = (events) => events): string {
  const root = here("src/rules");
  write(join(root, ".claude-plugin/plugin.json"), { name: "rules", version: "1.0.0" });
  write(
    join(root, "core/judge.cjs"),
    `module.exports = ({ tool_name, tool_input }) =>
      (tool_name === "Bash" && /rm -rf/.test(tool_input.command)) ||
      (["Edit", "Write"].includes(tool_name) && /\\.env$/.test(tool_input.file_path) && !/undefined/.test(tool_input.file_path));`,
  );
  write(
    join(root, "hooks/before.cjs"),
    `let judge;
     try { judge = require(process.env.CLAUDE_PLUGIN_ROOT + "/core/judge.cjs"); }
     catch (error) { console.log(JSON.stringify({ systemMessage: "import error" })); process.exit(0); }
     const call = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
     const deny = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" }, systemMessage: "Not with these rules." };
     console.log(JSON.stringify(judge(call) ? deny : {}));`,
  );
  const command = `"${process.execPath}" \${CLAUDE_PLUGIN_ROOT}/hooks/before.cjs`;
  const events = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command, timeout: 10 }] }] };
  write(join(root, "hooks/hooks.json"), hooks(events));
  return root;
}

describe("plugins", () => {
  it.each([
    ["with the key hooks", (events: object) => ({ description: "rules", hooks: events })],
    ["without it", (events: object) => events],
  ])("EX-10 a guard finds its folder and knows the tools by Claude's names, its file %s", async (_, shape) => {
    await run("plugin", "add", rulesPlugin(shape), "--yes");
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
    const root = rulesPlugin(() => ({}));
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
    const root = rulesPlugin();
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

  it("a link does not hide the file behind it", async () => {
    theirs(`grep -q secret.txt && { echo 'not this one' >&2; exit 2; }; exit 0`, "Read");
    write(file("secret.txt"), "classified");
    const { symlinkSync } = await import("node:fs");
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
});

describe("Cursor's hooks", () => {
  /** A project's own, with a script beside them that refuses what it is told to. */
  function cursorHooks(event: string, answer: string, test: string): void {
    write(
      file(".cursor/hooks/gate.cjs"),
      `const told = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
       require("node:fs").writeFileSync("told-" + told.hook_event_name, JSON.stringify(told));
       console.log(${test} ? ${JSON.stringify(answer)} : JSON.stringify({ permission: "allow" }));`,
    );
    write(file(".cursor/hooks.json"), {
      version: 1,
      hooks: { [event]: [{ command: `"${process.execPath}" ./.cursor/hooks/gate.cjs` }] },
    });
  }
  const told = (event: string): unknown => JSON.parse(readFileSync(file(`told-${event}`), "utf8"));
  const deny = JSON.stringify({ permission: "deny", user_message: "refused", agent_message: "The gate is closed." });

  it("EX-04 beforeShellExecution denies a command once the folder is trusted, and never runs before", async () => {
    cursorHooks("beforeShellExecution", deny, "/touch/.test(told.command)");
    calls(shell("touch made"));
    await print();
    expect([existsSync(file("made")), existsSync(file("told-beforeShellExecution"))]).toEqual([true, false]);
    await run("trust");
    calls(shell("touch again"), shell("echo fine"));
    const { stderr } = await print();
    expect(existsSync(file("again"))).toBe(false);
    expect(request(3)).toContain("The gate is closed.");
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
    cursorHooks("beforeReadFile", deny, "/classified/.test(told.content) && told.file_path.endsWith('keys.txt')");
    await run("trust");
    calls({ name: "read_file", args: { file_path: "keys.txt" } });
    await print();
    expect(request(1)).toContain("The gate is closed.");
    expect(request(1)).not.toContain("classified");
  });

  it("afterFileEdit is told of the file and the change", async () => {
    cursorHooks("afterFileEdit", deny, "false");
    await run("trust");
    calls({ name: "write_file", args: { file_path: "a.txt", content: "hello" } });
    await print();
    expect(told("afterFileEdit")).toMatchObject({
      file_path: file("a.txt"),
      edits: [{ old_string: "", new_string: "hello" }],
    });
  });

  it("beforeMCPExecution denies a call of a server's tool; one that fails and is failClosed denies too", async () => {
    const { officialServer } = await import("./mcp/kit.ts");
    write(here(".lathe/mcp.json"), {
      mcpServers: { all: { command: process.execPath, args: [officialServer("everything")] } },
    });
    cursorHooks(
      "beforeMCPExecution",
      deny,
      `told.tool_name === "echo" && JSON.parse(told.tool_input).message === "hi"`,
    );
    await run("trust");
    calls({ name: "mcp__all__echo", args: { message: "hi" } });
    await print();
    expect(request(1)).toContain("The gate is closed.");
    write(file(".cursor/hooks.json"), {
      version: 1,
      hooks: { beforeMCPExecution: [{ command: "exit 1", failClosed: true }] },
    });
    await run("trust");
    calls({ name: "mcp__all__echo", args: { message: "hi" } });
    await print();
    expect(request(3)).toMatch(/ended with code 1, and must not be passed over/);
  });
});

describe("extensions for pi", () => {
  const GATE = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
    export default function (pi: ExtensionAPI) {
      pi.on("tool_call", async (event, ctx) => {
        if (event.toolName !== "bash") return undefined;
        const command = event.input.command as string;
        if (!/\\brm\\s+-rf?/.test(command)) return undefined;
        if (!ctx.hasUI) return { block: true, reason: "Dangerous, and nobody is here" };
        const choice = await ctx.ui.select("Dangerous: " + command, ["Yes", "No"]);
        return choice === "Yes" ? undefined : { block: true, reason: "Blocked by user" };
      });
    }`;
  const PATHS = `export default function (pi) {
      pi.on("tool_call", async (event, ctx) => {
        if (event.toolName !== "write" && event.toolName !== "edit") return undefined;
        const path = event.input.path;
        if (![".env", ".git/"].some((one) => path.includes(one))) return undefined;
        if (ctx.hasUI) ctx.ui.notify("Blocked " + path, "warning");
        return { block: true, reason: "Path " + path + " is protected" };
      });
    }`;
  const extension = (name: string, text: string): string => write(here(`.lathe/extensions/${name}.ts`), text);
  /** Extensions run in a process of their own. */
  const built = (...args: string[]): Promise<Finished> =>
    rig.box.runBuilt([...MODEL, "--permission-mode", "full", ...args], { env: rig.env });

  it("EX-03 guards for commands and paths know the calls of every tool by pi's names and arguments", async () => {
    extension("permission-gate", GATE);
    extension("protected-paths", PATHS);
    write(file("data/a"), "");
    calls(
      shell("rm -rf data"),
      { name: "write_file", args: { file_path: ".env", content: "A=1" } },
      patch("sub/.env"),
      patch("fine.txt"),
    );
    await built("-p", "go");
    const made = ["data/a", ".env", "sub/.env", "fine.txt"].map((name) => existsSync(file(name)));
    expect(made).toEqual([true, false, false, true]);
    expect(request(1)).toContain("Dangerous, and nobody is here");
    expect(request(2)).toContain(`Path ${file(".env")} is protected`);
    expect(request(3)).toContain(`Path ${file("sub/.env")} is protected`);
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
    await built("-p", "/hi Bob");
    expect([existsSync(file("made")), existsSync(file("other"))]).toEqual([false, true]);
    expect(request(0)).toContain("Say hi to Bob");
    expect(request(2)).toContain("Hello Ada");
  });

  it("one that waits for something that does not happen here is not loaded, and named at the start and by discover", async () => {
    extension("typed", `export default (pi) => pi.on("user_bash", () => ({ block: true, reason: "no" }));`);
    rig.server.push(turn.text("done"));
    const { stderr } = await built("-p", "go");
    expect(stderr).toContain("the extension typed cannot run here: it was written for pi and waits for user_bash");
    expect((await run("discover")).stdout).toMatch(/Errors\n.*the extension typed cannot run here/);
    rig.server.push(turn.text("done"));
    const named = await built("--extension", here(".lathe/extensions/typed.ts"), "-p", "go");
    expect(named.stderr).toContain("It was written for pi, and nothing of it takes effect.");
  });
});
