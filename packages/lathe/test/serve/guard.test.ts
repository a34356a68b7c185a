// What the server of `lathe serve` refuses, and to whom. One server for all tests.

import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LatheServerError } from "../../src/doors/serve/client.ts";
import { TokenFile } from "../../src/doors/serve/guard/token-file.ts";
import { lookLink } from "../../src/doors/serve/sign-in-link.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { bearer, type Serving, serve } from "./serve-kit.ts";

let box: Sandbox;
let serving: Serving;
let admin: Record<string, string>;
let port: string;

beforeAll(async () => {
  box = await sandbox();
  serving = await serve(box);
  admin = bearer(await serving.token("test", "read", "prompt", "approve", "admin"));
  port = new URL(serving.server.url).port;
});
afterAll(async () => {
  await serving.server.end({ forgets: true });
  await box.remove();
});

const refusal = async (
  path: string,
  headers: Record<string, string>,
  method = "GET",
  body?: string,
): Promise<unknown> => {
  const { status, code } = await serving.ask(path, { method, headers, ...(body === undefined ? {} : { body }) });
  return [status, code];
};

describe("M1: who asks", () => {
  it("G-18 M1 health needs no sign-in; everything else does, and a wrong token is told so", async () => {
    expect(JSON.parse((await serving.ask("/v1/health")).text)).toEqual({ ok: true, version: "0", protocol: 2 });
    for (const path of ["/v1/me", "/v1/roots", "/v1/sessions", "/v1/sessions/a", "/v1/sessions/a/events"])
      expect(await refusal(path, {}), path).toEqual([401, "signed_out"]);
    expect(await refusal("/v1/me", bearer("lathe_wrong"))).toEqual([401, "unknown_token"]);
    expect(JSON.parse((await serving.ask("/v1/me", { headers: admin })).text)).toEqual({
      name: "test",
      scopes: ["read", "prompt", "approve", "admin"],
    });
  });

  it("M1 a code signs one browser in, once; an old one is told from a used one; the cookie is for this server alone", async () => {
    const code = await serving.code();
    const signIn = (value: string) =>
      serving.ask("/v1/sign-in", { method: "POST", body: JSON.stringify({ code: value }) });
    const both = await Promise.all([signIn(code), signIn(code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect(both.find(({ status }) => status === 401)?.code).toBe("unknown_code");
    const [cookie = ""] = (both.find(({ status }) => status === 204)?.headers["set-cookie"] ?? []) as string[];
    expect(cookie).toMatch(
      new RegExp(`^lathe-${port}=lathe_[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000$`),
    );
    const headers = { cookie: `other=1; ${cookie.split(";")[0]}` };
    expect(JSON.parse((await serving.ask("/v1/me", { headers })).text)).toMatchObject({ name: "browser 1" });

    const { serveTokens } = homePaths(box.env, box.home);
    const longAgo = new TokenFile(serveTokens, () => Date.now() - 3_600_000);
    expect(await signIn(await longAgo.addCode({ scopes: ["read"] }, 60_000))).toMatchObject({
      status: 401,
      code: "expired_code",
    });

    expect((await serving.ask("/v1/sign-out", { method: "POST", headers, body: "{}" })).status).toBe(204);
    expect(await refusal("/v1/me", headers)).toEqual([401, "unknown_token"]);
  });

  it("M1 lathe share --live: one browser may look at one session until the link ends, and at nothing else", async () => {
    const { serveTokens } = homePaths(box.env, box.home);
    const live = async (tokens: TokenFile): Promise<Record<string, string>> => {
      const [, code] = (await lookLink(serving.server.url, tokens, "0b1c", 3_600_000)).split("#code=");
      const signedIn = await serving.ask("/v1/sign-in", { method: "POST", body: JSON.stringify({ code }) });
      const [cookie = ""] = (signedIn.headers["set-cookie"] ?? []) as string[];
      return signedIn.status === 204 ? { cookie: cookie.split(";")[0] ?? "" } : {};
    };
    const headers = await live(new TokenFile(serveTokens, Date.now));
    const me = JSON.parse((await serving.ask("/v1/me", { headers })).text) as { name: string };
    expect(me).toMatchObject({ scopes: ["read"] });
    expect(await refusal("/v1/sessions/another", headers)).toEqual([403, "other_session"]);
    expect(await refusal("/v1/roots", headers)).toEqual([403, "other_session"]);
    const ends = new TokenFile(serveTokens, Date.now).list().find(({ name }) => name === me.name)!;
    expect(Date.parse(ends.expires)).toBeLessThan(Date.now() + 3_600_001);
    // A link of two hours ago was for one hour.
    expect(await live(new TokenFile(serveTokens, () => Date.now() - 7_200_000))).toEqual({});
  });

  it("M1 tokens are kept as hashes, for their owner only; one that is revoked or has ended stops working at once", async () => {
    const { serveTokens } = homePaths(box.env, box.home);
    const token = await serving.token("short", "read");
    expect(await refusal("/v1/roots", bearer(token))).toEqual([200, undefined]);
    expect(statSync(serveTokens).mode & 0o777).toBe(0o600);
    expect(readFileSync(serveTokens, "utf8")).not.toContain(token);
    // Another process revokes it.
    await new TokenFile(serveTokens, Date.now).revoke("short");
    expect(await refusal("/v1/roots", bearer(token))).toEqual([401, "unknown_token"]);
    const ended = await new TokenFile(serveTokens, () => Date.now() - 7200_000).add({
      name: "old",
      scopes: ["read"],
      lastsMs: 60_000,
    });
    expect(await refusal("/v1/roots", bearer(ended.token))).toEqual([401, "unknown_token"]);
  });

  it("M1 a token that cannot be is refused in one line", async () => {
    const add = (...args: string[]) => box.run(["serve", "token", "add", "odd", ...args]);
    expect(await add("--days", "1e9")).toMatchObject({
      code: 2,
      stderr: 'lathe: --days may be 3650 at most, not "1e9".\n',
    });
    expect(await add("--session", "")).toMatchObject({ code: 2 });
  });

  it("M1 whoever guesses too often has to wait; whoever has a token does not", async () => {
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        serving.ask("/v1/sign-in", { method: "POST", body: JSON.stringify({ code: `guess ${i}` }) }),
      ),
    );
    const last = await serving.ask("/v1/sign-in", {
      method: "POST",
      body: JSON.stringify({ code: await serving.code() }),
    });
    expect(codes.map(({ status }) => status)).toContain(401);
    expect([last.status, last.code]).toEqual([429, "too_many_attempts"]);
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
    expect(await refusal("/v1/roots", admin)).toEqual([200, undefined]);
  });

  it("M1 a token does what its scopes say, in its own session only", async () => {
    const reader = bearer(await serving.token("reader", "read"));
    const post = (path: string, headers: Record<string, string>, body: object = {}) =>
      refusal(path, headers, "POST", JSON.stringify(body));
    expect(await post("/v1/sessions/a/commands/prompt", reader, { message: "x" })).toEqual([403, "wrong_scope"]);
    expect(await post("/v1/sessions", reader, { cwd: box.dir })).toEqual([403, "wrong_scope"]);
    expect(await post("/v1/sessions/a/answers/1", reader, { confirmed: true })).toEqual([403, "wrong_scope"]);
    expect(await post("/v1/sessions/a/close", reader)).toEqual([403, "wrong_scope"]);
    const prompter = bearer(await serving.token("prompter", "read", "prompt"));
    expect(await post("/v1/sessions/a/commands/bash", prompter, { command: "id" })).toEqual([403, "wrong_scope"]);
    expect(await post("/v1/sessions", prompter, { cwd: box.dir, permissionMode: "full" })).toEqual([
      403,
      "wrong_scope",
    ]);
    const { token } = await serving.server.tokens.add({
      name: "one",
      scopes: ["read", "prompt"],
      session: "b",
      lastsMs: 60_000,
    });
    for (const path of ["/v1/sessions/a", "/v1/sessions/a/events", "/v1/roots"])
      expect(await refusal(path, bearer(token)), path).toEqual([403, "other_session"]);
    expect(await post("/v1/sessions", bearer(token), { cwd: box.dir })).toEqual([403, "other_session"]);
    for (const leaving of ["new_session", "fork", "branch"])
      expect(await post(`/v1/sessions/b/commands/${leaving}`, bearer(token), { entryId: "x" }), leaving).toEqual([
        403,
        "other_session",
      ]);
    expect(await refusal("/v1/sessions/b", bearer(token))).toEqual([404, "unknown_session"]);
  });
});

describe("M1: attacks", () => {
  it("M1 DNS rebinding: a foreign Host is refused before anything else is looked at", async () => {
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1.nip.io",
      "localhost@evil.example",
      "[::ffff:7f00:1]",
      "a b",
    ])
      expect(await refusal("/v1/roots", { ...admin, host }), host).toEqual([403, "foreign_host"]);
    const twice = `GET /v1/roots HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nAuthorization: ${admin["authorization"]}\r\n\r\n`;
    expect(await rawly(twice)).toContain("foreign_host");
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, "127.0.0.1:9"])
      expect(await refusal("/v1/roots", { ...admin, host }), host).toEqual([200, undefined]);
  });

  it("M1 a page of another server may ask for nothing: by fetch, form, EventSource, picture or frame", async () => {
    const own = `http://127.0.0.1:${port}`;
    for (const origin of ["http://evil.example", "http://127.0.0.1:3000", `https://127.0.0.1:${port}`, "null"])
      expect(await refusal("/v1/roots", { ...admin, origin }), origin).toEqual([403, "foreign_origin"]);
    const fetched = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
    expect(await refusal("/v1/roots", { ...admin, ...fetched })).toEqual([403, "foreign_origin"]);
    expect(await refusal("/v1/sessions/a/events", { ...admin, ...fetched, "sec-fetch-site": "same-site" })).toEqual([
      403,
      "foreign_origin",
    ]);
    const form = { ...admin, "content-type": "application/x-www-form-urlencoded" };
    expect(await refusal("/v1/sessions", form, "POST", "cwd=/")).toEqual([415, "not_json"]);
    const { status, headers } = await serving.ask("/v1/roots", { headers: { ...admin, origin: own } });
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(await refusal("/v1/roots", { ...admin, origin: "http://evil.example" }, "OPTIONS")).toEqual([
      403,
      "foreign_origin",
    ]);
  });

  it("M1 a token in an address is refused, and nothing of it is said or kept", async () => {
    const token = await serving.token("query", "read");
    for (const path of [`/v1/roots?token=${token}`, `/v1/roots?a=1&access_token=${token}`, `/?code=${token}`]) {
      const { status, code, text } = await serving.ask(path);
      expect([status, code], path).toEqual([400, "secret_in_address"]);
      expect(text).not.toContain(token);
    }
    expect(serving.stderr.text).not.toContain(token);
  });

  it("M1 no path leads out: not of the roots, the sessions, the page or the artifacts", async () => {
    const outside = realpathSync(tmpdir());
    symlinkSync(outside, join(box.dir, "link"));
    mkdirSync(`${box.dir}-beside`, { recursive: true });
    for (const cwd of [
      outside,
      join(box.dir, ".."),
      `${box.dir}-beside`,
      join(box.dir, "link"),
      "/",
      ".",
      `${box.dir}/none`,
      `${box.dir}\0`,
    ])
      expect(await refusal("/v1/sessions", admin, "POST", JSON.stringify({ cwd })), cwd).toEqual([
        403,
        "outside_roots",
      ]);
    writeFileSync(join(box.home, "secret.jsonl"), "{}\n");
    for (const id of ["..%2f..%2fsecret", "a%00b", encodeURIComponent(join(box.home, "secret.jsonl")), "x".repeat(500)])
      expect(await refusal(`/v1/sessions/${id}`, admin), id).toEqual([404, "unknown_session"]);
    for (const path of [
      "/../../package.json",
      "/v1/sessions/%2e%2e",
      "/..%2f..%2fpackage.json",
      "/%2e%2e/package.json",
      "/constructor",
      "/__proto__",
    ])
      expect(await refusal(path, {}), path).toEqual([404, "unknown_address"]);
    expect(await refusal("/v1/sessions/a/artifacts/..%2f..%2fauth.json", admin)).toEqual([404, "unknown_artifact"]);
    const move = JSON.stringify({ directory: outside });
    expect(await refusal("/v1/sessions/a/commands/move_session", admin, "POST", move)).toEqual([403, "outside_roots"]);
    const other = JSON.stringify({ sessionPath: join(box.home, "secret.jsonl") });
    expect(await refusal("/v1/sessions/a/commands/switch_session", admin, "POST", other)).toEqual([
      403,
      "outside_roots",
    ]);
  });

  it("M1 a body of 10 GB is stopped early, whether or not its length is declared", async () => {
    const length = 10 * 2 ** 30;
    expect(await sendForEver({ "content-length": String(length) })).toMatchObject({ status: 413 });
    const { status, sent } = await sendForEver({ "transfer-encoding": "chunked" });
    expect(status).toBe(413);
    expect(sent).toBeLessThan(64 << 20);
    expect(await sendForEver({ "transfer-encoding": "chunked" }, {})).toMatchObject({ status: 401 });
  });

  it("M1 what is no command, no JSON or no parameter is refused in one line", async () => {
    const post = (path: string, body: string) => refusal(path, admin, "POST", body);
    expect(await post("/v1/sessions/a/commands/constructor", "{}")).toEqual([404, "unknown_command"]);
    expect(await post("/v1/sessions/a/commands/prompt", "{")).toEqual([400, "not_json"]);
    expect(await post("/v1/sessions/a/commands/prompt", "[]")).toEqual([400, "not_json"]);
    expect(await post("/v1/sessions/a/commands/prompt", '{"message":1}')).toEqual([400, "wrong_parameter"]);
    expect(await post("/v1/sessions", '{"model":"a/b"}')).toEqual([400, "wrong_parameter"]);
    expect(await refusal("/v1/sessions?limit=100000", admin)).toEqual([400, "wrong_parameter"]);
    expect(await refusal("/v1/nothing", admin)).toEqual([404, "unknown_address"]);
    const client = await serving.client("lost", "read");
    await expect(client.openSession("nosuch")).rejects.toMatchObject({
      status: 404,
      code: "unknown_session",
    } as LatheServerError);
  });
});

/** The first bytes of the answer to these. */
async function rawly(bytes: string): Promise<string> {
  const socket = connect(Number(port), "127.0.0.1");
  socket.end(bytes);
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  return answer;
}

/** With a token unless other headers are given. */
function sendForEver(framing: Record<string, string>, who = admin): Promise<{ status: number; sent: number }> {
  return new Promise((resolve, reject) => {
    const headers = { ...who, ...framing, "content-type": "application/json" };
    const chunk = Buffer.alloc(1 << 20, 32);
    let sent = 0;
    let status = 0;
    const asked = request(
      { host: "127.0.0.1", port, path: "/v1/sessions", method: "POST", headers, agent: false },
      (response) => {
        status = response.statusCode ?? 0;
        response.resume();
      },
    );
    const more = (): void => {
      while (!asked.destroyed && asked.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    asked.on("drain", more);
    // The server closes while we still send.
    asked.on("error", () => {});
    asked.on("close", () =>
      status === 0 ? reject(new Error("The server gave no answer.")) : resolve({ status, sent }),
    );
    more();
  });
}

it("M1 slow headers and connections beyond the limit are cut off; headers that are too long are refused", async () => {
  const limits = { connections: 8, headersWithinMs: 200 };
  const small = await serve(box, {}, { limits });
  const smallPort = Number(new URL(small.server.url).port);
  const said = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = "";
      const socket = connect(smallPort, "127.0.0.1", () => socket.write(text));
      socket.on("data", (piece: Buffer) => {
        answer += piece.toString("utf8");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });
  try {
    const begun = "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    const slow = await Promise.all(Array.from({ length: 24 }, () => said(begun)));
    expect(slow.filter((answer) => answer.includes('"too_slow"'))).toHaveLength(8);
    expect(slow.filter((answer) => answer === "")).toHaveLength(16);
    expect(await said(`${begun}${"x".repeat(20_000)}\r\n\r\n`)).toContain('"headers_too_large"');
    expect(await said("HELLO\r\n\r\n")).toContain('"bad_request"');
    expect((await small.ask("/v1/health")).status).toBe(200);
  } finally {
    await small.server.end({ forgets: true });
  }
});
