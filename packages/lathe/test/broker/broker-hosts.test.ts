// Sessions behind a broker in print mode, over RPC and at a terminal: what changes there while they last, and what commands see of it.

import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RpcHost } from "../rpc-host.ts";
import { TerminalBench } from "../terminal/bench.ts";
import { KEY } from "../terminal/emulator.ts";
import { BROKER_TOKEN, key, type StubBroker, stubBroker, token } from "./stub-broker.ts";

let bench: TerminalBench;
let broker: StubBroker;
beforeEach(async () => {
  bench = await TerminalBench.open();
  broker = await stubBroker(key("work", "key-of-broker-1234", "anthropic"));
});
afterEach(async () => {
  await bench.close();
  await broker.close();
});

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"];
const HOUR = 3_600_000;
const env = (): Record<string, string> => ({
  ANTHROPIC_BASE_URL: bench.server.baseUrl("anthropic"),
  LATHE_AUTH_BROKER_URL: broker.url,
  LATHE_AUTH_BROKER_TOKEN: BROKER_TOKEN,
  LATHE_NO_TITLE: "1",
});
const keys = (): unknown[] => bench.server.requests.map(({ headers }) => headers["x-api-key"] ?? headers.authorization);

/** All files below a folder that hold a text. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map(async (file) => (await readFile(file, "latin1")).includes(text)));
  return files.filter((_, at) => found[at]);
}

describe("behind a broker", () => {
  it("AU-04 AU-07 print: commands see neither address nor token, and the broker's keys are taken out of what is written", async () => {
    bench.server.push(
      turn.calls([{ name: "shell", args: { command: "env | grep -i broker; cat token.txt" } }]),
      turn.text("done"),
    );
    await writeFile(join(bench.box.dir, "token.txt"), "key-of-broker-1234\n");
    const run = await bench.box.run([...MODEL, "--permission-mode", "full", "-p", "look"], { env: env() });
    expect([run.code, run.stdout, run.stderr]).toEqual([0, "done\n", ""]);
    const seen = bench.server.requests[1]?.text ?? "";
    expect(seen).toContain("[redacted:anthropic]");
    for (const secret of [broker.url, BROKER_TOKEN]) expect(seen).not.toContain(secret);
    expect(seen).not.toContain("key-of-broker-1234");
    expect(keys()).toEqual(["key-of-broker-1234", "key-of-broker-1234"]);
    while (broker.openStreams > 0) await new Promise(setImmediate);
    for (const secret of [BROKER_TOKEN, "held-by-broker"])
      expect(await filesWith(bench.box.env["LATHE_HOME"] ?? "", secret)).toEqual([]);
  });

  it("AU-04 the built command ends as soon as it is done, although its stream is open", async () => {
    const held = gate();
    bench.server.push(turn.text("done", { beforeEvent: held.wait }));
    const child = bench.box.start(["--no-session", ...MODEL, "-p", "hi"], env());
    child.stdin.end();
    child.stdout.resume();
    await broker.streams(1);
    held.open();
    await once(child, "close");
    expect(child.exitCode).toBe(0);
  });

  it("AU-04 G-50 RPC: a session follows the broker: a renewed token is used, a removed one is said, and it ends with the session", async () => {
    broker.snapshot = {
      ...broker.snapshot,
      credentials: [token("me", "first-token-1234", Date.now() + HOUR, "anthropic")],
    };
    const host = new RpcHost(bench.box.open(["--mode", "rpc", ...MODEL], env()));
    const held = gate();
    bench.server.push(turn.text("one", { beforeEvent: held.wait }));
    await host.wait("ready", ({ type }) => type === "ready");
    const first = host.prompt("hello");
    await broker.streams(1);
    held.open();
    await first;
    const at = { generatedAt: Date.now(), generation: 2 };
    broker.send({
      kind: "changed",
      ...at,
      credential: token("me", "second-token-1234", Date.now() + HOUR, "anthropic"),
    });
    // The change is on its way while a prompt or two are answered.
    while (keys().at(-1) === "Bearer first-token-1234") {
      bench.server.push(turn.text("again"));
      await host.prompt("again");
    }
    expect(keys().at(-1)).toBe("Bearer second-token-1234");
    broker.send({ kind: "removed", ...at, generation: 3, provider: "anthropic", id: "id-me", name: "me" });
    await host.wait("the warning", (frame) =>
      JSON.stringify(frame).includes("The broker has removed the last credential of anthropic."),
    );
    await host.finish();
    while (broker.openStreams > 0) await new Promise(setImmediate);
  });

  it("AU-04 terminal: a turn, /status names the account's place, /login and /logout are refused with the command to run", async () => {
    bench.server.push(turn.text("A word from the model."));
    const run = await bench.open(MODEL, { columns: 120, env: { ...env(), ANTHROPIC_API_KEY: "" } });
    run.type(`hello${KEY.enter}`);
    await run.see("A word from the model.");
    run.type(`/login anthropic${KEY.enter}`);
    await run.see("lathe auth-broker login anthropic");
    run.type(`/logout anthropic${KEY.enter}`);
    await run.see("lathe auth-broker logout anthropic");
    expect(keys()).toEqual(["key-of-broker-1234"]);
  });
});
