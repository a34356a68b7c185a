// Every file of examples/extensions does what it says.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";
import { BUILT, SONNET, TerminalBench } from "./terminal/bench.ts";
import { KEY } from "./terminal/emulator.ts";

const FOLDER = fileURLToPath(new URL("../../../examples/extensions", import.meta.url));
const example = (name: string): string[] => ["-e", join(FOLDER, `${name}.ts`)];
const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);

let at: ExtensionBox;
beforeEach(async () => {
  at = await extensionBox();
});
afterEach(() => at.remove());

const full = ["--permission-mode", "full"];

function repository(): void {
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: at.box.dir });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first step");
}

async function rpc(...args: string[]): Promise<RpcHost> {
  const child = at.box.open(["--mode", "rpc", "--model", "anthropic/claude-sonnet-4-5", ...full, ...args], at.env);
  const host = new RpcHost(child);
  await host.wait("ready", ({ type }) => type === "ready");
  return host;
}

const sign = (host: RpcHost, method: string): Promise<Frame> =>
  host.wait(method, (frame) => frame.type === "extension_ui_request" && frame["method"] === method);

async function answer(host: RpcHost, method: string, reply: object): Promise<Frame> {
  const asked = await sign(host, method);
  host.send({ type: "extension_ui_response", id: asked["id"], ...reply });
  return asked;
}

const lastText = (): string =>
  at.server.requests.at(-1)?.view.messages.findLast(({ role }) => role === "user")?.text ?? "";

describe("examples/extensions", () => {
  it("EX-03 all twelve have a test here", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(
      [
        "compaction",
        "custom-tool",
        "git-checkpoint",
        "notifier",
        "permission-gate",
        "plan-workflow",
        "prompt-guard",
        "provider",
        "rpc-dialog",
        "slash-command",
        "status-widget",
        "theme",
      ].map((name) => `${name}.ts`),
    );
  });

  it("EX-03 permission-gate: without a person the dangerous command does not run, another does", async () => {
    await mkdir(join(at.box.dir, "kept"));
    at.script(shell("rm -rf kept"), shell("echo harmless"), turn.text("ok"));
    expect(await at.run([...example("permission-gate"), ...full, "-p", "go"])).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(at.box.dir, "kept"))).toBe(true);
    expect(at.results()).toMatchObject([
      { isError: true, text: expect.stringContaining("Not allowed here: rm -rf kept") },
      { text: expect.stringContaining("harmless") },
    ]);
  });

  it("EX-05 custom-tool: the model learns about the repository", async () => {
    repository();
    at.script(
      turn.calls([
        { name: "repo_stats", args: {} },
        { name: "repo_stats", args: { since: "2000-01-01" } },
      ]),
      turn.text("ok"),
    );
    expect(await at.run([...example("custom-tool"), "-p", "go"])).toMatchObject({ code: 0, stderr: "" });
    expect(at.results()).toMatchObject([{ text: "1 commits by 1 authors" }, { text: "1 commits by 1 authors" }]);
  });

  it("MO-06 status-widget: calls are counted where people look", async () => {
    at.script(shell("true"), turn.text("ok"));
    const host = await rpc(...example("status-widget"));
    await host.prompt("go");
    expect(await sign(host, "setStatus")).toMatchObject({ statusKey: "calls", statusText: "1 call" });
    expect(host.frames.filter((frame) => frame["method"] === "setWidget").at(-1)).toMatchObject({
      widgetLines: ["shell 1"],
    });
    expect(await host.finish()).toBe(0);
  });

  it("EX-03 provider: a model that is only code, and one behind a server", async () => {
    const parrot = await at.box.runBuilt(
      ["--model", "parrot/grey", ...example("provider"), "-p", "polly wants a cracker"],
      {
        env: at.env,
      },
    );
    expect(parrot).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("polly wants a cracker") });
    const env = { ...at.env, EXAMPLE_SERVER_URL: at.server.baseUrl("chat"), EXAMPLE_SERVER_KEY: "k" };
    const served = await at.box.runBuilt(["--model", "example-server/small", ...example("provider"), "-p", "hi"], {
      env,
    });
    expect(served).toMatchObject({ code: 0, stderr: "", stdout: "done\n" });
    expect(at.server.requests.at(-1)?.path).toContain("chat/completions");
  });

  it("G-34 compaction: the notes are the extension's, and no model is asked", async () => {
    const host = await rpc(...example("compaction"));
    for (const prompt of ["build the mill", "paint the mill", "sell the mill"]) await host.prompt(prompt);
    const requests = at.server.requests.length;
    const { summary } = await host.data<{ summary: string }>("compact");
    expect(summary).toContain("## What was asked for\n- build the mill");
    expect(at.server.requests).toHaveLength(requests);
    expect(await host.finish()).toBe(0);
  });

  it("EX-07 plan-workflow: nothing is changed before the person agrees, then it is", async () => {
    at.script(shell("touch early"), turn.text("1. make it"), shell("touch made"), turn.text("made it"));
    const host = await rpc(...example("plan-workflow"));
    host.send({ type: "prompt", message: "/plan-first make a file" });
    await answer(host, "confirm", { confirmed: true });
    await host.wait("the end", () => host.events().filter(({ type }) => type === "agent_end").length === 2);
    expect([existsSync(join(at.box.dir, "early")), existsSync(join(at.box.dir, "made"))]).toEqual([false, true]);
    expect(at.results()[0]?.text).toContain("Only the plan for now");
    expect(await host.finish()).toBe(0);
  });

  it("EX-03 git-checkpoint: the state before the input is kept in a ref, and listed", async () => {
    repository();
    expect(await at.run([...example("git-checkpoint"), "-p", "change something"])).toMatchObject({
      code: 0,
      stderr: "",
    });
    const refs = execFileSync("git", ["for-each-ref", "refs/lathe"], { cwd: at.box.dir, encoding: "utf8" });
    expect(refs.trim().split("\n")).toHaveLength(1);
    const listed = await at.run(["-c", ...example("git-checkpoint"), "-p", "/checkpoints"]);
    expect(listed.stderr).toMatch(/\[git-checkpoint\] [0-9a-f]{8} {2}change something/);
  });

  it("EX-03 notifier: its own option names the program that is run", async () => {
    const program = join(at.box.dir, "told.sh");
    await writeFile(program, `#!/bin/sh\nprintf '%s|' "$@" > ${join(at.box.dir, "told")}\n`);
    await chmod(program, 0o755);
    expect(await at.run([...example("notifier"), "--notify-with", program, "-p", "go"])).toMatchObject({
      code: 0,
      stdout: "done\n",
    });
    expect(await readFile(join(at.box.dir, "told"), "utf8")).toBe("Lathe|done|");
    expect(await at.run([...example("notifier"), "--notify-wth", program, "-p", "go"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown option --notify-wth"),
    });
  });

  it("EX-03 prompt-guard: a key does not leave the machine", async () => {
    const key = "sk-abcdefghijklmnopqrstuvwxyz";
    expect(await at.run([...example("prompt-guard"), "-p", `use ${key} please`])).toMatchObject({ code: 0 });
    expect(lastText()).toContain("use [key removed] please");
    const refused = await at.run([...example("prompt-guard"), "-p", key]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("That looks like a key. It was not sent.");
    expect(at.server.requests).toHaveLength(1);
  });

  it("EX-07 slash-command: what it returns is sent to the model", async () => {
    repository();
    expect(await at.run([...example("slash-command"), "-p", "/standup 2"])).toMatchObject({
      code: 0,
      stdout: "done\n",
    });
    expect(lastText()).toMatch(/Summarize these commits[\s\S]*first step/);
  });

  it("G-09 rpc-dialog: every question is a frame, and the answers reach the model", async () => {
    const host = await rpc(...example("rpc-dialog"));
    host.send({ type: "prompt", message: "/release" });
    expect(await answer(host, "select", { value: "minor" })).toMatchObject({ options: ["patch", "minor", "major"] });
    await answer(host, "input", { value: "Faster" });
    expect(await answer(host, "confirm", { confirmed: true })).toMatchObject({
      title: "Prepare a minor release?",
      message: "Faster",
      timeout: 60_000,
    });
    await host.event("agent_end");
    expect(lastText()).toContain('Prepare a minor release titled "Faster"');
    expect(await host.finish()).toBe(0);
  });
});

it("EX-03 theme, signs, keys and dialogs of extensions at a terminal, and a file that is read again when it changes", async () => {
  const bench = await TerminalBench.open();
  try {
    const file = join(bench.box.dir, "own.ts");
    const own = (word: string): string =>
      `export default (lathe) => {
        lathe.registerCommand("own", { description: "own", run: async (_, { ui }) => {
          ui.setWidget("w", ["widget ${word}"]);
          ui.setStatus("s", "status ${word}");
          ui.notify("chose " + (await ui.select("Which one?", ["red", "blue"])));
          ui.notify("sure " + (await ui.confirm("Are you sure?")));
        } });
        lathe.registerShortcut("ctrl+c", { description: "taken", run: () => {} });
      };`;
    await writeFile(file, own("one"));
    const run = bench.start([...SONNET, ...example("theme"), ...example("slash-command"), "-e", file], {
      ...BUILT,
      columns: 100,
    });
    await run.see(/The shortcut ctrl\+c of the extension own is not used: the key already means app\.clear/);
    run.type(`/harbour${KEY.enter}`);
    await run.see("Harbour it is.");
    run.type(`/own${KEY.enter}`);
    await run.see(/Which one\?[\s\S]*blue[\s\S]*status one/);
    run.type(KEY.enter);
    await run.see(/chose red[\s\S]*Are you sure\?/);
    run.type("y");
    await run.see(/sure true[\s\S]*widget one[\s\S]*status one/);
    run.type("\u001bS");
    await run.see("/standup 1");
    await writeFile(file, own("two"));
    await run.see(/Extensions: .*own/);
    run.type(`${KEY.ctrl("u")}/own${KEY.enter}`);
    await run.see(/Which one\?[\s\S]*status two/);
  } finally {
    await bench.close();
  }
});
