// The broker from the view of its clients: what it hands out, what it accepts, what changes while they are connected.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { Checker } from "@lathe/llm/schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  errorReply,
  HELD_BY_BROKER,
  type Snapshot,
  snapshot,
  usageReply,
} from "../../src/config/credentials/broker/wire.ts";
import { ask, bearer } from "../serve/serve-kit.ts";
import { type BrokerBench, brokerBench, HOUR, stateOf } from "./broker-bench.ts";

let b: BrokerBench;
beforeEach(async () => {
  b = await brokerBench();
});
afterEach(() => b.close());

describe("AU-02 the broker", () => {
  it("AU-02 without the token everything but its health is refused, in one form", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const health = await ask(test.broker.url, "/v1/healthz");
    expect([health.status, JSON.parse(health.text)]).toEqual([200, { ok: true, version: "0" }]);
    const id = await test.idOf("acme");
    for (const [method, path] of [
      ["GET", "/v1/snapshot"],
      ["GET", "/v1/snapshot/stream"],
      ["GET", "/v1/usage"],
      ["GET", "/v1/status"],
      ["POST", "/v1/credential"],
      ["POST", `/v1/credential/${id}/refresh`],
      ["POST", `/v1/credential/${id}/disable`],
      ["POST", `/v1/credential/${id}/report`],
    ] as const)
      for (const headers of [{}, bearer("lathe_wrong"), { authorization: `Basic ${test.token}` }]) {
        const answer = await ask(test.broker.url, path, { method, headers: headers as Record<string, string> });
        expect([path, [401, 429].includes(answer.status)]).toEqual([path, true]);
        expect(new Checker(errorReply).wrongIn(JSON.parse(answer.text))).toBeUndefined();
      }
    expect(b.issuer.forms).toEqual([]);
    expect(statSync(test.own.file).mode & 0o777).toBe(0o600);
    expect(statSync(test.vault.file).mode & 0o777).toBe(0o600);
  });

  it("AU-02 a snapshot holds keys and access tokens, and no byte of a refresh token", async () => {
    const key = { provider: "openai", name: "work", credential: { type: "api_key", key: "sk-work" } as const };
    await using test = await b.start({ stored: [b.token("acme"), b.token("norow"), key] });
    const { text } = await test.ask("/v1/snapshot");
    const given = JSON.parse(text) as Snapshot;
    expect(new Checker(snapshot).wrongIn(given)).toBeUndefined();
    expect(given.credentials).toMatchObject([
      {
        provider: "acme",
        name: "default",
        identity: "me@acme",
        isRenewable: true,
        credential: { refresh: HELD_BY_BROKER },
      },
      { provider: "norow", isRenewable: false, credential: { access: "access-of-norow" } },
      { provider: "openai", name: "work", credential: { type: "api_key", key: "sk-work" } },
    ]);
    const follower = test.follow();
    await follower.next("snapshot");
    b.pass(HOUR);
    await follower.next("changed");
    const all = [
      text,
      follower.text,
      (await test.ask("/v1/usage")).text,
      (await test.ask("/v1/status")).text,
      test.log(),
    ];
    for (const one of all) {
      expect(one).not.toMatch(/refresh-of|next-1/);
      for (const secret of ["refresh-of-acme", "next-1"])
        for (const form of ["base64", "hex"] as const) expect(one).not.toContain(Buffer.from(secret).toString(form));
    }
    follower.leave();
  });

  it("AU-02 a new token ends open streams, and the old one opens nothing", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    await test.own.regenerate();
    b.pass(1_000);
    await follower.ended;
    expect((await test.ask("/v1/snapshot")).status).toBe(401);
    const renewed = test.follow(await test.own.token());
    await renewed.next("snapshot");
    renewed.leave();
  });

  it("AU-02 what commands change in the vault is told to clients within a second", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    const piped = await test.box.run(["auth-broker", "login", "openai", "--account", "ci"], { stdin: "sk-new\n" });
    expect([piped.code, piped.stdout]).toEqual([0, 'Stored for OpenAI as "ci" in the broker\'s vault.\n']);
    b.pass(1_000);
    expect(await follower.next()).toMatchObject({ kind: "changed", credential: { provider: "openai", name: "ci" } });
    expect((await test.box.run(["auth-broker", "logout", "acme"])).stdout).toBe("Deleted from acme: default.\n");
    b.pass(1_000);
    expect(await follower.next()).toMatchObject({ kind: "removed", provider: "acme", name: "default" });
    follower.leave();
  });

  it("AU-02 a client stores, replaces, disables and reports; the same again changes nothing", async () => {
    await using test = await b.start();
    const credential = { type: "oauth", access: "access-of-us", refresh: "refresh-of-us", expires: b.clock + HOUR };
    const body = { provider: "acme", name: "team", identity: "us", credential };
    const stored = JSON.parse((await test.post("/v1/credential", body)).text);
    expect(stored).toMatchObject({ name: "team", identity: "us", credential: { refresh: HELD_BY_BROKER } });
    expect(JSON.parse((await test.post("/v1/credential", body)).text).id).toBe(stored.id);
    const newer = { ...body, credential: { ...credential, access: "newer" } };
    const replaced = JSON.parse((await test.post("/v1/credential", newer)).text);
    expect(replaced.id).not.toBe(stored.id);
    expect((await test.post(`/v1/credential/${stored.id}/refresh`)).status).toBe(404);
    const until = b.clock + HOUR;
    expect(
      (await test.post(`/v1/credential/${replaced.id}/report`, { kind: "limit", until, reason: "429" })).status,
    ).toBe(200);
    const windows = [{ name: "requests", used: 0.5, resetsAt: until }];
    expect((await test.post(`/v1/credential/${replaced.id}/report`, { kind: "rate_limit", windows })).status).toBe(200);
    const usage = JSON.parse((await test.ask("/v1/usage")).text);
    expect(new Checker(usageReply).wrongIn(usage)).toBeUndefined();
    expect(usage.accounts).toMatchObject([
      { id: replaced.id, limit: { until, reason: "429" }, rateLimit: { windows } },
    ]);
    const disabled = await test.post(`/v1/credential/${replaced.id}/disable`, { cause: "401 from\nthe vendor" });
    expect(JSON.parse(disabled.text)).toMatchObject({ id: replaced.id, cause: "401 from the vendor", at: b.clock });
    // Uploaded again, it is in use again.
    expect((await test.post("/v1/credential", newer)).status).toBe(200);
    expect(await stateOf(test, "acme")).toMatchObject({ state: "good" });
  });

  it("AU-02 a damaged vault takes nothing from clients, is said without its text, and works again when it is mended", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    const whole = readFileSync(test.vault.file, "utf8");
    writeFileSync(test.vault.file, whole.replace('"refresh": "', '"refresh": refresh-of-'));
    b.pass(2_000);
    expect((await test.ask("/v1/snapshot")).status).toBe(500);
    const refreshed = await test.post("/v1/credential/acme/refresh");
    expect(test.log()).toMatch(/The vault cannot be read: \S+vault\.json is not valid JSON: Unexpected token/);
    for (const text of [test.log(), refreshed.text]) expect(text).not.toContain("refresh-of");
    const second = await test.box.run(["auth-broker", "list"]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(/^lathe: \S+ is not valid JSON: .*Fix or remove it\.\n$/),
    ]);
    expect(second.stderr).not.toContain("refresh-");
    writeFileSync(test.vault.file, whole.replace("access-of-acme", "access-mended"));
    b.pass(1_000);
    expect(await follower.next()).toMatchObject({
      kind: "changed",
      credential: { credential: { access: "access-mended" } },
    });
    follower.leave();
  });

  it("AU-02 the log has a line for each request, and nothing that a client or an issuer wrote", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const id = await test.idOf("acme");
    await test.ask("/v1/snapshot");
    await test.post(`/v1/credential/${id}/refresh`);
    await test.ask("/v1/credential/sk-pasted-key/refresh", { method: "POST" });
    await test.ask("/v1/sk-pasted-key");
    await ask(test.broker.url, "/v1/snapshot", { headers: bearer("lathe_guess") });
    await test.post("/v1/credential", {
      provider: "sk-pasted key",
      name: "x",
      credential: { type: "api_key", key: "sk-pasted" },
    });
    const log = test.log();
    const lines = log
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^\S+ /, "").replace(/ ms=\d+$/, ""));
    expect(lines).toEqual([
      "GET /v1/snapshot id=- status=200",
      `renewal id=${id} outcome=renewed`,
      `POST /v1/credential/{id}/refresh id=${id} status=200`,
      "POST /v1/credential/{id}/refresh id=- status=404 why=unknown_credential",
      "GET - id=- status=404 why=unknown_address",
      "GET /v1/snapshot id=- status=401 why=unauthorized",
      "POST /v1/credential id=- status=400 why=bad_provider",
    ]);
    for (const secret of ["sk-pasted", "lathe_guess", test.token, "refresh-of", "access-"])
      expect(log).not.toContain(secret);
    expect(readFileSync(test.vault.file, "utf8")).toContain("next-1");
  });
});
