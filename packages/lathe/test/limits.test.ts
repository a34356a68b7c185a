// --max-turns, --max-cost, --max-time, and the product's own limits on a request.

import { mkdir, writeFile } from "node:fs/promises";
import { gate, type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";
import { RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

const look = (n: number) => turn.calls([{ name: "shell", args: { command: `echo round ${n}` } }]);
const endless: Script = (request) => look(request.index);
const full = ["--permission-mode", "full"];

describe("limits of a run end it with code 5", () => {
  it("--max-turns counts the model's answers of this run, not of the session", async () => {
    scene = await stage(endless);
    const first = await scene.run([...full, "--max-turns", "2", "go"]);
    expect(first).toMatchObject({ code: 5, stderr: expect.stringMatching(/turns.*lathe -c/) });
    expect(scene.server.requests).toHaveLength(2);
    const second = await scene.run([...full, "-c", "--max-turns", "3", "go on"]);
    expect(second.code).toBe(5);
    expect(scene.server.requests).toHaveLength(5);
  });

  it("an answer that comes with the last turn is an answer", async () => {
    scene = await stage([look(1), turn.text("done")]);
    expect(await scene.run([...full, "--max-turns", "2", "go"])).toMatchObject({ code: 0, stdout: "done\n" });
  });

  it("--max-cost holds: a request that may cost more than what is left is not sent, and its answer is shortened before", async () => {
    // Each answer takes all that the request allows.
    scene = await stage((request) =>
      turn.calls([{ name: "shell", args: { command: "echo" } }], {
        usage: { input: 20_000, output: (request.body as { max_tokens: number }).max_tokens },
      }),
    );
    const { code, stdout, stderr } = await scene.run([...full, "--mode", "json", "--max-cost", "$1", "go"]);
    expect({ code, stderr }).toMatchObject({ code: 5 });
    const asked = scene.server.requests.map(({ body }) => body.max_tokens as number);
    expect(asked[0]).toBe(32_000);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.at(-1)).toBeLessThan(32_000);
    expect(asked.at(-1)).toBeGreaterThanOrEqual(1000);
    const end = jsonLines(stdout).at(-1);
    expect(end?.["cost"]).toBeGreaterThan(0.8);
    expect(end?.["cost"]).toBeLessThanOrEqual(1);
    expect(JSON.stringify(end)).toMatch(/The limit of \$1\.00 does not cover another request.*lathe -c/);
    // With a higher limit it continues.
    const more = await scene.run([...full, "-c", "--mode", "json", "--max-cost", "2", "go on"]);
    expect(more.code).toBe(5);
    expect(jsonLines(more.stdout).at(-1)?.["cost"]).toBeLessThanOrEqual(2);
    expect(scene.server.requests.length).toBeGreaterThan(asked.length + 1);
  });

  it("--max-cost that does not pay for the first request sends nothing and keeps the session", async () => {
    scene = await stage([]);
    const { code, stderr } = await scene.run(["--max-cost", "0.01", "go"]);
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/limit of \$0\.01 does not cover/),
    });
    expect(scene.server.requests).toEqual([]);
  });

  it("--max-calls refuses the call after the last one and ends the run", async () => {
    scene = await stage([
      look(1),
      turn.calls([1, 2].map((n) => ({ name: "shell", args: { command: `echo ${n}` } }))),
      turn.text("ok"),
    ]);
    const { code, stderr } = await scene.run([...full, "--max-calls", "2", "go"]);
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/limit of 2 tool calls.*lathe -c/),
    });
    expect(scene.server.requests).toHaveLength(2);
    const again = await scene.run([...full, "-c", "--max-calls", "1", "go on"]);
    expect(again).toMatchObject({ code: 0, stdout: "ok\n" });
    const results = scene.server.requests[2]?.view.messages.flatMap(({ results = [] }) =>
      results.map(({ text }) => text),
    );
    expect(results?.at(-1)).toBe("[not run: the limit of tool calls is used up]");
  });

  it("--max-cost with a price that nobody knows is refused before anything is sent", async () => {
    scene = await stage([]);
    const args = ["--model", "anthropic/claude-of-tomorrow", "--max-cost", "1", "go"];
    expect(await scene.run(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/price.*--max-turns/) });
    expect(scene.server.requests).toEqual([]);
  });

  it("--max-time ends a model that does not answer and a command that does not end", async () => {
    const never = gate();
    scene = await stage([
      turn.text("late", { before: never.wait }),
      turn.calls([{ name: "shell", args: { command: "sleep 600" } }]),
    ]);
    const silent = await scene.run(["--max-time", "300ms", "go"]);
    expect(silent).toMatchObject({ code: 5, stdout: "", stderr: expect.stringMatching(/time.*lathe -c/) });
    const stuck = await scene.run([...full, "--max-time", "1.5s", "go"]);
    expect(stuck).toMatchObject({ code: 5, stderr: expect.stringMatching(/time.*lathe --resume/) });
    never.open();
  });
});

describe("product defaults", () => {
  it("asks for the catalog's output limit, at most 32k, in one request and no other", async () => {
    scene = await stage([turn.text("ok")]);
    await scene.run(["go"]);
    expect(scene.server.requests.map(({ body }) => body.max_tokens)).toEqual([32_000]);
  });

  it.each([
    ["retry.maxRetries", "8"],
    ["retry.maxMinutes", "3"],
    ["maxOutputTokens", "32000"],
    ["shell.timeoutMs", "120000"],
    ["timeouts.firstEvent", "600"],
    ["timeouts.stall", "300"],
    ["permissionMode", "auto-edit"],
  ])("%s is %s", async (key, value) => {
    scene = await stage([]);
    expect((await scene.box.run(["config", "get", key])).stdout.trim()).toBe(value);
  });

  it("a command that gives no time gets that of the settings", async () => {
    scene = await stage([turn.calls([{ name: "shell", args: { command: "sleep 600" } }]), turn.text("ok")]);
    await scene.run([...full, "--config", await settings("shell:\n  timeoutMs: 150\n"), "go"]);
    expect(scene.server.requests[1]?.view.messages.at(-1)?.results[0]?.text).toMatch(/timed out.*150/s);
  });

  it("retry.maxMinutes bounds all attempts together", async () => {
    scene = await stage(() => turn.error(500));
    const { code } = await scene.run([
      "--config",
      await settings("retry:\n  baseDelay: 60\n  maxMinutes: 0.001\n"),
      "go",
    ]);
    expect(code).toBe(3);
    expect(scene.server.requests).toHaveLength(1);
  });

  it("retry.enabled false means one attempt", async () => {
    scene = await stage(() => turn.error(500));
    expect((await scene.run(["--config", await settings("retry:\n  enabled: false\n"), "go"])).code).toBe(3);
    expect(scene.server.requests).toHaveLength(1);
  });

  it("a model that falls silent is given up after the configured time, a local server is not", async () => {
    const doors = { vendor: gate(), tiny: gate(), mine: gate(), later: gate() };
    const script: Script = ({ model }) =>
      turn.text("slow but sure", { before: (doors[model as keyof typeof doors] ?? doors.vendor).wait });
    scene = await stage(script, { auth: "none" });
    const config = await settings("retry:\n  enabled: false\ntimeouts:\n  firstEvent: 1\n  stall: 1\n");
    const { code, stderr } = await scene.run(["--config", config, "go"]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/1 s/) });
    await mkdir(scene.box.env["LATHE_HOME"] ?? "", { recursive: true });
    await writeFile(
      `${scene.box.env["LATHE_HOME"]}/models.yml`,
      `providers:\n  here: { baseUrl: "${scene.server.baseUrl("ollama")}", api: ollama-chat, auth: none, discovery: { type: ollama } }\n`,
    );
    const env = { OLLAMA_BASE_URL: scene.server.baseUrl("ollama") };
    const ask = (model: string) => scene.box.run(["--config", config, "--model", model, "go"], { env });
    const patient = [ask("ollama/tiny"), ask("here/mine")];
    const rpc = ["--config", config, "--mode", "rpc"];
    const host = new RpcHost(scene.box.open([...scene.args, ...rpc], { ...scene.env, ...env }));
    host.send({ type: "set_model", provider: "ollama", modelId: "later" });
    const ended = host.prompt("go");
    await Promise.all([doors.tiny.reached, doors.mine.reached, doors.later.reached]);
    // Longer than the limit that ended the other one: that nothing happens can only be seen by letting time pass.
    await new Promise((resolve) => setTimeout(resolve, 3500));
    for (const door of Object.values(doors)) door.open();
    for (const one of patient) expect(await one).toMatchObject({ code: 0, stdout: "slow but sure\n" });
    await ended;
    expect(JSON.stringify(host.frames)).toContain("slow but sure");
    expect(await host.finish()).toBe(0);
  });
});

async function settings(text: string): Promise<string> {
  const file = `${scene.box.home}/more.yml`;
  await writeFile(file, text);
  return file;
}
