import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ResponseHead, ResponseParser } from "../../src/transport/http1/response-parser.ts";
import { answers, damaged } from "./answers.ts";

const RUNS = process.env["LATHE_LONG"] === undefined ? 300 : 10_000;

interface Outcome {
  head?: ResponseHead;
  body: string;
  complete: boolean;
  surplus: boolean;
  error?: string;
}

/** What comes out when these pieces are followed by the end of the connection. */
function parse(pieces: readonly Buffer[]): Outcome {
  const outcome: Outcome = { body: "", complete: false, surplus: false };
  const parser = new ResponseParser({
    head: (head) => {
      outcome.head = head;
    },
    body: (bytes) => {
      outcome.body += bytes.toString("latin1");
    },
  });
  try {
    for (const piece of pieces) parser.push(piece);
    outcome.complete = parser.close();
  } catch (error) {
    outcome.error = String(error);
  }
  outcome.surplus = parser.surplus;
  return outcome;
}

const bytewise = (raw: Buffer) => Array.from(raw, (_, at) => raw.subarray(at, at + 1));

function cutAt(raw: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (raw.length + 1)).sort((a, b) => a - b), raw.length];
  return cuts.slice(1).map((end, index) => raw.subarray(cuts[index], end));
}

function answer(text: string): Outcome {
  const raw = Buffer.from(text, "latin1");
  const whole = parse([raw]);
  expect(parse(bytewise(raw))).toEqual(whole);
  return whole;
}

describe("answers in pieces", () => {
  it("AD-01 an answer reads the same however the network cuts it", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { maxLength: 8 }), ({ raw, status, headers, body }, places) => {
        const whole = parse([raw]);
        expect(whole).toMatchObject({ head: { status, headers }, body, complete: true, surplus: false });
        expect(parse(bytewise(raw))).toEqual(whole);
        expect(parse(cutAt(raw, places))).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });

  it("AD-01 a damaged answer is understood or refused the same however the network cuts it", () => {
    fc.assert(
      fc.property(damaged, fc.array(fc.nat(), { maxLength: 8 }), (raw, places) => {
        const whole = parse([raw]);
        expect(parse(bytewise(raw))).toEqual(whole);
        expect(parse(cutAt(raw, places))).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });

  it("AD-01 an answer cut short at any place but its end is never taken for a whole one", () => {
    fc.assert(
      fc.property(answers, fc.nat(), ({ raw, headers }, place) => {
        fc.pre(headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined);
        expect(parse([raw.subarray(0, place % raw.length)]).complete).toBe(false);
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
  ])("AD-01 %s is refused", (_, text) => {
    expect(answer(text).error).toBeDefined();
  });

  it("AD-01 a head of 256 KB is the most that is read, in one header or in many", () => {
    const refused = "Error: the head of the answer is larger than 256 KB.";
    const many = `x: ${"y".repeat(1000)}\r\n`;
    const head = (text: string) => parse([Buffer.from(`HTTP/1.1 200 OK\r\n${text}\r\n`)]);
    expect(head(many.repeat(250)).error).toBeUndefined();
    expect(head(many.repeat(300)).error).toBe(refused);
    expect(head(`x: ${"y".repeat(300_000)}`).error).toBe(refused);
    expect(parse([Buffer.from(chunked(`0\r\n${many.repeat(300)}`))]).error).toBe(refused);
    expect(parse([Buffer.from(chunked(`1;${"y".repeat(300_000)}`))]).error).toBe(refused);
  });

  it("AD-01 many blanks in a header cost no time", () => {
    // Backtracking over these would take minutes.
    const blanks = " ".repeat(250_000);
    expect(parse([Buffer.from(`HTTP/1.1 200 OK\r\nx: a${blanks}b\r\n\r\n`)]).error).toBeUndefined();
  });
});

describe("what answers mean", () => {
  it.each(["\r\n", "\n", "\r\n\r\n"])("AD-01 %j before an answer is skipped", (before) => {
    expect(answer(`${before}HTTP/1.1 204 No\r\n\r\n`)).toMatchObject({ complete: true, head: { status: 204 } });
  });

  it("AD-01 folded header lines are joined", () => {
    const { head, error } = answer("HTTP/1.1 200 OK\r\nx: a\r\n  b\r\n\tc \r\nContent-Length:\r\n 0\r\n\r\n");
    expect(error).toBeUndefined();
    expect(head?.headers).toEqual({ x: "a b c", "content-length": "0" });
  });

  it("AD-01 repeated headers are a list, but for those of which only one can be meant", () => {
    const fields = ["x: 1", "X: 2", "retry-after: 3", "Retry-After: 4", "set-cookie: a", "set-cookie: b"];
    const { head } = answer(`HTTP/1.1 204 No\r\n${fields.join("\r\n")}\r\n\r\n`);
    expect(head?.headers).toEqual({ x: "1, 2", "retry-after": "3", "set-cookie": "a, b" });
  });

  it("AD-01 headers with the names of object members are headers", () => {
    const { head } = answer("HTTP/1.1 204 No\r\nconstructor: a\r\nconstructor: b\r\ntostring: c\r\n\r\n");
    expect(head?.headers).toEqual({ constructor: "a, b", tostring: "c" });
  });

  it.each([
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true],
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", true],
    ["HTTP/1.1 200 OK\r\n\r\n", false],
    ["HTTP/1.1 204 No\r\n\r\n", true],
    ["HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n", true],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n0\r\n\r\n", true],
  ])("AD-01 after %j the connection is kept: %s", (text, persistent) => {
    expect(answer(text)).toMatchObject({ complete: true, surplus: false, head: { persistent } });
  });

  it("AD-01 bytes behind an answer are seen", () => {
    expect(answer("HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")).toMatchObject({ complete: true, surplus: true });
  });
});
