import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { fetchJson } from "../fetch-json.ts";
import { fetchPage } from "../fetch-page.ts";
import type { WebGate } from "./types.ts";
import { webGate } from "./web-gate.ts";

const { signal } = new AbortController();
const LIMITS = { maxBytes: 1 << 20, maxRedirects: 5, timeoutMs: 60_000 };
const SERVER = `
const { createServer } = require("node:http");
const server = createServer((request, response) => {
  if (request.url === "/away") return response.writeHead(302, { location: request.headers["x-to"] }).end();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(request.headers));
});
server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port));`;

/** Another program's server: of this process, which is no process of the session. */
let other: Server;
let otherPort: number;
const heard: (string | undefined)[] = [];
beforeAll(async () => {
  other = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.end("other");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  otherPort = (other.address() as AddressInfo).port;
});
afterAll(() => void other.close());

let env: LocalEnvironment;
let gate: WebGate;
beforeEach(() => {
  env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: process.env["PATH"] } });
  gate = webGate({ env });
  heard.length = 0;
});
afterEach(() => env.cleanup());

async function startServer(): Promise<number> {
  const started = await env.startProcess([process.execPath, "-e", SERVER]);
  for await (const chunk of started.stdout) return Number(/port (\d+)/.exec(String(chunk))?.[1]);
  throw new Error("the server did not start");
}

const read = (url: string, headers = {}) => fetchJson(gate, url, { headers }, signal);

describe("the gate", () => {
  it("a server of the session is reached by each of its names; its redirect to another program's port is not followed", async () => {
    const port = await startServer();
    for (const name of [
      "localhost",
      "127.0.0.1",
      "127.1.2.3",
      "[::1]",
      "app.localhost",
      "0.0.0.0",
      "LOCALHOST.",
      "2130706433",
    ])
      expect((await read(`http://${name}:${port}/`)).value).toMatchObject({
        host: expect.stringContaining(`:${port}`),
      });
    expect(await gate.isOwn("localhost", port)).toBe(true);
    expect(await gate.isOwn("example.org", port)).toBe(false);
    const away = read(`http://localhost:${port}/away`, { "x-to": `http://127.0.0.1:${otherPort}/` });
    await expect(away).rejects.toThrow(`127.0.0.1:${otherPort} is closed: no process of this session listens there`);
    expect(heard).toEqual([]);
  });

  it("another program's port is closed until the user types it, and gets no token that was meant for another host", async () => {
    await expect(read(`http://localhost:${otherPort}/`)).rejects.toThrow("web.allowPrivate");
    await expect(gate.connect("localhost", otherPort, signal)).rejects.toThrow("is closed");
    expect(await gate.isOwn("localhost", otherPort)).toBe(false);
    expect(heard).toEqual([]);
    gate.openTyped(`http://localhost:${otherPort}/some/page`);
    const port = await startServer();
    const headers = { authorization: "Bearer secret", "x-to": `http://127.0.0.1:${otherPort}/` };
    const page = await fetchPage(gate, `http://localhost:${port}/away`, { ...LIMITS, headers }, signal);
    expect(page.body.toString()).toBe("other");
    expect(heard).toEqual([undefined]);
    await expect(read(`http://localhost:${otherPort + 1}/`)).rejects.toThrow("is closed");
  });

  it("a name is judged by what it leads to at the moment of connecting", async () => {
    gate = webGate({ env, lookUp: async () => [{ address: "127.0.0.1", family: 4 }] });
    await expect(read(`http://rebind.example:${otherPort}/`)).rejects.toThrow(
      "rebind.example leads to this machine or its private network, which is not allowed.",
    );
    expect(heard).toEqual([]);
  });
});
