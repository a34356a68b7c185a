import { generateKeyPairSync, verify } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startModelServer, type TokenAnswer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { createAdapter } from "../../src/adapter.ts";
import { vertexAuth, vertexPlace } from "../../src/auth/google/index.ts";
import { defaultDeps } from "../../src/deps.ts";
import { vertexBaseUrl, vertexEndpoint } from "../../src/protocols/gemini/endpoint.ts";
import { googleVertex } from "../../src/protocols/gemini/index.ts";
import type { ClientDeps } from "../../src/types/adapter.ts";
import { AuthenticationError, ConfigurationError, NetworkError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import { testClock } from "../core/support.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const adcPath = "/home/u/.config/gcloud/application_default_credentials.json";

interface Setup {
  readonly env?: Record<string, string>;
  readonly file?: (tokenUri: string) => object;
  readonly path?: string;
  readonly token?: () => TokenAnswer;
  readonly machine?: Partial<ClientDeps>;
}

async function setup({ env = {}, file, path = adcPath, token, machine = {} }: Setup) {
  const server = await startModelServer({
    script: () => turn.text("hello"),
    auth: "required",
    listings: token ? { token } : {},
  });
  closers.push(() => server.close());
  const clock = { now: Date.UTC(2026, 0, 1) };
  const content = file ? JSON.stringify(file(`${server.url}/token`)) : undefined;
  const deps = defaultDeps({
    env,
    homeDir: "/home/u",
    now: () => clock.now,
    readFile: async (asked) => {
      if (asked !== path || content === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return new TextEncoder().encode(content);
    },
    ...machine,
  });
  const adapter = createAdapter({
    name: "google-vertex",
    protocol: googleVertex,
    endpoint: vertexEndpoint({ project: "p", location: "global" }),
    auth: vertexAuth({ deps, provider: "google-vertex" }),
    baseUrl: server.baseUrl("vertex"),
    deps,
  });
  closers.push(async () => adapter.close?.());
  const ask = () => adapter.complete({ model: "gemini-3-pro", messages: [Message.user("hi")] }, {});
  const tokenCalls = () => server.requests.filter((request) => request.path === "/token");
  return { server, clock, ask, tokenCalls };
}

const user = (token_uri: string) => ({
  type: "authorized_user",
  client_id: "cid",
  client_secret: "cs",
  refresh_token: "rt",
  quota_project_id: "billed",
  token_uri,
});

describe("AD-70 Vertex", () => {
  it("AD-70 A-304 user credentials: one token call for ten requests, refreshed a minute before expiry", async () => {
    const { server, clock, ask, tokenCalls } = await setup({ file: user });
    await Promise.all(Array.from({ length: 5 }, ask));
    for (let count = 0; count < 5; count++) await ask();
    expect(tokenCalls()).toHaveLength(1);
    expect(Object.fromEntries(new URLSearchParams(tokenCalls()[0]?.text))).toEqual({
      grant_type: "refresh_token",
      client_id: "cid",
      client_secret: "cs",
      refresh_token: "rt",
    });
    const sent = server.requests.at(-1);
    expect(sent?.path).toBe("/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro:generateContent");
    expect(sent?.headers).toMatchObject({ authorization: "Bearer scripted-token", "x-goog-user-project": "billed" });
    clock.now += 3539_000;
    await ask();
    expect(tokenCalls()).toHaveLength(1);
    clock.now += 2_000;
    await ask();
    expect(tokenCalls()).toHaveLength(2);
  });

  it("AD-70 a token service that never answers is given up, and asked again by the next request", async () => {
    const timers = testClock();
    const held = createServer();
    await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
    closers.push(async () => {
      held.close();
      held.closeAllConnections();
    });
    const file = () => user(`http://127.0.0.1:${(held.address() as AddressInfo).port}/token`);
    const { ask } = await setup({ file, machine: { setTimer: timers.setTimer } });
    let asked = 0;
    const reached = () =>
      new Promise<ServerResponse>((resolve) =>
        held.once("request", (_, response: ServerResponse) => {
          asked += 1;
          resolve(response);
        }),
      );
    const first = reached();
    const failure = ask().catch((error: unknown) => error);
    await first;
    timers.advance(30_000);
    expect(await failure).toBeInstanceOf(NetworkError);
    const second = reached();
    const answer = ask();
    (await second).end(JSON.stringify({ access_token: "late", expires_in: 3600 }));
    expect((await answer).text).toBe("hello");
    expect(asked).toBe(2);
  });

  it("AD-70 A-304 a service account signs its own assertion; one token call for ten requests", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const path = "/keys/sa.json";
    const { clock, ask, tokenCalls } = await setup({
      env: { GOOGLE_APPLICATION_CREDENTIALS: path },
      path,
      file: (token_uri) => ({
        type: "service_account",
        client_email: "bot@p.iam",
        private_key_id: "k1",
        private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
        token_uri,
      }),
    });
    for (let count = 0; count < 10; count++) await ask();
    expect(tokenCalls()).toHaveLength(1);
    const form = new URLSearchParams(tokenCalls()[0]?.text);
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [header, claims, signature] = (form.get("assertion") ?? "").split(".");
    const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString()) as object;
    expect(decode(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "k1" });
    const issued = Math.floor(clock.now / 1000);
    expect(decode(claims)).toEqual({
      iss: "bot@p.iam",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: expect.stringMatching(/\/token$/),
      iat: issued,
      exp: issued + 3600,
    });
    const valid = verify(
      "RSA-SHA256",
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature ?? "", "base64url"),
    );
    expect(valid).toBe(true);
    clock.now += 3600_000;
    await ask();
    expect(tokenCalls()).toHaveLength(2);
  });

  it("AD-70 GOOGLE_CLOUD_API_KEY goes as a key header without any token call", async () => {
    const { server, ask, tokenCalls } = await setup({ env: { GOOGLE_CLOUD_API_KEY: "gk" }, file: user });
    await ask();
    expect(tokenCalls()).toEqual([]);
    expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("gk");
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("AD-70 a missing file and an unusable kind are configuration errors; nothing is sent", async () => {
    const named = await setup({ env: { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere.json" } });
    await expect(named.ask()).rejects.toThrow(/GOOGLE_APPLICATION_CREDENTIALS names \/nowhere.json/);
    const none = await setup({});
    await expect(none.ask()).rejects.toThrow(/gcloud auth application-default login/);
    const odd = await setup({ file: () => ({ type: "external_account" }) });
    await expect(odd.ask()).rejects.toBeInstanceOf(ConfigurationError);
    expect([...named.server.requests, ...none.server.requests, ...odd.server.requests]).toEqual([]);
  });

  it("AD-70 a refused refresh is an AuthenticationError and is tried again by the next request", async () => {
    let calls = 0;
    const { ask } = await setup({
      file: user,
      token: () => {
        calls += 1;
        return calls === 1
          ? { status: 400, body: { error: "invalid_grant", error_description: "expired" } }
          : { body: undefined };
      },
    });
    await expect(ask()).rejects.toBeInstanceOf(AuthenticationError);
    expect((await ask()).text).toBe("hello");
  });

  it("AD-70 project and location by precedence, without a default", () => {
    const env = {
      GOOGLE_CLOUD_PROJECT: "p1",
      GCP_PROJECT: "p2",
      GCLOUD_PROJECT: "p3",
      GOOGLE_VERTEX_LOCATION: "l1",
      GOOGLE_CLOUD_LOCATION: "l2",
      VERTEX_LOCATION: "l3",
    };
    const without = (...names: (keyof typeof env)[]) =>
      Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name as keyof typeof env)));
    expect(vertexPlace(env)).toEqual({ project: "p1", location: "l1" });
    expect(vertexPlace(without("GOOGLE_CLOUD_PROJECT", "GOOGLE_VERTEX_LOCATION"))).toEqual({
      project: "p2",
      location: "l2",
    });
    expect(
      vertexPlace(without("GOOGLE_CLOUD_PROJECT", "GCP_PROJECT", "GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION")),
    ).toEqual({ project: "p3", location: "l3" });
    expect(() => vertexPlace({ GOOGLE_VERTEX_LOCATION: "l" })).toThrow(ConfigurationError);
    expect(() => vertexPlace({ GOOGLE_CLOUD_PROJECT: "p" })).toThrow(ConfigurationError);
    expect(vertexBaseUrl("global")).toBe("https://aiplatform.googleapis.com");
    expect(vertexBaseUrl("europe-west4")).toBe("https://europe-west4-aiplatform.googleapis.com");
  });
});
