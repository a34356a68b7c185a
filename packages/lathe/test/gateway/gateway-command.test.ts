// `lathe auth-gateway` and `lathe stats --by key` as the operator types them.

import { statSync } from "node:fs";
import { turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../command.ts";
import { bearer } from "../serve/serve-kit.ts";
import { startTestGateway } from "./gateway-kit.ts";

let box: Sandbox;
beforeAll(async () => {
  box = await sandbox();
});
afterAll(() => box.remove());

describe("AU-05 the command auth-gateway", () => {
  it("M2 a key is shown once, listed without its hash, and revoked", async () => {
    const terms = ["--budget", "20/month", "--models", "a,b*", "--rpm", "3", "--expires", "30d"];
    const added = await box.run(["auth-gateway", "key", "add", "ci", ...terms]);
    expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^lathe_[\w-]{43}\n$/)]);
    expect(added.stderr).toMatch(/only time.*\$20 a month.*Models: a, b\*\. 3 requests a minute\./);
    expect(statSync(`${box.home}/.lathe/gateway/keys.json`).mode & 0o077).toBe(0);
    const twice = await box.run(["auth-gateway", "key", "add", "ci"]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("There is a key named ci")]);
    const listed = await box.run(["auth-gateway", "key", "list"]);
    expect(listed.stdout).toMatch(/ci +\$20 a month +\$0\.0000 +a b\* +3 +\d{4}-\d\d-\d\d +active/);
    expect((await box.run(["auth-gateway", "key", "list", "--json"])).stdout).not.toContain("hash");
    expect((await box.run(["auth-gateway", "key", "revoke", "ci"])).stdout).toBe("Revoked ci.\n");
    expect((await box.run(["auth-gateway", "key", "revoke", "ci"])).code).toBe(2);
  });

  it("AU-05 the token has a file of its own that only its owner can read, and can be replaced", async () => {
    const first = (await box.run(["auth-gateway", "token"])).stdout;
    expect((await box.run(["auth-gateway", "token"])).stdout).toBe(first);
    const file = `${box.home}/.lathe/auth-gateway.token`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await box.run(["auth-gateway", "token", "--regenerate", "--json"]);
    expect(JSON.parse(second.stdout)).toEqual({ token: expect.not.stringMatching(first.trim()), file });
  });

  it("M2 a key cannot be named like the id of another one: revoking one would revoke both", async () => {
    await box.run(["auth-gateway", "key", "add", "first"]);
    const [{ id }] = JSON.parse((await box.run(["auth-gateway", "key", "list", "--json"])).stdout);
    const second = await box.run(["auth-gateway", "key", "add", id]);
    expect([second.code, second.stdout, second.stderr]).toEqual([
      2,
      "",
      expect.stringContaining(`${id} is the id of another key. Choose another name.`),
    ]);
  });

  it("M2 what is mistyped gets one line with the next step", async () => {
    for (const [args, says] of [
      [[], "Say what to do: lathe auth-gateway serve|run|token|status|check|key"],
      [["bogus"], "Choose one of serve, run, token, status, check, key."],
      [["key", "add"], "Give the key one name"],
      [["key", "add", "a b"], "A name has at most 60 letters"],
      [["key", "add", "a", "--budget", "20/week"], "--budget takes US dollars, such as 20/month"],
      [
        ["key", "add", "a", "--budget", "-1"],
        "--budget needs a value, such as --budget=…. See: lathe auth-gateway --help",
      ],
      ...[
        "",
        "0",
        "0/month",
        "0.00001",
        "1e3",
        "0x10",
        "1e999",
        "NaN",
        "20/month/day",
        "20 /month",
        "1,000",
        "２０",
      ].map(
        (budget) => [["key", "add", "a", `--budget=${budget}`], "--budget takes US dollars, such as 20/month"] as const,
      ),
      [["key", "add", "a", "--rpm", "0"], "--rpm must be a whole number above 0"],
      [["key", "add", "a", "--expires", "4000d"], "--expires may be 3650d at most"],
      [["key", "add", "a", "--expires", "soon"], "--expires takes a time such as 12h, 30d"],
      [["key", "add", "a", "--models", ","], "--models takes names"],
      [["serve", "--bind", "::1::4"], "--bind takes an address and a port"],
    ] as const) {
      const run = await box.run(["auth-gateway", ...args]);
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(says)]);
      expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    }
    const check = await box.run(["auth-gateway", "check"]);
    expect([check.code, check.stdout]).toEqual([3, expect.stringContaining("lathe login")]);
    const status = await box.run(["auth-gateway", "status", "--url", "http://127.0.0.1:9"]);
    expect([status.code, status.stdout]).toEqual([3, expect.stringContaining("Start one: lathe auth-gateway serve")]);
  });

  it("M2 lathe stats --by key says what each key used, also while the gateway runs", async () => {
    await using test = await startTestGateway({ box });
    const key = await test.key({ name: "laptop" });
    test.upstream.push(turn.text("ok", { usage: { input: 1000, output: 200 } }));
    const body = JSON.stringify({ model: "m-chat", messages: [{ role: "user", content: "Hi" }] });
    await test.ask("/v1/chat/completions", { method: "POST", headers: bearer(key), body });
    await test.whenLogged(1);
    const stats = await box.run(["stats", "--by", "key"]);
    expect(stats.stdout).toMatch(/laptop +1 +1\.0k +0 +200 +\$0\.0060/);
    expect((await box.run(["stats", "--by", "model"])).code).toBe(2);
    // One ledger, one gateway.
    const second = await box.run(["auth-gateway", "serve", "--bind", "127.0.0.1:0"]);
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining("Another gateway")]);
  });
});
