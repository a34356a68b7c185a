import { getEventListeners } from "node:events";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { TransportRequest } from "../../src/types/adapter.ts";
import { AbortError } from "../../src/types/errors.ts";
import { client, closed, get, listen, OK, rawServer, signal, text } from "./servers.ts";

/** Sends a request, aborts when told to, and expects the abort. */
async function aborted(url: string, when: Promise<unknown>, more: Partial<TransportRequest> = {}) {
  const controller = new AbortController();
  const waiting = client()(get(url, { ...more, signal: controller.signal }));
  const failure = expect(waiting).rejects.toThrow(AbortError);
  await when;
  controller.abort();
  await failure;
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
}

describe("aborts", () => {
  it("TM-01 right after the call, no request is sent", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    await aborted(server.url, Promise.resolve());
    expect(server.requests).toEqual([]);
  });

  it("TM-01 in the TLS handshake, the connection is closed", async () => {
    const hello = signal();
    const over = signal();
    const mute = createServer((socket) => {
      socket.once("data", () => hello.resolve());
      socket.once("close", () => over.resolve());
    });
    await aborted(`https://127.0.0.1:${await listen(mute)}/`, hello.promise);
    await over.promise;
  });

  it("TM-01 while the request is being sent, the connection is closed", async () => {
    const arrived = signal();
    const server = await rawServer((socket) => {
      socket.pause();
      arrived.resolve();
    });
    const body = Array.from({ length: 32 }, () => Buffer.alloc(1 << 20, "x"));
    await aborted(server.url, arrived.promise, { method: "POST", body });
    server.connections[0]!.resume();
    await closed(server.connections[0]!);
  });

  it("TM-01 in the head of the answer, the connection is closed", async () => {
    const arrived = signal();
    const server = await rawServer((socket) => socket.write("HTTP/1.1 200 OK\r\nx: ", () => arrived.resolve()));
    await aborted(server.url, arrived.promise);
    await closed(server.connections[0]!);
  });

  it("TM-01 on a connection that was used before, it is closed and not used again", async () => {
    const arrived = signal();
    const server = await rawServer((socket, request) => {
      if (request === 1) arrived.resolve();
      else socket.write(OK);
    });
    const transport = client();
    const controller = new AbortController();
    await text(await transport(get(server.url)));
    const waiting = transport(get(server.url, { signal: controller.signal }));
    const failure = expect(waiting).rejects.toThrow(AbortError);
    await arrived.promise;
    controller.abort();
    await failure;
    await closed(server.connections[0]!);
    expect(await text(await transport(get(server.url)))).toBe("ok");
    expect(server.requests.length).toBe(3);
  });

  const zipped = gzipSync("ok");
  it.each([
    ["plain", Buffer.from(OK)],
    [
      "compressed",
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`),
        zipped,
      ]),
    ],
  ])("TM-01 with all of a %s answer here but unread, nothing of it is handed out", async (_, raw) => {
    const server = await rawServer((socket) => socket.write(raw));
    const controller = new AbortController();
    const response = await client()(get(server.url, { signal: controller.signal }));
    controller.abort();
    await expect(response.body[Symbol.asyncIterator]().next()).rejects.toThrow(AbortError);
  });

  it("TM-01 after the answer is read, the connection waits for the next request", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const transport = client();
    const controller = new AbortController();
    expect(await text(await transport(get(server.url, { signal: controller.signal })))).toBe("ok");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    expect(await text(await transport(get(server.url)))).toBe("ok");
    expect(server.connections.length).toBe(1);
  });

  it("GN-01 leaving a body wakes whoever still waits for it", async () => {
    const server = await rawServer((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    const body = (await client()(get(server.url))).body[Symbol.asyncIterator]();
    const waiting = body.next();
    await body.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await closed(server.connections[0]!);
  });
});
