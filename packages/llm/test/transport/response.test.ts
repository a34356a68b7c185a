import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { NetworkError } from "../../src/types/errors.ts";
import { client, closed, get, OK, rawServer, signal, text } from "./servers.ts";

const ask = async (raw: string | Buffer) => {
  const server = await rawServer((socket) => socket.end(raw));
  return client()(get(server.url));
};

describe("answers over a real connection", () => {
  it("AD-01 what comes before the answer proper is skipped", async () => {
    const response = await ask(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`);
    expect(response).toMatchObject({ status: 200, headers: { "content-length": "2" } });
    expect(await text(response)).toBe("ok");
  });

  it("AD-01 a switch to another protocol is a NetworkError that says so", async () => {
    for (const header of ["Upgrade: x", "Upgrade: x\r\nConnection: upgrade"]) {
      const server = await rawServer((socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${header}\r\n\r\n`));
      await expect(client()(get(server.url))).rejects.toThrow(/another protocol/);
      await closed(server.connections[0]!);
    }
  });

  it("AD-01 a server of another protocol is told from a broken line, though it keeps the connection", async () => {
    const server = await rawServer((socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"));
    const failure = await client()(get(server.url)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NetworkError);
    expect(String(failure)).toContain("not HTTP");
    await closed(server.connections[0]!);
  });

  it("AD-01 a head of 200 KB is read, one without end is refused with a reason and its connection closed", async () => {
    const long = "x".repeat(200_000);
    const response = await ask(`HTTP/1.1 200 OK\r\nx: ${long}\r\nContent-Length: 0\r\n\r\n`);
    expect(response.headers["x"]).toHaveLength(200_000);
    const server = await rawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${long}${long}`));
    await expect(client()(get(server.url))).rejects.toThrow(/larger than 256 KB/);
    await closed(server.connections[0]!);
  });

  it("AD-01 answers without a body leave the connection to the next request", async () => {
    const raws = [
      "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ];
    const server = await rawServer((socket, request) => socket.write(raws[request] ?? OK));
    const transport = client();
    const bodies: string[] = [];
    for (let round = 0; round < 4; round++) bodies.push(await text(await transport(get(server.url))));
    expect(bodies).toEqual(["", "", "", "ok"]);
    expect(server.connections.length).toBe(1);
  });

  it.each([
    ["before its head", "", 0],
    ["in its head", "HTTP/1.1 200 OK\r\nContent-Le", 0],
    ["in a body of known length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf", 4],
    ["in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf", 4],
    ["between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", 4],
    ["in the trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nx: y\r\n", 4],
  ])("ER-02 an answer that ends %s is a NetworkError, after what came before it", async (_, raw, expected) => {
    let seen = 0;
    const read = async () => {
      for await (const chunk of (await ask(raw)).body) seen += chunk.length;
    };
    const failure = await read().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NetworkError);
    expect((failure as Error).message).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+: the connection was reset .*\(ECONNRESET\)\.$/,
    );
    expect(seen).toBe(expected);
  });

  it("ER-02 a body that turns out broken is a NetworkError, after what came before it", async () => {
    const server = await rawServer((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\nnope\r\n"),
    );
    const response = await client()(get(server.url));
    const body = response.body[Symbol.asyncIterator]();
    expect(String((await body.next()).value)).toBe("good");
    await expect(body.next()).rejects.toThrow(/the answer is broken: .*chunk/);
    await closed(server.connections[0]!);
  });

  it("AD-01 an answer that comes before all of the request is sent is read, and its connection not used again", async () => {
    // The server reads the head only and never more.
    const server = await rawServer((socket, request) => {
      if (request === 0) socket.pause();
      const body = request === 0 ? "too large" : "ok";
      socket.write(`HTTP/1.1 413 No\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    const transport = client();
    const body = Array.from({ length: 32 }, () => Buffer.alloc(1 << 20, "x"));
    const response = await transport(get(server.url, { method: "POST", body }));
    expect(response.status).toBe(413);
    expect(await text(response)).toBe("too large");
    expect(await text(await transport(get(server.url)))).toBe("ok");
    expect(server.connections.length).toBe(2);
  });

  // Other systems drop what has arrived when the other side resets.
  it.skipIf(process.platform !== "linux")(
    "AD-01 an answer is read though its server hangs up in the middle of the request (linux)",
    async () => {
      const server = await rawServer((socket) =>
        socket.write("HTTP/1.1 413 No\r\nContent-Length: 9\r\n\r\ntoo large", () => socket.destroy()),
      );
      const transport = client();
      const body = Array.from({ length: 16 }, () => Buffer.alloc(1 << 20, "x"));
      for (let round = 0; round < 5; round++)
        expect(await text(await transport(get(server.url, { method: "POST", body })))).toBe("too large");
    },
  );

  it("AD-01 a reader that takes its time keeps the server waiting, not the answer in memory", async () => {
    const size = 64 << 20;
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      socket.write(Buffer.alloc(size, "x"));
    });
    const response = await client()(get(server.url));
    const socket = server.connections[0]!;
    const { _handle: handle } = socket as unknown as { _handle: { writeQueueSize: number } };
    // Until nothing has moved for many turns of the event loop that both sides share.
    for (let still = 0, last = -1; still < 500 && handle.writeQueueSize > 0; ) {
      await new Promise((resolve) => setImmediate(resolve));
      still = handle.writeQueueSize === last ? still + 1 : 0;
      last = handle.writeQueueSize;
    }
    expect(handle.writeQueueSize).toBeGreaterThan(size / 2);
    let seen = 0;
    for await (const chunk of response.body) seen += chunk.length;
    expect(seen).toBe(size);
  });

  it("AD-01 one step takes all that has arrived", async () => {
    const chunks = "1\r\nx\r\n".repeat(1000);
    const server = await rawServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    );
    const response = await client()(get(server.url));
    let steps = 0;
    let seen = 0;
    for await (const chunk of response.body) {
      steps++;
      seen += chunk.length;
    }
    expect(seen).toBe(1000);
    expect(steps).toBeLessThan(10);
  });
});

describe("compressed answers", () => {
  const compressed = (body: Buffer, name = "gzip", length = body.length) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${name}\r\nContent-Length: ${length}\r\n\r\n`),
      body,
    ]);

  it.each(["gzip", "GZIP", "x-gzip"])("AD-01 %s is undone, and the connection kept", async (name) => {
    const server = await rawServer((socket) => socket.write(compressed(gzipSync("squeezed"), name)));
    const transport = client();
    for (let round = 0; round < 2; round++) expect(await text(await transport(get(server.url)))).toBe("squeezed");
    expect(server.connections.length).toBe(1);
  });

  it("AD-01 what is not compressed is handed on as it is", async () => {
    expect(await text(await ask(compressed(Buffer.from("plain"), "identity")))).toBe("plain");
  });

  it("AD-01 an event is handed out when it arrives, not when the stream is over", async () => {
    const { createGzip, constants } = await import("node:zlib");
    const more = signal();
    const server = await rawServer(async (socket) => {
      const gzip = createGzip();
      socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
      gzip.pipe(socket);
      gzip.write("data: 1\n\n");
      gzip.flush(constants.Z_SYNC_FLUSH);
      await more.promise;
      gzip.end("data: 2\n\n");
    });
    const body = (await client()(get(server.url))).body[Symbol.asyncIterator]();
    expect(String((await body.next()).value)).toBe("data: 1\n\n");
    more.resolve();
    expect(String((await body.next()).value)).toBe("data: 2\n\n");
    expect((await body.next()).done).toBe(true);
  });

  it.each([
    ["cut by its connection", (raw: Buffer) => compressed(raw.subarray(0, -9), "gzip", raw.length)],
    ["cut before it was sent", (raw: Buffer) => compressed(raw.subarray(0, -9))],
    ["not compressed at all", () => compressed(Buffer.from("plain"))],
    [
      "in broken chunks",
      () => "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\x1f\x8b\r\nnope\r\n",
    ],
  ])("ER-02 a compressed answer that is %s is a NetworkError that names the server once", async (_, make) => {
    const response = await ask(make(gzipSync("squeezed".repeat(100))));
    const failure = await text(response).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NetworkError);
    expect((failure as Error).message.match(/127\.0\.0\.1/g)).toHaveLength(1);
  });

  it("GN-01 leaving a compressed body closes the connection", async () => {
    const server = await rawServer((socket) => {
      socket.write(compressed(gzipSync("squeezed"), "gzip", 1000));
    });
    for await (const _ of (await client()(get(server.url))).body) break;
    await closed(server.connections[0]!);
  });
});
