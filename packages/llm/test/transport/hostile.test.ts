// Odd, damaged or invalid answers over real connections: understood, or refused with a NetworkError, and never taken
// for something else.

import { createServer, type Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NetworkError } from "../../src/types/errors.ts";
import { answers, damaged } from "./answers.ts";
import { client, closed, get, listen, rawServer, text } from "./servers.ts";

const RUNS = process.env["LATHE_LONG"] === undefined ? 40 : 3000;

interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function cutAt(raw: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (raw.length + 1)).sort((a, b) => a - b), raw.length];
  return cuts.slice(1).map((end, index) => raw.subarray(cuts[index], end));
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function sendPieces(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  socket.setNoDelay();
  for (const piece of pieces) {
    socket.write(piece);
    await turn();
  }
  socket.end();
}

/** The result if the connection ends after these pieces; undefined if they are refused. */
async function askFor() {
  let pieces: readonly Buffer[] = [];
  const server = createServer((socket) => socket.once("data", () => void sendPieces(socket, pieces)));
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const transport = client();
  return async (sent: readonly Buffer[]): Promise<Outcome | undefined> => {
    pieces = sent;
    try {
      // Over a separate connection, so that the end of the previous one does not interfere.
      const { status, headers, body } = await transport(get(url, { once: true }));
      return { status, headers: { ...headers }, body: await text({ status, headers, body }) };
    } catch (error) {
      expect(error).toBeInstanceOf(NetworkError);
      return undefined;
    }
  };
}

describe("answers at random", () => {
  it("AD-01 an answer reads the same however the network cuts it", async () => {
    const ask = await askFor();
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.array(fc.nat(), { maxLength: 8 }),
        async ({ raw, status, headers, body }, places) => {
          expect(await ask([raw])).toEqual({ status, headers, body });
          expect(await ask(cutAt(raw, places))).toEqual({ status, headers, body });
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("ER-02 AD-01 a damaged answer is understood or a NetworkError: it neither hangs nor ends the process", async () => {
    const ask = await askFor();
    await fc.assert(
      fc.asyncProperty(damaged, fc.array(fc.nat(), { maxLength: 4 }), async (raw, places) => {
        await ask(cutAt(raw, places));
      }),
      { numRuns: RUNS },
    );
  });

  it("ER-02 AD-01 an answer cut short at any place but its end is never taken for a whole one", async () => {
    const ask = await askFor();
    await fc.assert(
      fc.asyncProperty(answers, fc.nat(), async ({ raw, headers }, place) => {
        fc.pre(headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined);
        expect(await ask([raw.subarray(0, place % raw.length)])).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });
});

describe("what is no answer", () => {
  const chunked = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

  it.each([
    ["two lengths that agree", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nhi"],
    ["two lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi"],
    ["a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a signed length", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi"],
    ["an empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhi"],
    ["a length beyond counting", `HTTP/1.1 200 OK\r\nContent-Length: ${"9".repeat(30)}\r\n\r\nhi`],
    ["a blank before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nhi"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: 2\r\n\r\nhi"],
    ["a header without a colon", "HTTP/1.1 200 OK\r\nhello\r\n\r\nhi"],
    ["a folded line before any header", "HTTP/1.1 200 OK\r\n x: 2\r\n\r\nhi"],
    ["NUL in a header", "HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\nhi"],
    ["CR in a header", "HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\nhi"],
    ["a bare LF behind the status", "HTTP/1.1 200 OK\nx: a\r\n\r\nhi"],
    ["a bare LF behind a header", "HTTP/1.1 200 OK\r\nx: a\n\r\nhi"],
    ["an unknown version", "HTTP/1.2 200 OK\r\n\r\nhi"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\nhi"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\nhi"],
    ["a switch of protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["another protocol without lines", "\x15\x03\x01\x00\x02\x02\x16"],
    ["a chunk without a size", chunked("\r\nhi\r\n0\r\n\r\n")],
    ["a chunk of negative size", chunked("-2\r\nhi\r\n0\r\n\r\n")],
    ["a chunk beyond counting", chunked(`${"f".repeat(20)}\r\nhi`)],
    ["a chunk longer than it says", chunked("1\r\nhi\r\n0\r\n\r\n")],
    ["a chunk shorter than it says", chunked("3\r\nhi\r\n0\r\n\r\n")],
    ["a trailer without a colon", chunked("0\r\nhello\r\n\r\n")],
  ])("AD-01 %s is refused, and its connection closed though the server keeps it", async (_, raw) => {
    const server = await rawServer((socket) => socket.write(raw, "latin1"));
    await expect(client()(get(server.url)).then(text)).rejects.toThrow(NetworkError);
    await closed(server.connections[0]!);
  });

  it("AD-01 a head of 256 KB is the most that is read, in one header or in many", async () => {
    const many = `x: ${"y".repeat(1000)}\r\n`;
    const head = async (raw: string) => {
      const server = await rawServer((socket) => socket.end(`HTTP/1.1 200 OK\r\n${raw}\r\n`));
      return text(await client()(get(server.url)));
    };
    expect(await head(many.repeat(250))).toBe("");
    for (const raw of [many.repeat(300), `x: ${"y".repeat(300_000)}\r\n`])
      await expect(head(raw)).rejects.toThrow(/larger than 256 KB/);
    await expect(head(`Transfer-Encoding: chunked\r\n\r\n0\r\n${many.repeat(300)}`)).rejects.toThrow(NetworkError);
  });

  it("AD-01 many blanks in a header cost no time", async () => {
    // Backtracking over these would take minutes.
    const server = await rawServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: a${" ".repeat(250_000)}b\r\nContent-Length: 0\r\n\r\n`),
    );
    expect((await client()(get(server.url))).headers["x"]).toHaveLength(250_002);
  });
});

describe("what answers mean", () => {
  const ask = async (raw: string) => {
    const server = await rawServer((socket) => socket.end(raw, "latin1"));
    return client()(get(server.url));
  };

  it("AD-01 repeated headers are a list, but for those of which only one can be meant", async () => {
    const fields = ["x: 1", "X: 2", "retry-after: 3", "Retry-After: 4", "set-cookie: a", "set-cookie: b"];
    const { headers } = await ask(`HTTP/1.1 204 No\r\n${fields.join("\r\n")}\r\n\r\n`);
    expect(headers).toEqual({ x: "1, 2", "retry-after": "3", "set-cookie": "a, b" });
  });

  it("AD-01 headers with the names of object members are headers", async () => {
    const { headers } = await ask("HTTP/1.1 204 No\r\nconstructor: a\r\ntostring: c\r\n\r\n");
    expect(headers).toEqual({ constructor: "a", tostring: "c" });
  });

  it.each([
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true],
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", true],
    ["HTTP/1.1 204 No\r\n\r\n", true],
    ["HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n", true],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n0\r\n\r\n", true],
  ])("AD-01 after %j the connection is kept: %s", async (raw, kept) => {
    const server = await rawServer((socket) => socket.write(raw));
    const transport = client();
    for (let round = 0; round < 2; round++) await text(await transport(get(server.url)));
    expect(server.connections.length).toBe(kept ? 1 : 2);
  });
});
