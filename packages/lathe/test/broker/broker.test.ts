// The broker as its clients see it: what it gives away, what it renews, what it does when an issuer refuses or is silent.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Checker } from "@lathe/llm/schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  brokerCredential,
  disabledCredential,
  errorReply,
  HELD_BY_BROKER,
  type Snapshot,
  snapshot,
  usageReply,
} from "../../src/config/credentials/broker/wire.ts";
import { ask, bearer } from "../serve/serve-kit.ts";
import { type BrokerChoices, startTestBroker, type TestBroker } from "./broker-kit.ts";

const HOUR = 3_600_000;

/** What an issuer answers: status and body; `undefined` as status hangs up. */
interface Reply {
  readonly status?: number;
  readonly body: string;
}

interface StubIssuer {
  readonly server: Server;
  readonly url: string;
  readonly forms: Record<string, string>[];
  answer: (form: Record<string, string>) => Reply | Promise<Reply>;
}

let issuer: StubIssuer;
let clock: number;
let timers: { readonly at: number; readonly callback: () => void }[];

beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1);
  timers = [];
  issuer = await startStub();
});
afterEach(() => {
  issuer.server.close();
  issuer.server.closeAllConnections();
});

async function startStub(): Promise<StubIssuer> {
  const forms: Record<string, string>[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const form = Object.fromEntries(new URLSearchParams(body));
    forms.push(form);
    const reply = await stub.answer(form);
    if (reply.status === undefined) return void incoming.socket.destroy();
    outgoing.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stub: StubIssuer = {
    server,
    forms,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: rotating(),
  };
  return stub;
}

/** Each refresh token works once and is replaced. */
function rotating(): StubIssuer["answer"] {
  let issued = 0;
  return () => {
    issued++;
    const body = { access_token: `access-${issued}`, refresh_token: `next-${issued}`, expires_in: 3600 };
    return { status: 200, body: JSON.stringify(body) };
  };
}

const refusing =
  (status: number, body: object | string): StubIssuer["answer"] =>
  () => ({
    status,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const token = (name: string, expires: number | undefined = clock + HOUR) => ({
  provider: name,
  credential: {
    type: "oauth",
    access: `access-of-${name}`,
    refresh: `refresh-of-${name}`,
    expires,
    account: `me@${name}`,
  } as const,
});

/** The clock of the test drives the minute of the refresher and the second of the vault. */
function start(choices: BrokerChoices = {}): Promise<TestBroker> {
  const row = { clientId: "lathe", tokenUrl: `${issuer.url}/token`, authorizeUrl: `${issuer.url}/authorize` };
  return startTestBroker({
    issuers: { acme: row, beta: row },
    machine: (machine) => ({
      ...machine,
      deps: {
        ...machine.deps,
        now: () => clock,
        setTimer: (callback, ms) => {
          const timer = { at: clock + ms, callback };
          timers.push(timer);
          const cancel = (): void => {
            timers = timers.filter((one) => one !== timer);
          };
          return { cancel };
        },
      },
    }),
    ...choices,
  });
}

function pass(ms: number): void {
  const end = clock + ms;
  for (;;) {
    const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    timers = timers.filter((one) => one !== next);
    clock = Math.max(clock, next.at);
    next.callback();
  }
  clock = end;
}

const state = async (test: TestBroker, provider: string) => {
  const { credentials } = JSON.parse((await test.ask("/v1/status")).text) as {
    credentials: { provider: string; state: string; cause?: string }[];
  };
  return credentials.find((one) => one.provider === provider);
};

describe("AU-02 the broker", () => {
  it("AU-02 without the token everything but its health is refused, in one form", async () => {
    await using test = await start({ stored: [token("acme")] });
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
    expect(issuer.forms).toEqual([]);
    expect(statSync(test.own.file).mode & 0o777).toBe(0o600);
    expect(statSync(test.vault.file).mode & 0o777).toBe(0o600);
  });

  it("AU-02 a snapshot holds keys and access tokens, and no byte of a refresh token", async () => {
    const key = { provider: "openai", name: "work", credential: { type: "api_key", key: "sk-work" } as const };
    await using test = await start({ stored: [token("acme"), token("norow"), key] });
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
    pass(HOUR);
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

  it("AU-02 a token is renewed 5 minutes before its end, once, and clients hear of it", async () => {
    await using test = await start({ stored: [token("acme"), token("beta", clock + 10 * HOUR)] });
    const follower = test.follow();
    const { snapshot: first } = await follower.next("snapshot");
    pass(54 * 60_000);
    expect(issuer.forms).toEqual([]);
    pass(2 * 60_000);
    const changed = await follower.next("changed");
    expect(changed.credential).toMatchObject({ provider: "acme", id: first.credentials[0]?.id });
    expect(changed.credential.credential).toMatchObject({ access: "access-1" });
    expect(changed.generation).toBe(first.generation + 1);
    expect(issuer.forms).toEqual([
      { grant_type: "refresh_token", refresh_token: "refresh-of-acme", client_id: "lathe" },
    ]);
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "next-1" });
    follower.leave();
  });

  it("AU-02 one refresh at a time: clients and the refresher share it, and its answer serves the late ones", async () => {
    await using test = await start({ stored: [token("acme")] });
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      const reply = rotating();
      issuer.answer = async (form) => {
        resolve();
        await new Promise<void>((go) => {
          answer = go;
        });
        return reply(form);
      };
    });
    const id = await test.idOf("acme");
    const early = [1, 2, 3].map(() => test.post(`/v1/credential/${id}/refresh`));
    await asked;
    pass(HOUR);
    expect(await state(test, "acme")).toMatchObject({ state: "renewing" });
    answer();
    const answers = await Promise.all(early);
    answers.push(await test.post(`/v1/credential/${id}/refresh`));
    for (const { status, text } of answers) {
      expect([status, JSON.parse(text).id]).toEqual([200, id]);
      expect(new Checker(brokerCredential).wrongIn(JSON.parse(text))).toBeUndefined();
      expect(JSON.parse(text).credential.access).toBe("access-1");
    }
    expect(issuer.forms).toHaveLength(1);
    // Later it is a wish of its own.
    pass(20_000);
    issuer.answer = rotating();
    await test.post(`/v1/credential/${id}/refresh`);
    expect(issuer.forms.map((form) => form["refresh_token"])).toEqual(["refresh-of-acme", "next-1"]);
  });

  it("AU-02 invalid_grant, a refusal without a reason and revoked tokens leave by the next event, with their cause", async () => {
    for (const [status, body, cause] of [
      [
        400,
        { error: "invalid_grant", error_description: "used refresh-of-acme\r\nevent: x" },
        "invalid_grant: used … event: x",
      ],
      [400, { error: "invalid_token" }, "invalid_token"],
      [400, { error: { code: "refresh_token_reused", message: "Again?" } }, "refresh_token_reused: Again?"],
      [400, { error: "token_revoked" }, "token_revoked"],
      [401, "", "the issuer answered with status 401 and no reason"],
      [403, "{}", "the issuer answered with status 403 and no reason"],
    ] as const) {
      await using test = await start({ stored: [token("acme")] });
      const follower = test.follow();
      await follower.next("snapshot");
      issuer.answer = refusing(status, body);
      pass(56 * 60_000);
      const event = await follower.next();
      expect(event).toMatchObject({
        kind: "disabled",
        credential: { provider: "acme", type: "oauth", cause, at: clock },
      });
      const now = JSON.parse((await test.ask("/v1/snapshot")).text) as Snapshot;
      expect([now.credentials, now.disabled]).toMatchObject([[], [{ cause }]]);
      expect(await state(test, "acme")).toMatchObject({ state: "disabled", cause });
      const asked = issuer.forms.length;
      const again = await test.post(`/v1/credential/${event.kind === "disabled" ? event.credential.id : ""}/refresh`);
      expect(new Checker(disabledCredential).wrongIn(JSON.parse(again.text))).toBeUndefined();
      pass(10 * 60_000);
      expect(issuer.forms).toHaveLength(asked);
      expect(test.log()).not.toContain("refresh-of-acme");
      follower.leave();
      clock -= 66 * 60_000;
    }
  });

  it("AU-02 an issuer that is down, hangs up, is busy or hides behind a page costs no credential", async () => {
    for (const reply of [
      { body: "" },
      { status: 500, body: "{}" },
      { status: 429, body: '{"error":"slow_down"}' },
      { status: 200, body: "not json" },
      { status: 200, body: '{"access_token":""}' },
      { status: 403, body: "<html>Sign in to this network</html>" },
      { status: 400, body: '{"error":"temporarily_unavailable"}' },
    ] as Reply[]) {
      await using test = await start({ stored: [token("acme")] });
      issuer.answer = () => reply;
      const id = await test.idOf("acme");
      const answer = await test.post(`/v1/credential/${id}/refresh`);
      expect([reply, answer.status, JSON.parse(answer.text).error.code]).toEqual([reply, 502, "issuer_failed"]);
      expect(await state(test, "acme")).toMatchObject({ state: "failing", cause: expect.stringMatching(/./) });
      const still = JSON.parse((await test.ask("/v1/snapshot")).text) as Snapshot;
      expect(still.credentials).toHaveLength(1);
      // It works again: nothing is left of the failure.
      issuer.answer = rotating();
      expect((await test.post(`/v1/credential/${id}/refresh`)).status).toBe(200);
      expect(await state(test, "acme")).toMatchObject({ state: "good" });
    }
    await using test = await start({ stored: [token("acme")] });
    issuer.server.close();
    issuer.server.closeAllConnections();
    const answer = await test.post(`/v1/credential/${await test.idOf("acme")}/refresh`);
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("ECONNREFUSED")]);
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "refresh-of-acme" });
  });

  it("AU-02 a new token ends open streams, and the old one opens nothing", async () => {
    await using test = await start({ stored: [token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    await test.own.regenerate();
    pass(1_000);
    await follower.ended;
    expect((await test.ask("/v1/snapshot")).status).toBe(401);
    const renewed = test.follow(await test.own.token());
    await renewed.next("snapshot");
    renewed.leave();
  });

  it("AU-02 what commands change in the vault is told to clients within a second", async () => {
    await using test = await start({ stored: [token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    const piped = await test.box.run(["auth-broker", "login", "openai", "--account", "ci"], { stdin: "sk-new\n" });
    expect([piped.code, piped.stdout]).toEqual([0, 'Stored for OpenAI as "ci" in the broker\'s vault.\n']);
    pass(1_000);
    expect(await follower.next()).toMatchObject({ kind: "changed", credential: { provider: "openai", name: "ci" } });
    expect((await test.box.run(["auth-broker", "logout", "acme"])).stdout).toBe("Deleted of acme: default.\n");
    pass(1_000);
    expect(await follower.next()).toMatchObject({ kind: "removed", provider: "acme", name: "default" });
    follower.leave();
  });

  it("AU-02 a client stores, replaces, disables and reports; the same again changes nothing", async () => {
    await using test = await start();
    const given = { provider: "acme", name: "team", identity: "us", credential: { ...token("acme").credential } };
    const { account: _, ...credential } = given.credential;
    const body = { ...given, credential };
    const stored = JSON.parse((await test.post("/v1/credential", body)).text);
    expect(stored).toMatchObject({ name: "team", identity: "us", credential: { refresh: HELD_BY_BROKER } });
    expect(JSON.parse((await test.post("/v1/credential", body)).text).id).toBe(stored.id);
    const newer = { ...body, credential: { ...credential, access: "newer" } };
    const replaced = JSON.parse((await test.post("/v1/credential", newer)).text);
    expect(replaced.id).not.toBe(stored.id);
    expect((await test.post(`/v1/credential/${stored.id}/refresh`)).status).toBe(404);
    const until = clock + HOUR;
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
    expect(JSON.parse(disabled.text)).toMatchObject({ id: replaced.id, cause: "401 from the vendor", at: clock });
    // Uploaded again, it is in use again.
    expect((await test.post("/v1/credential", newer)).status).toBe(200);
    expect(await state(test, "acme")).toMatchObject({ state: "good" });
  });

  it("AU-02 a second broker of the vault is refused, and the first one's renewal is the only one", async () => {
    await using test = await start({ stored: [token("acme")] });
    const second = await test.box.run(["auth-broker", "serve", "--bind", "127.0.0.1:0"]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(/^lathe: Another broker of this vault is running\..*\n$/),
    ]);
    pass(56 * 60_000);
    await expect.poll(() => issuer.forms.length).toBe(1);
  });

  it("AU-02 a clock that jumps loses nothing: forward renews once, backward waits for a client to ask", async () => {
    await using test = await start({ stored: [token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    clock += 400 * 24 * HOUR;
    pass(60_000);
    await follower.next("changed");
    expect(await state(test, "acme")).toMatchObject({ state: "good" });
    clock -= 800 * 24 * HOUR;
    // Its timers go by another clock.
    timers = timers.map((timer) => ({ ...timer, at: clock }));
    pass(10 * 60_000);
    expect(issuer.forms).toHaveLength(1);
    const { status } = await test.post(`/v1/credential/${await test.idOf("acme")}/refresh`);
    expect([status, issuer.forms.length]).toEqual([200, 2]);
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "next-2" });
    follower.leave();
  });

  it("AU-02 a damaged vault takes nothing from clients, is said without its text, and works again when it is mended", async () => {
    await using test = await start({ stored: [token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    const whole = readFileSync(test.vault.file, "utf8");
    writeFileSync(test.vault.file, whole.replace('"refresh": "', '"refresh": refresh-of-'));
    pass(2_000);
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
    pass(1_000);
    expect(await follower.next()).toMatchObject({
      kind: "changed",
      credential: { credential: { access: "access-mended" } },
    });
    follower.leave();
  });

  it("AU-02 the log has a line for each request, and nothing that a client or an issuer wrote", async () => {
    await using test = await start({ stored: [token("acme")] });
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
