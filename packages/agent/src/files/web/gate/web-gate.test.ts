import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, isIP } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { has } from "../../../../test/programs.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { answerFailure, fetchJson } from "../fetch-json.ts";
import type { FetchOptions } from "../fetch-page.ts";
import type { GateOptions, WebGate } from "./types.ts";
import { webGate } from "./web-gate.ts";

/** A server of the session: returns the headers it received, or redirects to where the caller says. */
const SERVER = `
const { createServer } = require("node:http");
const server = createServer((request, response) => {
  const { "x-to": location, "x-status": status } = request.headers;
  if (location) return response.writeHead(Number(status ?? 302), { location }).end();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(request.headers));
});
server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port));`;

/** Another program's server: it runs in this process, which does not belong to the session. */
let other: Server;
const heard: IncomingMessage[] = [];
const answerAll: RequestListener = (request, response) => {
  heard.push(request);
  if (request.url === "/gone")
    response.writeHead(410, { "content-type": "text/plain" }).end("It moved\nto the cellar.");
  else if (request.url === "/half") response.end('{"a":');
  else response.setHeader("content-type", "application/json").end('"other"');
};
let otherOrigin: string;
beforeAll(async () => {
  other = createServer(answerAll).listen(0, "127.0.0.1");
  await once(other, "listening");
  otherOrigin = originOf(other);
});
afterAll(() => void other.close());

const originOf = (server: Server, scheme = "http"): string =>
  `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;

let env: LocalEnvironment;
let gate: WebGate;
const gateWith = (options: Partial<GateOptions>): WebGate => webGate({ env, ...options });
beforeEach(() => {
  env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: process.env["PATH"] } });
  gate = gateWith({});
  heard.length = 0;
});
afterEach(() => env.cleanup());

async function startServer(): Promise<string> {
  const started = await env.startProcess([process.execPath, "-e", SERVER]);
  for await (const chunk of started.stdout) return `http://localhost:${/port (\d+)/.exec(String(chunk))?.[1]}`;
  throw new Error("the server did not start");
}

const read = (url: string, options: Partial<FetchOptions> = {}) =>
  fetchJson(gate, url, { timeoutMs: 60_000, ...options }, new AbortController().signal);

describe("the gate", () => {
  it("a server of the session is reached in every notation; its redirect to another program's port is not followed", async () => {
    const { port, origin } = new URL(await startServer());
    for (const name of ["127.1.2.3", "0.0.0.0", "LOCALHOST.", "2130706433", "[::ffff:127.0.0.1]"])
      expect((await read(`http://${name}:${port}/`)).value).toMatchObject({ host: expect.stringMatching(`:${port}$`) });
    expect(await gate.isOwn("127.0.0.1", Number(port))).toBe(true);
    expect(await gate.isOwn("example.org", Number(port))).toBe(false);
    const away = read(origin, { headers: { "x-to": `${otherOrigin}/` } });
    await expect(away).rejects.toThrow(
      `${new URL(otherOrigin).host} is closed: no process of this session listens there`,
    );
    expect(heard).toEqual([]);
  });

  it("an address of this machine's interfaces is like its loopback: other programs' ports are closed, in whatever notation and by name", async () => {
    const addresses: readonly string[] = ["8.8.4.4", "2606:4700::7"];
    const lookUp = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    gate = gateWith({ ownAddresses: () => addresses, lookUp });
    const everywhere = createServer(answerAll).listen(0, "0.0.0.0");
    await once(everywhere, "listening");
    const { port } = everywhere.address() as AddressInfo;
    for (const host of ["8.8.4.4", "134743044", "[::ffff:8.8.4.4]", "[64:ff9b::808:404]", "[2606:4700:0::7]"])
      await expect(read(`http://${host}:${port}/`), host).rejects.toThrow(`:${port} is closed: no process`);
    await expect(read(`http://me.example:${port}/`)).rejects.toThrow("me.example leads to this machine");
    // The real interfaces' addresses, which were not passed to it.
    const real = Object.values(networkInterfaces()).flatMap((found = []) => found);
    gate = gateWith({ lookUp: async () => real.map(({ address }) => ({ address, family: isIP(address) })) });
    for (const { address, family } of real.filter(({ scopeid = 0 }) => scopeid === 0))
      await expect(read(`http://${family === "IPv6" ? `[${address}]` : address}:${port}/`)).rejects.toThrow(
        "is closed",
      );
    await expect(read(`http://me.example:${port}/`)).rejects.toThrow("me.example leads to this machine");
    expect(heard).toEqual([]);
    gate = gateWith({ ownAddresses: () => addresses });
    const own = new URL(await startServer());
    expect((await read(`http://8.8.4.4:${own.port}/`)).status).toBe(200);
    gate.openTyped(`http://8.8.4.4:${port}`);
    expect((await read(`http://[2606:4700::7]:${port}/`)).value).toBe("other");
    everywhere.closeAllConnections();
    everywhere.close();
  });

  it("what the caller sends stays with the host that it was meant for", async () => {
    const origin = await startServer();
    gate.openTyped(otherOrigin);
    const headers = { authorization: "Bearer secret", "x-to": `${otherOrigin}/page`, accept: "application/x" };
    expect((await read(origin, { headers })).value).toBe("other");
    expect(heard[0]!.headers).toMatchObject({ accept: "application/x", "user-agent": "lathe" });
    expect(heard[0]!.headers).not.toHaveProperty("authorization");
    // A submitted form is not submitted again to another host, nor repeated with another method.
    await read(origin, { headers, method: "POST", body: "token=secret" });
    expect(heard[1]).toMatchObject({ method: "GET", headers: expect.not.objectContaining({ "content-length": "12" }) });
    const kept = read(origin, { headers: { ...headers, "x-status": "307" }, method: "POST", body: "token=secret" });
    await expect(kept).rejects.toThrow("which is another host");
    expect(heard).toHaveLength(2);
  });

  it("an answer is given whatever its status is; a failure of one holds the status and what the server says", async () => {
    gate.openTyped(otherOrigin);
    const { host } = new URL(otherOrigin);
    const gone = await read(`${otherOrigin}/gone`);
    expect(gone).toMatchObject({ status: 410, value: undefined });
    expect(answerFailure(gone).message).toBe(`${host} answered with status 410: It moved to the cellar.`);
    expect(answerFailure(await read(`${otherOrigin}/half`)).message).toBe(
      `${host} answered with something other than JSON: {"a":`,
    );
    await expect(read("http://localhost:1/")).rejects.toThrow("localhost:1 is closed");
    gate.openTyped("http://localhost:1");
    await expect(read("http://localhost:1/")).rejects.toThrow(/could not be reached: Port 1 .*nothing listens there/);
  });

  it.skipIf(!has("openssl"))("a certificate is checked, but not on the loopback (needs openssl)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-gate-"));
    const wish =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2 -subj /CN=me";
    execFileSync("openssl", wish.split(" "), { cwd: folder, stdio: "pipe" });
    const [key, cert] = ["key", "cert"].map((name) => readFileSync(join(folder, name)));
    rmSync(folder, { recursive: true });
    const server = createSecureServer({ key, cert }, answerAll).listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = originOf(server, "https");
    gate.openTyped(origin);
    expect((await read(origin)).value).toBe("other");
    gate = gateWith({ allowPrivate: true, lookUp: async () => [{ address: "127.0.0.1", family: 4 }] });
    const named = read(`https://secure.example:${new URL(origin).port}/`);
    await expect(named).rejects.toThrow("secure.example:");
    await expect(named).rejects.toThrow("SELF_SIGNED");
    server.close();
  });

  it("behind the user's proxy, names and addresses are judged before it hears of them, and that is said once", async () => {
    const proxied: string[] = [];
    const proxy = createServer((request, response) => {
      proxied.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
      answerAll(request, response);
    }).on("connect", (request, socket: Duplex) => {
      proxied.push(`CONNECT ${request.url}`);
      // The tunnel leads to a server without TLS.
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(connect((other.address() as AddressInfo).port, "127.0.0.1")).pipe(socket);
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const address = originOf(proxy).replace("//", "//me:pw@");
    const told: string[] = [];
    const onNotice = (message: string): void => void told.push(message);
    const variables = { HTTP_PROXY: address, https_proxy: address, NO_PROXY: "direct.example" };
    gate = gateWith({ variables, onNotice, lookUp: async () => [{ address: "10.0.0.1", family: 4 }] });
    expect((await read("http://docs.example/page?a=1#never-leaves")).value).toBe("other");
    await expect(read("https://docs.example/page")).rejects.toThrow("docs.example/page could not be reached");
    const raw = await gate.inside(env).connect("docs.example", 443, new AbortController().signal);
    raw.destroy();
    const basic = `Basic ${Buffer.from("me:pw").toString("base64")}`;
    const tunnel = "CONNECT docs.example:443";
    expect(proxied.splice(0)).toEqual([`GET http://docs.example/page?a=1 ${basic}`, tunnel, tunnel]);
    for (const url of [
      "http://10.0.0.1/",
      "https://[64:ff9b::7f00:1]/",
      "http://2852039166/",
      "http://direct.example/",
    ])
      await expect(read(url), url).rejects.toThrow("web.allowPrivate");
    const own = await startServer();
    expect((await read(own)).status).toBe(200);
    expect(proxied).toEqual([]);
    expect(told).toEqual([expect.stringMatching(/^Web requests go through your proxy/)]);
    proxy.closeAllConnections();
    proxy.close();
  });
});
