// The HTTP/1.1 client against handwritten answers, byte for byte.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeTransport } from "../../src/transport/node.ts";
import { NetworkError } from "../../src/types/errors.ts";
import { testClock } from "../core/support.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

interface Heard {
  readonly socket: Socket;
  /** The server's connection, from 0, and the request on it. */
  readonly connection: number;
  readonly turn: number;
  readonly text: string;
}

/** Calls `answer` with every request whose body has arrived. */
async function serve(answer: (heard: Heard) => void) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const connection = connections++;
    let turn = 0;
    let text = "";
    sockets.add(socket.on("error", () => {}));
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      answer({ socket, connection, turn: turn++, text });
      text = "";
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const clock = testClock();
  const transport = createNodeTransport({ env: {}, setTimer: clock.setTimer, now: clock.now });
  cleanup.push(() => transport.close?.());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const ask = async (body = "{}") => {
    const response = await transport({ url, method: "POST", headers: {}, body: [body] });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString() };
  };
  return { ask, connections: () => connections };
}

const head = (...lines: string[]) => `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;
const CHUNKED = `${head("Transfer-Encoding: chunked", "X-A: 1", "x-a: 2")}5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: t\r\n\r\n`;

async function inPieces(socket: Socket, text: string, size: number): Promise<void> {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("answers", () => {
  it.each([1, 2, 3, 7, 64, 4096])("AD-01 a chunked answer in pieces of %i bytes", async (size) => {
    const { ask, connections } = await serve(({ socket }) => void inPieces(socket, CHUNKED, size));
    for (let round = 0; round < 2; round++) {
      const answer = await ask();
      expect([answer.status, answer.headers["x-a"], answer.text]).toEqual([200, "1, 2", "hello world"]);
    }
    expect(connections()).toBe(1);
  });

  it.each([
    ["with a length", `${head("Content-Length: 5")}hello`, 200, "hello", 1],
    ["after a provisional one", `HTTP/1.1 100 Continue\r\n\r\n${head("Content-Length: 2")}ok`, 200, "ok", 1],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", 1],
    ["of length 0", head("Content-Length: 0"), 200, "", 1],
    ["that closes", `${head("Content-Length: 2", "Connection: close")}ok`, 200, "ok", 2],
    ["of an old server", `HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok`, 200, "ok", 2],
    ["with more than it says", `${head("Content-Length: 2")}okHTTP/1.1 500 no\r\n\r\n`, 200, "ok", 2],
    ["with a status without words", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, "ok", 1],
  ] as const)("AD-01 an answer %s", async (_, answer, status, text, expected) => {
    const { ask, connections } = await serve(({ socket }) => socket.write(answer));
    for (let round = 0; round < 2; round++) expect(await ask()).toMatchObject({ status, text });
    expect(connections()).toBe(expected);
  });

  it("AD-01 an answer that ends with its connection", async () => {
    const { ask } = await serve(({ socket }) => socket.end(`${head("Content-Type: text/plain")}to the end`));
    expect((await ask()).text).toBe("to the end");
  });

  it.each([
    ["two lengths", `${head("Content-Length: 2", "Content-Length: 3")}ok`],
    ["a length and chunks", `${head("Content-Length: 2", "Transfer-Encoding: chunked")}0\r\n\r\n`],
    ["a negative length", `${head("Content-Length: -1")}`],
    ["a chunk without a size", `${head("Transfer-Encoding: chunked")}zz\r\n`],
    ["a chunk that is too long", `${head("Transfer-Encoding: chunked")}1\r\nabc\r\n`],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["an endless head", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(300_000)}`],
    ["nothing", ""],
    ["half a body", `${head("Content-Length: 9")}half`],
  ])("ER-02 %s is a NetworkError", async (_, answer) => {
    const { ask } = await serve(({ socket }) => socket.end(answer));
    await expect(ask()).rejects.toThrow(NetworkError);
  });
});

describe("connections that were idle", () => {
  it("AD-01 one that its server closes just as it is used costs nothing but a new one", async () => {
    const bodies: string[] = [];
    const { ask, connections } = await serve(({ socket, connection, turn, text }) => {
      bodies.push(text.slice(text.indexOf("\r\n\r\n") + 4));
      if (connection === 0 && turn === 1) socket.destroy();
      else socket.write(`${head("Content-Length: 2")}ok`);
    });
    expect((await ask("first")).text).toBe("ok");
    expect((await ask("second")).text).toBe("ok");
    expect(connections()).toBe(2);
    expect(bodies).toEqual(["first", "second", "second"]);
  });

  it("ER-07 AD-01 a fresh one that fails, or one that fails after a byte, is not asked again", async () => {
    let asked = 0;
    const { ask } = await serve(({ socket, turn }) => {
      asked += 1;
      if (turn === 1) socket.end("HTTP/1.1 2");
      else if (asked === 1) socket.write(`${head("Content-Length: 2")}ok`);
      else socket.destroy();
    });
    await ask();
    await expect(ask()).rejects.toThrow(NetworkError);
    expect(asked).toBe(2);
    await expect(ask()).rejects.toThrow(NetworkError);
    expect(asked).toBe(3);
  });
});
