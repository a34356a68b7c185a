// `lathe auth-gateway run`: runs a command with its own key, which is revoked at its end.

import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { homePaths } from "../../src/platform/home/paths.ts";
import { collect, type Sandbox, sandbox } from "../command.ts";
import { startTestGateway, type TestGateway } from "./gateway-kit.ts";

let box: Sandbox;
let test: TestGateway;
beforeAll(async () => {
  box = await sandbox();
  test = await startTestGateway({ box });
  const { gatewayAddress } = homePaths(box.env, box.home);
  await mkdir(dirname(gatewayAddress), { recursive: true });
  await writeFile(gatewayAddress, test.gateway.url);
});
afterAll(async () => {
  await test.close();
  await box.remove();
});

const states = (name: string) =>
  test.keys.list().flatMap((key) => (key.name === name ? [[test.keys.stateOf(key), key.budget]] : []));

/** A program that asks as the vendors' clients do, and says what it was given. */
const ASKS = `
const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, ...rest } = process.env;
const asked = await fetch(OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer " + OPENAI_API_KEY, "content-type": "application/json" },
  body: JSON.stringify({ model: "m-chat", max_tokens: 50, messages: [{ role: "user", content: "Hi" }] }),
});
const names = Object.keys(rest).filter((name) => /KEY|TOKEN/.test(name)).sort();
const same = ANTHROPIC_API_KEY === OPENAI_API_KEY && OPENAI_BASE_URL === ANTHROPIC_BASE_URL + "/v1";
console.log(JSON.stringify([asked.status, names, same, process.argv.slice(1)]));
process.exitCode = 7;
`;
const NODE = [process.execPath, "--input-type=module", "-e"];

describe("M2 runs behind the gateway", () => {
  it("M2 a command gets a key with the run's budget and no provider's; its code is ours; the key ends with it", async () => {
    test.upstream.push(turn.text("ok"));
    const args = ["auth-gateway", "run", "--budget", "2", "--name", "job", "--", ...NODE, ASKS, "--", "--budget", "x"];
    const env = { MISTRAL_API_KEY: "m", ANTHROPIC_AUTH_TOKEN: "a", NPM_TOKEN: "n", GITLAB_TOKEN: "g" };
    const run = await box.runBuilt(args, { env });
    expect([run.code, run.stderr]).toEqual([7, ""]);
    expect(JSON.parse(run.stdout)).toEqual([200, ["GITLAB_TOKEN", "NPM_TOKEN"], true, ["--budget", "x"]]);
    expect(states("job")).toEqual([["revoked", { usd: 2, period: "ever" }]]);
    expect(test.requests.at(-1)).toMatchObject({ key: "job", status: 200 });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("M2 %s is passed on, and the key is revoked", async (signal) => {
    const waits = 'console.log("ready"); setInterval(() => {}, 1000);';
    const child = box.start(["auth-gateway", "run", "--name", signal, "--", process.execPath, "-e", waits]);
    const finished = collect(child);
    await once(child.stdout, "data");
    expect(states(signal)).toEqual([["active", undefined]]);
    child.kill(signal);
    expect(await finished).toMatchObject({ code: { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal], stderr: "" });
    expect(states(signal)).toEqual([["revoked", undefined]]);
  });

  it("M2 a command that does not want to end is killed by the second signal, and the key is revoked", async () => {
    const stays = 'process.on("SIGTERM", () => console.log("no")); console.log("ready"); setInterval(() => {}, 1000);';
    const child = box.start(["auth-gateway", "run", "--name", "stays", "--", process.execPath, "-e", stays]);
    const finished = collect(child);
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 137, stdout: "ready\nno\n" });
    expect(states("stays")).toEqual([["revoked", undefined]]);
  });

  it("M2 what cannot start leaves no key, and says what to do in one line", async () => {
    for (const [args, code, says] of [
      [["--budget", "2"], 2, "Give the command after two dashes"],
      [["true"], 2, "Give the command after two dashes"],
      [["--budget", "x", "--", "true"], 2, "--budget takes US dollars"],
      [["--name", "a b", "--", "true"], 2, "A name has at most 60 letters"],
      [["--url", "gateway", "--", "true"], 2, "--url must be an address"],
      [["--name", "none", "--", "no-such-program"], 2, 'There is no program "no-such-program"'],
      [["--name", "dir", "--", "/"], 2, "/ cannot start"],
      // Another program's help is not ours.
      [["--name", "help", "--", "no-such-program", "--help"], 2, 'There is no program "no-such-program"'],
    ] as const) {
      const run = await box.run(["auth-gateway", "run", ...args]);
      expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(says)]);
      expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    }
    expect(test.keys.list().filter((key) => test.keys.stateOf(key) === "active")).toEqual([]);
    const env = { LATHE_HOME: `${box.home}/elsewhere` };
    const alone = await box.run(["auth-gateway", "run", "--", "true"], { env });
    expect([alone.code, alone.stderr]).toEqual([3, expect.stringContaining("Start one: lathe auth-gateway serve")]);
  });
});
