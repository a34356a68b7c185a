// Connections that are opened before there is a request for them.

import { createServer } from "node:https";
import type { Socket } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/types/adapter.ts";
import { NetworkError } from "../../src/types/errors.ts";
import { testClock } from "../core/support.ts";
import { hasOpenssl, makeCertificates } from "./certificates.ts";
import { client, closed, get, listen, OK, rawServer, signal, text } from "./servers.ts";

const ask = async (transport: Transport, url: string) => text(await transport(get(url)));

/** Answers everything, and reports each connection as it arrives. */
async function watchedServer() {
  const connected = signal<Socket>();
  const connections: Socket[] = [];
  let requests = 0;
  const server = createTcpServer((socket) => {
    connections.push(socket);
    connected.resolve(socket);
    socket.on("data", () => {
      requests++;
      socket.write(OK);
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  return { url, connections, connected: connected.promise, requests: () => requests };
}

describe("a connection opened ahead", () => {
  it("AD-01 is there before the request, sends nothing, and serves the request", async () => {
    const server = await watchedServer();
    const transport = client();
    transport.prepare?.({ url: `${server.url}v1/responses` });
    await server.connected;
    expect(server.requests()).toBe(0);
    for (let round = 0; round < 2; round++) expect(await ask(transport, server.url)).toBe("ok");
    expect(server.connections).toHaveLength(1);
  });

  it("AD-01 is opened once, however often it is asked for, and not when one waits already", async () => {
    const server = await watchedServer();
    const transport = client();
    for (let round = 0; round < 3; round++) transport.prepare?.({ url: server.url });
    await server.connected;
    await ask(transport, server.url);
    transport.prepare?.({ url: server.url });
    await ask(transport, server.url);
    expect(server.connections).toHaveLength(1);
  });

  it("AD-01 TM-03 its connect limit ends with the connection", async () => {
    const server = await watchedServer();
    const clock = testClock();
    const transport = client(clock);
    transport.prepare?.({ url: server.url });
    await server.connected;
    expect(await text(await transport(get(server.url, { connectTimeoutMs: 10_000 })))).toBe("ok");
    expect(clock.pending).toBe(0);
  });

  it("ER-02 that fails is left for the request to meet", async () => {
    const server = createTcpServer();
    const url = `http://127.0.0.1:${await listen(server)}/`;
    await new Promise((resolve) => server.close(resolve));
    const transport = client();
    transport.prepare?.({ url });
    await expect(ask(transport, url)).rejects.toThrow(NetworkError);
  });

  it("AD-01 that its server closes is replaced, and nobody notices", async () => {
    const server = await watchedServer();
    const transport = client();
    transport.prepare?.({ url: server.url });
    (await server.connected).end();
    await closed(server.connections[0]!);
    expect(await ask(transport, server.url)).toBe("ok");
    expect(server.connections).toHaveLength(2);
  });

  it("ER-02 AD-01 that its server closes just as it is used costs nothing but a new one", async () => {
    const server = await rawServer((socket, _, connection) => {
      if (connection === 0) socket.end();
      else socket.write(OK);
    });
    const transport = client();
    transport.prepare?.({ url: server.url });
    expect(await ask(transport, server.url)).toBe("ok");
    expect([server.connections.length, server.requests.length]).toEqual([2, 2]);
  });

  it("AD-01 on which bytes come that nobody asked for is dropped, and they answer nothing", async () => {
    const server = await watchedServer();
    const transport = client();
    transport.prepare?.({ url: server.url });
    (await server.connected).write("HTTP/1.1 500 Surprise\r\nContent-Length: 0\r\n\r\n");
    await closed(server.connections[0]!);
    expect(await ask(transport, server.url)).toBe("ok");
  });

  it("AD-01 that has waited for more than a minute is not trusted", async () => {
    const server = await watchedServer();
    const clock = testClock();
    const transport = client(clock);
    transport.prepare?.({ url: server.url });
    await server.connected;
    clock.advance(61_000);
    expect(await ask(transport, server.url)).toBe("ok");
    expect(server.connections).toHaveLength(2);
    await closed(server.connections[0]!);
  });

  it("AD-01 is dropped by close", async () => {
    const server = await watchedServer();
    const transport = client();
    transport.prepare?.({ url: server.url });
    const socket = await server.connected;
    transport.close?.();
    await closed(socket);
  });

  it("AD-01 through a proxy goes to the proxy", async () => {
    const proxy = await watchedServer();
    const transport = client({ env: { HTTP_PROXY: proxy.url } });
    transport.prepare?.({ url: "http://model.example/" });
    await proxy.connected;
    expect(await ask(transport, "http://model.example/v1")).toBe("ok");
    expect(proxy.connections).toHaveLength(1);
  });

  it.skipIf(!hasOpenssl)("AD-01 has its TLS handshake behind it when the request comes (openssl)", async () => {
    const files = makeCertificates({ server: "IP:127.0.0.1" });
    const secured = signal();
    let connections = 0;
    const server = createServer(
      { cert: files.pem("server.pem"), key: files.pem("server.key") },
      (_request, response) => void response.end("ok"),
    );
    server.on("secureConnection", () => {
      connections++;
      secured.resolve();
    });
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const clock = testClock();
    const transport = client({ ...clock, extraCa: files.pem("ca.pem") });
    transport.prepare?.({ url });
    await secured.promise;
    for (let round = 0; round < 2; round++)
      expect(await text(await transport(get(url, { connectTimeoutMs: 10_000 })))).toBe("ok");
    expect([connections, clock.pending]).toEqual([1, 0]);
    files.remove();
  });
});
