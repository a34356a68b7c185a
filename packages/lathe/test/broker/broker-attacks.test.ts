// The broker under attack: by pages and programs of the same machine, by a holder of its token, by an issuer.

import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { homePaths } from "../../src/platform/home/paths.ts";
import { sandbox } from "../command.ts";
import { ask, bearer } from "../serve/serve-kit.ts";
import { startTestBroker, type TestBroker } from "./broker-kit.ts";

const FOREIGN = "sk-ant-api03-pasted-by-mistake-0123456789abcdef";
const EVIL = 'x\r\n\r\nevent: removed\ndata: {"kind":"removed"}\n\nset-cookie: a=b\u2028\u0000';

let test: TestBroker;
beforeAll(async () => {
  test = await startTestBroker({
    stored: [
      { provider: "openai", credential: { type: "api_key", key: "sk-stored" } },
      { provider: "acme", credential: { type: "oauth", access: "access", refresh: "refresh", account: EVIL } },
    ],
  });
});
afterAll(async () => {
  const log = test.log();
  for (const secret of [test.token, FOREIGN, "sk-stored", "set-cookie", "evil"]) expect(log).not.toContain(secret);
  for (const line of log.trimEnd().split("\n"))
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+ (?:[A-Z]+|-) \S+ id=\S+ status=\d+ /);
  await test.close();
});

const key = (provider: unknown, name: unknown = "x", secret: unknown = "sk-1") => ({
  provider,
  name,
  credential: { type: "api_key", key: secret },
});

describe("M2 attacks on the broker", () => {
  it("M2 pages, other names and secrets in addresses get nothing", async () => {
    for (const headers of [
      { host: "evil.example" },
      { host: `127.0.0.1.evil.example:${new URL(test.broker.url).port}` },
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[])
      for (const path of ["/v1/healthz", "/v1/snapshot", "/v1/snapshot/stream"]) {
        const answer = await test.ask(path, { headers });
        expect([headers, answer.status, Object.keys(JSON.parse(answer.text))]).toEqual([headers, 403, ["error"]]);
      }
    expect((await test.ask(`/v1/snapshot?token=${FOREIGN}`)).status).toBe(400);
    expect((await test.ask("/v1/snapshot", { headers: { x: "y".repeat(20_000) } })).status).toBe(431);
  });

  it("M2 ids and addresses that lead elsewhere lead nowhere", async () => {
    for (const id of ["..", "%2e%2e", "..%2f..%2fauth.json", "__proto__", "constructor", "%00", FOREIGN, "a%0d%0ab"]) {
      const answer = await test.post(`/v1/credential/${id}/refresh`);
      expect([id, answer.status]).toEqual([id, 404]);
      expect(answer.text).not.toContain(FOREIGN);
    }
    for (const path of ["/v1/../v1/snapshot", "//v1/snapshot", "/v1/snapshot/", "/v1/credential", "/V1/SNAPSHOT"])
      expect([path, (await test.ask(path)).status]).toEqual([path, 404]);
    expect((await test.post("/v1/snapshot")).status).toBe(404);
  });

  it("M2 what would become a path, a header or an event of its own is refused", async () => {
    const before = (await test.ask("/v1/snapshot")).text.replace(/"generatedAt":\d+/, "");
    for (const body of [
      ...["../../x", "a/b", ".hidden", "-rf", "a b", "", EVIL, "__proto__", "x".repeat(101)].map((bad) => key(bad)),
      ...["../x", "a b", "", EVIL, "x".repeat(65), 7, null].map((bad) => key("openai", bad)),
      ...["", "a b", EVIL, "ключ", 7, null, { a: 1 }].map((bad) => key("openai", "x", bad)),
      { ...key("openai"), credential: { type: "oauth", access: "a", refresh: EVIL } },
      { ...key("openai"), credential: { type: "oauth", access: "a", expires: "soon" } },
      { ...key("openai"), credential: { type: "keyring" } },
    ]) {
      const answer = await test.post("/v1/credential", body);
      expect([body, answer.status]).toEqual([body, 400]);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    const after = (await test.ask("/v1/snapshot")).text.replace(/"generatedAt":\d+/, "");
    expect(after).toBe(before);
    for (const body of ["null", "[]", "{", "1"])
      expect((await test.ask("/v1/credential", { method: "POST", body })).status).toBe(400);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const asForm = await test.ask("/v1/credential", { method: "POST", headers: form, body: "a=b" });
    expect(asForm.status).toBe(415);
  });

  it("M2 ends that no calendar has are refused, and break no list", async () => {
    const token = (expires: number) => ({
      provider: "far",
      name: "x",
      credential: { type: "oauth", access: "access-far", expires },
    });
    for (const expires of [-1, 8.64e15 + 2, 1e300, 1.5])
      expect([expires, (await test.post("/v1/credential", token(expires))).status]).toEqual([expires, 400]);
    expect((await test.post("/v1/credential", token(8.64e15))).status).toBe(200);
    const id = await test.idOf("openai");
    for (const said of [
      { kind: "limit", until: 9e15, reason: "used up" },
      { kind: "rate_limit", windows: [{ name: "requests", used: 1, resetsAt: 9e15 }] },
    ])
      expect((await test.post(`/v1/credential/${id}/report`, said)).status).toBe(400);
    // As an earlier version or an editor may have left it.
    await test.vault.store.set("farther", { type: "oauth", access: "access-farther", expires: 9e15 });
    for (const verb of ["list", "status"]) {
      const { code, stdout, stderr } = await test.box.run(["auth-broker", verb]);
      expect([verb, code, stderr]).toEqual([verb, 0, ""]);
      expect(stdout).toContain("farther");
      expect(stdout).toContain("good until the end of time, cannot be renewed");
    }
    for (const provider of ["far", "farther"]) await test.vault.store.remove(provider);
  });

  it("M2 a vault that others could read is made private, at the start and later, and the operator is told", async () => {
    const box = await sandbox();
    const { broker: folder } = homePaths(box.env, box.home);
    const file = join(folder, "vault.json");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, "{}");
    chmodSync(folder, 0o777);
    chmodSync(file, 0o644);
    const modes = () => [folder, file].map((path) => (statSync(path).mode & 0o777).toString(8));
    const own = await startTestBroker({ box });
    try {
      expect(modes()).toEqual(["755", "600"]);
      expect(own.log()).toContain(`Other users of this machine could read or replace the vault in ${folder}.`);
      writeFileSync(file, "{ }");
      chmodSync(file, 0o666);
      await expect.poll(modes, { timeout: 5000 }).toEqual(["755", "600"]);
    } finally {
      await own.close();
      await box.remove();
    }
  });

  it("M2 an issuer's words in an identity stay inside their event", async () => {
    const follower = test.follow();
    const { snapshot } = await follower.next("snapshot");
    expect(snapshot.credentials.map(({ provider }) => provider)).toEqual(["openai", "acme"]);
    expect(follower.text.match(/^event: /gm)).toHaveLength(1);
    follower.leave();
  });

  it("M2 a body without end is refused while it comes, a slow one is cut off", async () => {
    const { hostname, port } = new URL(test.broker.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...bearer(test.token), "content-type": "application/json" };
      const asked = request({ hostname, port, path: "/v1/credential", method: "POST", headers }, (response) => {
        resolve(response.statusCode);
        asked.destroy();
      });
      asked.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "EPIPE" || error.code === "ECONNRESET" ? undefined : reject(error),
      );
      const piece = Buffer.alloc(1 << 16, "[");
      const pump = (): void => {
        while (!asked.destroyed) if (!asked.write(piece)) return void asked.once("drain", pump);
      };
      pump();
    });
    expect(status).toBe(413);
    const garbage = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write("GET /v1/snapshot HTTP/1.1\r\nhost\0: x\r\n\r\n"),
      );
      let text = "";
      socket.on("data", (piece) => {
        text += String(piece);
      });
      socket.on("close", () => resolve(text));
    });
    expect(garbage).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"error":\{"code":"bad_request",/);
    for (const why of ["bad_request", "foreign_host", "headers_too_large"])
      expect(test.log()).toMatch(new RegExp(` - - id=- status=\\d+ why=${why} `));
  });

  it("M2 a slow sender is cut off, and others are served meanwhile", async () => {
    const box = await sandbox();
    try {
      await using slow = await startTestBroker({ box, limits: { headersWithinMs: 300, requestWithinMs: 600 } });
      const { hostname, port } = new URL(slow.broker.url);
      const closed = new Promise<string>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write("GET /v1/healthz HTTP/1.1\r\nhost: 127"));
        let text = "";
        socket.on("data", (piece) => {
          text += String(piece);
        });
        socket.on("close", () => resolve(text));
      });
      expect((await slow.ask("/v1/snapshot")).status).toBe(200);
      expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      await box.remove();
    }
  });

  it("M2 guessing ends, and does not lock out who has the token", async () => {
    const box = await sandbox();
    try {
      await using own = await startTestBroker({ box });
      const answers: number[] = [];
      for (let nth = 0; nth < 25; nth++)
        answers.push((await ask(own.broker.url, "/v1/snapshot", { headers: bearer(`lathe_${nth}`) })).status);
      expect([answers[0], answers.at(-1)]).toEqual([401, 429]);
      expect((await own.ask("/v1/snapshot")).status).toBe(200);
    } finally {
      await box.remove();
    }
  });
});
