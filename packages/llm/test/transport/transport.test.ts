import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { readBody } from "../../src/transport/body.ts";
import { createFetchTransport } from "../../src/transport/fetch.ts";
import { createNodeTransport } from "../../src/transport/node.ts";
import type { Transport, TransportResponse } from "../../src/types/adapter.ts";
import { AbortError, NetworkError, RequestTimeoutError } from "../../src/types/errors.ts";
import { testClock } from "../core/support.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

async function serve(listener: RequestListener): Promise<{ url: string; server: Server; sockets: Set<Socket> }> {
  const server = createServer(listener);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sockets };
}

async function text(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const { setTimer, now } = testClock();
const machine = { setTimer, now };
const TRANSPORTS: readonly { name: string; make: () => Transport }[] = [
  { name: "node", make: () => createNodeTransport({ env: {}, ...machine }) },
  { name: "fetch", make: () => createFetchTransport() },
];

describe.each(TRANSPORTS)("transport over $name", ({ make }) => {
  it("AD-01 sends the pieces in order with their length and returns status and headers", async () => {
    const { url } = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        response.writeHead(418, { "x-seen": `${request.method} ${request.headers["content-length"]} ${body.length}` });
        response.end(body);
      });
    });
    const response = await make()({
      url: `${url}/a?b=c`,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: ['{"a":"', "ü€", Uint8Array.from([0x22, 0x7d])],
    });
    expect(response.status).toBe(418);
    expect(response.headers["x-seen"]).toBe("POST 13 13");
    expect(await text(response)).toBe('{"a":"ü€"}');
  });

  it.each([
    ["me:s%40cr%C3%A9t@", {}, `Basic ${Buffer.from("me:s@crét").toString("base64")}`],
    ["me:100%@", {}, `Basic ${Buffer.from("me:100%").toString("base64")}`],
    ["me@", {}, `Basic ${Buffer.from("me:").toString("base64")}`],
    ["me:secret@", { Authorization: "Bearer key" }, "Bearer key"],
    ["", {}, undefined],
  ])("AD-01 a name and a password in the address get to the server: %s", async (who, headers, expected) => {
    let seen: IncomingMessage["headers"] = {};
    const { url } = await serve((request, response) => {
      seen = request.headers;
      response.end(request.url);
    });
    const response = await make()({ url: `${url.replace("//", `//${who}`)}/v1/a@b`, method: "GET", headers });
    expect(await text(response)).toBe("/v1/a@b");
    expect([seen.authorization, seen.host]).toEqual([expected, new URL(url).host]);
  });

  it("AD-01 gzip is taken and undone", async () => {
    const { url } = await serve((request, response) => {
      expect(request.headers["accept-encoding"]).toContain("gzip");
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync("data: squeezed\n\n"));
    });
    expect(await text(await make()({ url, method: "GET", headers: {} }))).toBe("data: squeezed\n\n");
  });

  it("ER-02 nobody listening is a NetworkError", async () => {
    const { url, server } = await serve((_, response) => response.end());
    await new Promise((resolve) => server.close(resolve));
    await expect(make()({ url, method: "GET", headers: {} })).rejects.toThrow(NetworkError);
  });

  it("ER-02 a reset in the middle of the body is a NetworkError", async () => {
    const { url } = await serve((_, response) => {
      response.write("half");
      setImmediate(() => response.socket?.resetAndDestroy());
    });
    const response = await make()({ url, method: "GET", headers: {} });
    await expect(text(response)).rejects.toThrow(NetworkError);
  });

  it("TM-01 an abort before the call sends nothing", async () => {
    let requests = 0;
    const { url } = await serve((_, response) => {
      requests++;
      response.end();
    });
    await expect(make()({ url, method: "GET", headers: {}, signal: AbortSignal.abort() })).rejects.toThrow(AbortError);
    expect(requests).toBe(0);
  });

  it("TM-01 an abort while waiting for headers closes the socket", async () => {
    const controller = new AbortController();
    const closed = new Promise<void>((resolve) => {
      void serve((request) => {
        request.socket.on("close", () => resolve());
        controller.abort();
      }).then(({ url }) => {
        const outcome = make()({ url, method: "GET", headers: {}, signal: controller.signal });
        return expect(outcome).rejects.toThrow(AbortError);
      });
    });
    await closed;
  });

  it("TM-01 an abort in the body closes the socket and is an AbortError", async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    const { url } = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.on("close", () => resolve()));
      response.write("first");
    });
    const response = await make()({ url, method: "GET", headers: {}, signal: controller.signal });
    const body = response.body[Symbol.asyncIterator]();
    expect((await body.next()).done).toBe(false);
    const waiting = expect(body.next()).rejects.toThrow(AbortError);
    controller.abort();
    await waiting;
    await closed;
  });

  it("GN-01 leaving the body early closes the socket", async () => {
    let closed: Promise<void> | undefined;
    const { url } = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.on("close", () => resolve()));
      response.write("first");
    });
    const response = await make()({ url, method: "GET", headers: {} });
    for await (const chunk of response.body) {
      expect(Buffer.from(chunk).toString()).toBe("first");
      break;
    }
    await closed;
  });
});

describe("transport over node", () => {
  it("AD-01 one connection serves several requests", async () => {
    const { url, server } = await serve((_, response) => response.end("ok"));
    let connections = 0;
    server.on("connection", () => connections++);
    const transport = createNodeTransport({ env: {}, ...machine });
    for (let round = 0; round < 3; round++) await text(await transport({ url, method: "GET", headers: {} }));
    expect(connections).toBe(1);
  });

  it("AD-01 texts and bytes in any order arrive as one body, on a new connection and on one that waits", async () => {
    const { url, server } = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => response.end(`${request.headers["content-length"]} ${Buffer.concat(chunks)}`));
    });
    let connections = 0;
    server.on("connection", () => connections++);
    const transport = createNodeTransport({ env: {}, ...machine });
    const page = "ü€😀".repeat(20_000);
    const bodies = [
      [],
      [""],
      ["a", "ü"],
      [Buffer.from(page), "€"],
      ["{", page, Buffer.from(page), Buffer.from("x"), "", page, Buffer.from(page), "}"],
      ["{", Buffer.from(page), "}"],
    ];
    for (const body of bodies) {
      const expected = body.map(String).join("");
      const answer = await text(await transport({ url, method: "POST", headers: {}, body }));
      expect(answer === `${Buffer.byteLength(expected)} ${expected}`).toBe(true);
    }
    expect(connections).toBe(1);
  });

  it("TM-03 a peer that never finishes the handshake is a timeout of phase connect", async () => {
    const clock = testClock();
    const silent = createTcpServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    cleanup.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const connected = new Promise<Socket>((resolve) => silent.once("connection", resolve));
    const transport = createNodeTransport({ env: {}, setTimer: clock.setTimer, now: clock.now });
    const outcome = transport({
      url: `https://127.0.0.1:${port}/`,
      method: "GET",
      headers: {},
      connectTimeoutMs: 10_000,
    }).catch((error: unknown) => error);
    const socket = await connected;
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.resume();
    clock.advance(10_000);
    const error = await outcome;
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect((error as RequestTimeoutError).phase).toBe("connect");
    await closed;
  });

  it("TM-03 the connect limit ends with the connection", async () => {
    const clock = testClock();
    const { url } = await serve((_, response) => response.end("ok"));
    const transport = createNodeTransport({ env: {}, setTimer: clock.setTimer, now: clock.now });
    for (let round = 0; round < 2; round++) {
      await text(await transport({ url, method: "GET", headers: {}, connectTimeoutMs: 10_000 }));
      expect(clock.pending).toBe(0);
    }
  });

  it("AD-01 a connection that has waited for more than a minute is not trusted, whatever its timers say", async () => {
    const { url } = await serve((request, response) => response.end(String(request.socket.remotePort)));
    const clock = testClock();
    const transport = createNodeTransport({ env: {}, setTimer: clock.setTimer, now: clock.now });
    const port = async () => text(await transport({ url, method: "GET", headers: {} }));
    const first = await port();
    clock.advance(59_000);
    expect(await port()).toBe(first);
    clock.advance(61_000);
    expect(await port()).not.toBe(first);
  });

  it("AD-01 close drops idle connections only", async () => {
    const { url, sockets } = await serve((request, response) => {
      if (request.url === "/slow") response.write("part");
      else response.end("ok");
    });
    const transport = createNodeTransport({ env: {}, ...machine });
    const slow = await transport({ url: `${url}/slow`, method: "GET", headers: {} });
    await text(await transport({ url: `${url}/fast`, method: "GET", headers: {} }));
    expect(sockets.size).toBe(2);
    const gone = Promise.race([...sockets].map((socket) => new Promise((resolve) => socket.on("close", resolve))));
    transport.close?.();
    await gone;
    expect(sockets.size).toBe(1);
    await slow.body[Symbol.asyncIterator]().return?.();
  });
});

describe("a body that outlives its reader's attention", () => {
  function source(failure?: Error) {
    const readable = new Readable({ read() {} });
    const incoming = readable as unknown as IncomingMessage;
    const body = readBody({ incoming, readable, origin: "http://x", failure: () => failure, settle: () => {} });
    return { readable, bytes: body[Symbol.asyncIterator]() };
  }

  it("GN-01 what arrived before a reset is handed out before the reset is told", async () => {
    const { readable, bytes } = source();
    readable.push("data: {}");
    readable.destroy(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    await new Promise((resolve) => readable.once("close", resolve));
    expect(String((await bytes.next()).value)).toBe("data: {}");
    await expect(bytes.next()).rejects.toThrow(NetworkError);
  });

  it("TM-01 after an abort nothing more is handed out", async () => {
    const { readable, bytes } = source(new AbortError("The request was aborted."));
    readable.push("data: {}");
    readable.destroy(new Error("aborted"));
    await new Promise((resolve) => readable.once("close", resolve));
    await expect(bytes.next()).rejects.toThrow(AbortError);
  });

  it("GN-01 leaving wakes whoever still waits", async () => {
    const { bytes } = source();
    const waiting = bytes.next();
    await bytes.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
