import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/types/adapter.ts";
import { NetworkError } from "../../src/types/errors.ts";
import { testClock } from "../core/support.ts";
import { client, closed, get, OK, rawServer, signal, text } from "./servers.ts";

const ask = async (transport: Transport, url: string) => text(await transport(get(url, { method: "POST" })));

describe("connections that wait", () => {
  it("AD-01 one that the server closes is replaced, and nobody notices", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const transport = client();
    expect(await ask(transport, server.url)).toBe("ok");
    server.connections[0]!.end();
    await closed(server.connections[0]!);
    expect(await ask(transport, server.url)).toBe("ok");
    expect([server.connections.length, server.requests.length]).toEqual([2, 2]);
  });

  it("AD-01 one on which bytes come that nobody asked for is dropped, and they answer nothing", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const transport = client();
    expect(await ask(transport, server.url)).toBe("ok");
    server.connections[0]!.write("HTTP/1.1 500 Surprise\r\nContent-Length: 0\r\n\r\n");
    await closed(server.connections[0]!);
    expect(await ask(transport, server.url)).toBe("ok");
  });

  it("AD-01 one whose answer was longer than it said is dropped", async () => {
    const server = await rawServer((socket) => socket.write(`${OK}HTTP/1.1 500 Surprise\r\nContent-Length: 0\r\n\r\n`));
    const transport = client();
    for (let round = 0; round < 2; round++) expect(await ask(transport, server.url)).toBe("ok");
    expect(server.connections.length).toBe(2);
  });

  it.each([
    ["says close", "Connection: close\r\n"],
    ["gives it up at once", "Keep-Alive: timeout=0\r\n"],
    ["gives it up within a second", "Keep-Alive: timeout=1, max=100\r\n"],
  ])("AD-01 one whose server %s is not used again", async (_, header) => {
    const server = await rawServer((socket) => socket.write(OK.replace("\r\n", `\r\n${header}`)));
    const transport = client();
    for (let round = 0; round < 2; round++) expect(await ask(transport, server.url)).toBe("ok");
    expect(server.connections.length).toBe(2);
    await closed(server.connections[0]!);
  });

  it("AD-01 no more than 16 are kept", async () => {
    const all = signal();
    const server = await rawServer((_, request) => {
      if (request === 19) all.resolve();
    });
    const transport = client();
    const waiting = Array.from({ length: 20 }, () => ask(transport, server.url));
    await all.promise;
    for (const socket of server.connections) socket.write(OK);
    await Promise.all(waiting);
    const gone = server.connections.filter((socket) => socket.destroyed || socket.readableEnded);
    while (gone.length < 4) {
      const open = server.connections.filter((socket) => !gone.includes(socket));
      gone.push(await Promise.race(open.map((socket) => closed(socket).then(() => socket))));
    }
    expect(server.connections.filter((socket) => !socket.destroyed).length).toBe(16);
  });

  it("AD-01 two requests at the same time have a connection each", async () => {
    const both = signal();
    const server = await rawServer((socket, request) => {
      if (request === 1) both.resolve();
      void both.promise.then(() => socket.write(OK));
    });
    const transport = client();
    expect(await Promise.all([ask(transport, server.url), ask(transport, server.url)])).toEqual(["ok", "ok"]);
    expect(server.connections.length).toBe(2);
  });
});

describe("a connection that ends just as it is used again", () => {
  it.each([
    ["closes", "end"],
    ["resets", "resetAndDestroy"],
  ] as const)("ER-02 AD-01 the request is sent once more when the server %s it without a byte", async (_, how) => {
    const server = await rawServer((socket, request) => {
      if (request === 1) socket[how]();
      else socket.write(OK);
    });
    const transport = client();
    for (let round = 0; round < 2; round++) expect(await ask(transport, server.url)).toBe("ok");
    expect([server.connections.length, server.requests.length]).toEqual([2, 3]);
    expect(server.requests[2]).toBe(server.requests[1]);
  });

  it("ER-02 AD-01 a kept connection to a proxy is replaced as well", async () => {
    const proxy = await rawServer((socket, request) => {
      if (request === 1) socket.end();
      else socket.write(OK);
    });
    const transport = client({ env: { HTTP_PROXY: proxy.url } });
    for (let round = 0; round < 2; round++) expect(await ask(transport, "http://model.example/")).toBe("ok");
    expect([proxy.connections.length, proxy.requests.length]).toEqual([2, 3]);
    expect(proxy.requests[2]).toMatch(/^POST http:\/\/model\.example\/ HTTP/);
  });

  it("ER-02 the second time is the last", async () => {
    const server = await rawServer((socket, request) => {
      if (request > 0) socket.end();
      else socket.write(OK);
    });
    const transport = client();
    await ask(transport, server.url);
    await expect(ask(transport, server.url)).rejects.toThrow(NetworkError);
    expect(server.requests.length).toBe(3);
  });

  it("ER-02 what works only once, such as a code for a token, never goes over a connection that may be dead", async () => {
    const server = await rawServer((socket, request) => {
      if (request === 1) socket.end();
      else socket.write(OK);
    });
    const transport = client();
    await ask(transport, server.url);
    const once = transport({ url: server.url, method: "POST", headers: {}, body: ["code"], once: true });
    await expect(once).rejects.toThrow(NetworkError);
    expect([server.connections.length, server.requests.length]).toEqual([2, 2]);
  });

  it("ER-02 a new connection that ends without a byte is not tried again", async () => {
    const server = await rawServer((socket) => socket.end());
    await expect(ask(client(), server.url)).rejects.toThrow(NetworkError);
    expect(server.requests.length).toBe(1);
  });

  it("ER-02 after a byte of the answer nothing is sent again", async () => {
    const server = await rawServer((socket, request) => {
      if (request === 1) socket.end("H");
      else socket.write(OK);
    });
    const transport = client();
    await ask(transport, server.url);
    await expect(ask(transport, server.url)).rejects.toThrow(NetworkError);
    expect(server.requests.length).toBe(2);
  });

  it("ER-02 a server that had a second to work on the request is not given it twice", async () => {
    const clock = testClock();
    const server = await rawServer((socket, request) => {
      if (request === 0) {
        socket.write(OK);
        return;
      }
      clock.advance(1000);
      socket.end();
    });
    const transport = client(clock);
    await ask(transport, server.url);
    await expect(ask(transport, server.url)).rejects.toThrow(NetworkError);
    expect(server.requests.length).toBe(2);
  });

  it("TM-01 no timer is left over", async () => {
    const clock = testClock();
    const server = await rawServer((socket, request) => {
      if (request === 1) socket.end();
      else socket.write(OK);
    });
    const transport = client(clock);
    for (let round = 0; round < 3; round++) {
      await ask(transport, server.url);
      expect(clock.pending).toBe(0);
    }
  });
});
