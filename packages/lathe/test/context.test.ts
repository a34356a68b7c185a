// What users and programs can see of the context, and the counts that mean the same for every vendor.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, type ScriptedUsage, startModelServer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";
import { setup } from "./rpc-host.ts";
import { InsideTerminal } from "./terminal.ts";

interface Context {
  readonly tokens: number;
  readonly bytes: number;
  readonly contextWindow: number;
  readonly freeTokens: number;
  readonly compactionThreshold: number | null;
  readonly groups: readonly { kind: string; count: number; tokens: number; bytes: number }[];
  readonly owners: readonly { kind: string; name: string; entryId?: string; tokens: number; bytes: number }[];
}

const sum = (rows: readonly { tokens: number; bytes: number }[]): { tokens: number; bytes: number } => ({
  tokens: rows.reduce((all, { tokens }) => all + tokens, 0),
  bytes: rows.reduce((all, { bytes }) => all + bytes, 0),
});

it("RPC get_context says who takes the room of the next request, to the byte", async () => {
  const rig = await setup();
  writeFileSync(join(rig.box.dir, "AGENTS.md"), "Be brief. ".repeat(300));
  rig.server.push(
    turn.calls([{ name: "shell", args: { command: "seq 500" } }]),
    turn.text("Counted."),
    turn.text("Again."),
  );
  const host = await rig.start("--permission-mode", "full");
  const fresh = await host.data<Context>("get_context");
  expect(fresh.owners.find(({ name }) => name === "AGENTS.md")?.bytes).toBeGreaterThan(3000);
  await host.prompt("count to five hundred");
  const context = await host.data<Context>("get_context");
  expect(sum(context.owners)).toEqual({ tokens: context.tokens, bytes: context.bytes });
  expect(sum(context.groups)).toEqual({ tokens: context.tokens, bytes: context.bytes });
  expect(context.freeTokens).toBe(context.contextWindow - context.tokens);
  expect(context.compactionThreshold).toBeGreaterThan(context.contextWindow / 2);
  const result = context.owners.find(({ kind }) => kind === "result");
  expect(result).toMatchObject({ name: "shell", entryId: expect.any(String) });
  expect(result!.bytes).toBeGreaterThan(1000);
  expect(context.groups.find(({ kind }) => kind === "instructions")).toMatchObject({ count: 1 });
  await host.data("set_auto_compaction", { enabled: false });
  expect((await host.data<Context>("get_context")).compactionThreshold).toBeNull();
  // What is sent next is that, and the next prompt.
  await host.prompt("again");
  const sent = rig.server.requests.at(-1)!.rawBody.length;
  expect(sent - context.bytes).toBeGreaterThan(0);
  expect(sent - context.bytes).toBeLessThan(120);
  await host.finish();
  await rig.remove();
});

describe("with a box", () => {
  let box: Sandbox;
  let server: ModelServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await box.remove();
  });

  it("/context shows what takes the room, /cost what was paid, by model and by tool", async () => {
    box = await sandbox();
    const usage = { input: 300, cacheRead: 600, cacheWrite: 100, output: 50 };
    const calls = [{ name: "shell", args: { command: "seq 200" } }];
    server = await startModelServer({ script: [turn.calls(calls, { usage }), turn.text("Counted.", { usage })] });
    const env = {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
      NO_COLOR: "1",
      LATHE_NO_TITLE: "1",
    };
    const terminal = new InsideTerminal(box, env);
    const start = terminal.type("lathe --model anthropic/claude-sonnet-4-5 --permission-mode full --plain");
    let at = await terminal.see(start, /\/help\r?\n› /);
    terminal.keys("/context\n");
    at = await terminal.see(at, /about [\d.]+k of 200k tokens \(\d+ %\), \d+k free, compaction above 170k/);
    at = await terminal.see(at, /tool schemas \(\d+\) +[\d.]+k +\d+ % +█+[\s\S]*free +\d+k[\s\S]*Largest:[\s\S]*› /);
    terminal.keys("count\n");
    at = await terminal.see(at, /Counted\.[\s\S]*› /);
    terminal.keys("/context all\n");
    at = await terminal.see(
      at,
      /your messages +count[\s\S]*tool calls +shell[\s\S]*tool results +shell[\s\S]*answers +Counted\.[\s\S]*› /,
    );
    terminal.keys("/cost\n");
    at = await terminal.see(at, /2 answers, 2\.0k tokens in \(1\.2k cached\), 100 out, \$0\.\d+/);
    at = await terminal.see(at, /by model [\s\S]*anthropic\/claude-sonnet-4-5 +2 +2\.0k +1\.2k +100 +\$0/);
    at = await terminal.see(at, /by what was answered[\s\S]*your messages +1\.1k[\s\S]*shell +1 +1\.1k +\$0[\s\S]*› /);
    terminal.keys("/context some\n");
    at = await terminal.see(at, /\/context takes no argument, or "all"[\s\S]*› /);
    terminal.keys("/quit\n");
    await terminal.see(at, /ended-0/);
    await terminal.close();
  });

  it("lathe prompt --json is refused, since it prints text", async () => {
    box = await sandbox();
    expect(await box.run(["prompt", "--json", "--model", "practice/basic", "hello"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "lathe: lathe prompt prints text only. Leave out --json and --mode.\n",
    });
  });

  it("lathe prompt lists each instruction file and each tool with its tokens", async () => {
    box = await sandbox();
    mkdirSync(join(box.dir, "deep"));
    writeFileSync(join(box.dir, "AGENTS.md"), "Root rules. ".repeat(200));
    const run = await box.run(["prompt", "--model", "openai/gpt-5.2", "hello"], { env: { OPENAI_API_KEY: "k" } });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^instruction files +\d+ +(<1|\d+) % +█*▏?$/m);
    expect(run.stdout).toMatch(/^ +6\d\d +instruction files +AGENTS\.md$/m);
    expect(run.stdout).toMatch(/^ +\d+ +tool schemas +shell$/m);
    expect(run.stdout).toMatch(/^ +\d+ +your messages +hello$/m);
    expect(run.stdout).toMatch(
      /openai\/gpt-5\.2\nabout [\d.]+k of \d+k tokens \(\d+ %\), \d+k free, compaction above \d+k/,
    );
  });

  const VENDORS: readonly [string, string, "openai" | "anthropic" | "gemini", string, ScriptedUsage][] = [
    [
      "openai/gpt-5.2",
      "OPENAI_API_KEY",
      "openai",
      "OPENAI_BASE_URL",
      { input: 1000, cacheRead: 600, output: 50, reasoning: 20 },
    ],
    [
      "anthropic/claude-opus-4-6",
      "ANTHROPIC_API_KEY",
      "anthropic",
      "ANTHROPIC_BASE_URL",
      { input: 300, cacheRead: 600, cacheWrite: 100, output: 50, reasoning: 20 },
    ],
    [
      "gemini/gemini-3-pro-preview",
      "GEMINI_API_KEY",
      "gemini",
      "GEMINI_BASE_URL",
      { input: 1000, cacheRead: 600, output: 30, reasoning: 20 },
    ],
  ];

  it.each(VENDORS)(
    "DM-09 the JSON result of %s counts what was read and generated, as for every vendor",
    async (model, key, kind, url, usage) => {
      box = await sandbox();
      server = await startModelServer({ script: [turn.text("done", { usage })] });
      const env = { [key]: "k", [url]: server.baseUrl(kind) };
      const run = await box.run(["--mode", "json", "--model", model, "hello"], { env });
      const result = JSON.parse(run.stdout.trimEnd().split("\n").at(-1) ?? "{}");
      expect(result).toMatchObject({
        status: "done",
        usage: { inputTokens: 1000, outputTokens: 50, totalTokens: 1050, cacheReadTokens: 600, reasoningTokens: 20 },
      });
    },
  );
});
