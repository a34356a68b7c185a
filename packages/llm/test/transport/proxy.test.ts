import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createNodeTransport } from "../../src/transport/node.ts";
import { proxyFor } from "../../src/transport/proxy-rules.ts";
import type { TransportResponse } from "../../src/types/adapter.ts";
import { AbortError, ConfigurationError, NetworkError, RequestTimeoutError } from "../../src/types/errors.ts";
import { testClock } from "../core/support.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A name that only the proxies here know: it stands for this machine, which is otherwise never reached through one. */
const MODEL_HOST = "model.example";
const placeOf = (host: string | undefined): string | undefined => (host === MODEL_HOST ? "127.0.0.1" : host);

/** A forward proxy that remembers what it was asked for. */
async function startProxy(refuse = false) {
  const seen: { line: string; authorization: string | undefined }[] = [];
  const proxy = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers["proxy-authorization"] });
    const target = new URL(request.url ?? "");
    const place = { hostname: placeOf(target.hostname), port: target.port, path: target.pathname + target.search };
    const forwarded = httpRequest({ ...place, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  proxy.on("connect", (request, socket) => {
    seen.push({ line: `CONNECT ${request.url}`, authorization: request.headers["proxy-authorization"] });
    if (refuse) {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    const upstream = connect(Number(port), placeOf(host), () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(proxy)}`, seen };
}

async function text(response: TransportResponse): Promise<string> {
  let result = "";
  for await (const chunk of response.body) result += Buffer.from(chunk).toString();
  return result;
}

const { setTimer, now } = testClock();

describe("proxies", () => {
  it("AD-01 http targets go through the proxy in absolute form, with its credentials", async () => {
    const port = await listen(createServer((request, response) => response.end(`host ${request.headers.host}`)));
    const proxy = await startProxy();
    const transport = createNodeTransport({
      env: { HTTP_PROXY: proxy.url.replace("//", "//user:p%40ss@") },
      setTimer,
      now,
    });
    const response = await transport({
      url: `http://${MODEL_HOST}:${port}/v1?a=b`,
      method: "POST",
      headers: {},
      body: ["x"],
    });
    expect(await text(response)).toBe(`host ${MODEL_HOST}:${port}`);
    expect(proxy.seen).toEqual([
      {
        line: `POST http://${MODEL_HOST}:${port}/v1?a=b`,
        authorization: `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
      },
    ]);
  });

  it("AD-01 NO_PROXY bypasses it", async () => {
    const port = await listen(createServer((_, response) => response.end("direct")));
    const proxy = await startProxy();
    const transport = createNodeTransport({ env: { ALL_PROXY: proxy.url, NO_PROXY: "127.0.0.1" }, setTimer, now });
    expect(await text(await transport({ url: `http://127.0.0.1:${port}/`, method: "GET", headers: {} }))).toBe(
      "direct",
    );
    expect(proxy.seen).toEqual([]);
  });

  it.each([
    ["https://api.example.com/", { HTTPS_PROXY: "http://p:1" }, "http://p:1"],
    ["https://api.example.com/", { https_proxy: "http://p:2" }, "http://p:2"],
    ["http://api.example.com/", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["http://api.example.com/", { HTTPS_PROXY: "http://p:1", ALL_PROXY: "http://p:3" }, "http://p:3"],
    ["https://api.example.com/", { ALL_PROXY: "http://p:3", NO_PROXY: "other.com,example.com" }, undefined],
    ["https://api.example.com/", { ALL_PROXY: "http://p:3", NO_PROXY: ".example.com" }, undefined],
    ["https://notexample.com/", { ALL_PROXY: "http://p:3", NO_PROXY: "example.com" }, "http://p:3"],
    ["https://api.example.com/", { ALL_PROXY: "http://p:3", NO_PROXY: "api.example.com:8443" }, "http://p:3"],
    ["https://api.example.com/", { ALL_PROXY: "http://p:3", NO_PROXY: "*" }, undefined],
    [
      "http://[2001:db8::1]:11434/",
      { ALL_PROXY: "http://p:3", NO_PROXY: "localhost,127.0.0.1,2001:db8::1" },
      undefined,
    ],
    ["http://[2001:db8::1]:11434/", { ALL_PROXY: "http://p:3", NO_PROXY: "[2001:db8::1]:11434" }, undefined],
    ["http://[2001:db8::1]:11434/", { ALL_PROXY: "http://p:3", NO_PROXY: "[2001:db8::1]:80" }, "http://p:3"],
    ["http://127.0.0.1:8000/", { ALL_PROXY: "http://p:3" }, undefined],
    ["http://127.9.9.9/", { HTTP_PROXY: "http://p:3" }, undefined],
    ["https://localhost:8000/", { HTTPS_PROXY: "http://p:3" }, undefined],
    ["http://[::1]:11434/", { ALL_PROXY: "http://p:3" }, undefined],
    ["http://localhost.example.com/", { ALL_PROXY: "http://p:3" }, "http://p:3"],
    ["http://127.0.0.1.example.com/", { ALL_PROXY: "http://p:3" }, "http://p:3"],
  ])("AD-01 %s with %o goes through %s", (url, env, expected) => {
    expect(proxyFor(new URL(url), env)?.href).toBe(expected && `${expected}/`);
  });

  it("AD-01 a proxy that refuses the tunnel is a NetworkError, an unknown kind a ConfigurationError", async () => {
    const proxy = await startProxy(true);
    const refused = createNodeTransport({ env: { HTTPS_PROXY: proxy.url }, setTimer, now });
    await expect(refused({ url: "https://model.example:9/", method: "GET", headers: {} })).rejects.toThrow(
      NetworkError,
    );
    const socks = createNodeTransport({ env: { ALL_PROXY: "socks5://127.0.0.1:1" }, setTimer, now });
    await expect(socks({ url: "https://model.example:9/", method: "GET", headers: {} })).rejects.toThrow(
      ConfigurationError,
    );
  });

  it.each(["http://bad host:1", "http://user:100%@127.0.0.1:1"])(
    "AD-01 the proxy address %s is a ConfigurationError that does not repeat its password",
    async (address) => {
      const transport = createNodeTransport({ env: { ALL_PROXY: address }, setTimer, now });
      const failure = await transport({ url: "http://model.example:9/", method: "GET", headers: {} }).catch(
        (error) => error,
      );
      expect(failure).toBeInstanceOf(ConfigurationError);
      expect(failure.message).not.toContain("100%");
    },
  );

  it("AD-01 a proxy that answers and hangs up in the middle of a request ends that request, not the process", async () => {
    const port = await listen(
      createTcpServer((socket) =>
        socket.once("data", () =>
          socket.write("HTTP/1.1 413 No\r\nContent-Length: 9\r\n\r\ntoo large", () => socket.destroy()),
        ),
      ),
    );
    const transport = createNodeTransport({ env: { HTTP_PROXY: `http://127.0.0.1:${port}` }, setTimer, now });
    const body = Array.from({ length: 16 }, () => Buffer.alloc(1 << 20));
    for (let round = 0; round < 10; round++) {
      const outcome = transport({ url: "http://model.example:9/", method: "POST", headers: {}, body }).then(text);
      expect(["too large", NetworkError]).toContain(await outcome.catch((error: Error) => error.constructor));
    }
  });

  /** Accepts connections and says nothing. */
  async function startMuteProxy() {
    let arrived = (_: Socket) => {};
    const connected = new Promise<Socket>((resolve) => {
      arrived = resolve;
    });
    const port = await listen(createTcpServer((socket) => arrived(socket.resume())));
    const closed = connected.then((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())));
    return { url: `http://127.0.0.1:${port}`, connected, closed };
  }

  it("TM-01 AD-01 an abort ends the wait for a proxy that never answers, and its connection", async () => {
    const proxy = await startMuteProxy();
    const transport = createNodeTransport({ env: { HTTPS_PROXY: proxy.url }, setTimer, now });
    const controller = new AbortController();
    const waiting = transport({
      url: "https://model.example:9/",
      method: "GET",
      headers: {},
      signal: controller.signal,
    });
    await proxy.connected;
    controller.abort();
    await expect(waiting).rejects.toThrow(AbortError);
    await proxy.closed;
  });

  it("TM-03 AD-01 the connect limit covers the way through a proxy", async () => {
    const proxy = await startMuteProxy();
    const clock = testClock();
    const transport = createNodeTransport({
      env: { HTTPS_PROXY: proxy.url },
      setTimer: clock.setTimer,
      now: clock.now,
    });
    const waiting = transport({
      url: "https://model.example:9/",
      method: "GET",
      headers: {},
      connectTimeoutMs: 10_000,
    });
    const failure = expect(waiting).rejects.toThrow(RequestTimeoutError);
    await proxy.connected;
    clock.advance(10_000);
    await failure;
    await proxy.closed;
  });
});

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasOpenssl)("TLS, with openssl for the certificates", () => {
  let folder = "";
  const pem = (name: string) => readFileSync(join(folder, name), "utf8");

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tls-"));
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test ca");
    for (const [name, extra] of [
      ["server", "subjectAltName=IP:127.0.0.1,DNS:model.example"],
      ["client", "subjectAltName=DNS:client"],
    ] as const) {
      openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`, "-addext", extra);
      openssl(
        "x509",
        "-req",
        "-in",
        `${name}.csr`,
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
        "-copy_extensions",
        "copy",
        "-out",
        `${name}.pem`,
      );
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function startTls(): Promise<string> {
    const options = {
      key: pem("server.key"),
      cert: pem("server.pem"),
      ca: pem("ca.pem"),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const server = createTlsServer(options, (request, response) => {
      const peer = (request.socket as import("node:tls").TLSSocket).getPeerCertificate();
      response.end(`client ${peer.subject?.CN ?? "none"}`);
    });
    return `https://127.0.0.1:${await listen(server)}/`;
  }

  it("AD-01 an unknown authority is refused, a given one accepted", async () => {
    const url = await startTls();
    const plain = createNodeTransport({ env: {}, setTimer, now });
    await expect(plain({ url, method: "GET", headers: {} })).rejects.toThrow(/extra CA/);
    const trusting = createNodeTransport({ env: {}, setTimer, now, extraCa: pem("ca.pem") });
    expect(await text(await trusting({ url, method: "GET", headers: {} }))).toBe("client none");
  });

  it("AD-01 AD-32 a client certificate is presented", async () => {
    const url = await startTls();
    const transport = createNodeTransport({ env: {}, setTimer, now });
    const tls = { ca: pem("ca.pem"), cert: pem("client.pem"), key: pem("client.key") };
    expect(await text(await transport({ url, method: "GET", headers: {}, tls }))).toBe("client client");
  });

  it("AD-01 a CONNECT proxy tunnels https", async () => {
    const url = (await startTls()).replace("127.0.0.1", MODEL_HOST);
    const proxy = await startProxy();
    const transport = createNodeTransport({ env: { HTTPS_PROXY: proxy.url }, setTimer, now, extraCa: pem("ca.pem") });
    for (let round = 0; round < 2; round++)
      expect(await text(await transport({ url, method: "GET", headers: {} }))).toBe("client none");
    expect(proxy.seen).toEqual([{ line: `CONNECT ${new URL(url).host}`, authorization: undefined }]);
  });

  it.each(["http://model.example/", "https://model.example/"])(
    "AD-01 on the way to %s an https proxy is asked for its own certificate",
    async (url) => {
      const names: string[] = [];
      const credentials = { key: pem("server.key"), cert: pem("server.pem") };
      const server = createTlsServer({
        ...credentials,
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      });
      const proxy = `https://localhost:${await listen(server)}`;
      const transport = createNodeTransport({ env: { ALL_PROXY: proxy }, setTimer, now });
      await expect(transport({ url, method: "GET", headers: {} })).rejects.toThrow(NetworkError);
      expect(names).toEqual(["localhost"]);
    },
  );

  it("TM-03 AD-01 behind a tunnel the connect limit ends with the connection, not with the first byte", async () => {
    let arrived = () => {};
    const reached = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let answer = () => {};
    const credentials = { key: pem("server.key"), cert: pem("server.pem") };
    const server = createTlsServer(credentials, (_, response) => {
      answer = () => response.end("slow but sure");
      arrived();
    });
    const url = `https://${MODEL_HOST}:${await listen(server)}/`;
    const proxy = await startProxy();
    const clock = testClock();
    const options = {
      env: { HTTPS_PROXY: proxy.url },
      setTimer: clock.setTimer,
      now: clock.now,
      extraCa: pem("ca.pem"),
    };
    const waiting = createNodeTransport(options)({ url, method: "GET", headers: {}, connectTimeoutMs: 10_000 });
    await reached;
    clock.advance(60_000);
    answer();
    expect(await text(await waiting)).toBe("slow but sure");
  });
});
