import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ResponseParser } from "../../src/transport/http1/response-parser.ts";
import type { Transport } from "../../src/types/adapter.ts";
import { NetworkError } from "../../src/types/errors.ts";
import { answers, damaged } from "./answers.ts";
import { client, get, listen, text } from "./servers.ts";

const RUNS = process.env["LATHE_LONG"] === undefined ? 150 : 1500;

interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** What node's own client makes of it; undefined when it refuses. */
function nodes(url: string): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    // One of its own: a connection that has been used would only add races with the server's end of it.
    const agent = new Agent({ keepAlive: true });
    const give = (outcome: Outcome | undefined) => {
      agent.destroy();
      resolve(outcome);
    };
    let incoming: IncomingMessage | undefined;
    const outgoing = httpRequest(url, { agent }, (answer) => {
      incoming = answer;
      let body = "";
      answer.on("data", (chunk: Buffer) => {
        body += chunk.toString("latin1");
      });
      answer.on("error", () => give(undefined));
      answer.on("end", () => give({ status: answer.statusCode ?? 0, headers: { ...answer.headers }, body }));
    });
    outgoing.on("error", () => give(undefined));
    outgoing.on("close", () => incoming ?? give(undefined));
    outgoing.end();
  });
}

async function ours(transport: Transport, url: string): Promise<Outcome | undefined> {
  try {
    const response = await transport(get(url));
    return { status: response.status, headers: { ...response.headers }, body: await text(response) };
  } catch (error) {
    expect(error).toBeInstanceOf(NetworkError);
    return undefined;
  }
}

async function startBoth() {
  let raw: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => socket.once("data", () => socket.end(raw)));
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const transport = client();
  return async (bytes: Buffer) => {
    raw = bytes;
    return { theirs: await nodes(url), own: await ours(transport, url) };
  };
}

/**
 * Where we differ on purpose: bytes behind an answer spoil only its connection, folded lines are joined, nobody looks at
 * chunk extensions, and two CR are no end of a line.
 */
function judgedDifferently(raw: Buffer): boolean {
  const head = raw.toString("latin1");
  if (/\r\n[ \t]|\r\r|\n[0-9a-f]+;|HTTP\/(0\.9|2\.0|1\.0 1)|^HTTP\/1\.1 101/im.test(head)) return true;
  const parser = new ResponseParser({ head: () => {}, body: () => {} });
  try {
    parser.push(raw);
  } catch {
    return false;
  }
  return parser.surplus;
}

describe("the same bytes for node's client and ours", () => {
  it("AD-01 an answer that node understands is understood the same", async () => {
    const both = await startBoth();
    await fc.assert(
      fc.asyncProperty(answers, async ({ raw, status, headers, body }) => {
        const { theirs, own } = await both(raw);
        expect(own).toEqual({ status, headers, body });
        expect(theirs).toEqual(own);
      }),
      { numRuns: RUNS },
    );
  });

  it("AD-01 an answer that node refuses is refused, and no other", async () => {
    const both = await startBoth();
    await fc.assert(
      fc.asyncProperty(damaged, async (raw) => {
        fc.pre(!judgedDifferently(raw));
        const { theirs, own } = await both(raw);
        expect(own).toEqual(theirs);
      }),
      { numRuns: RUNS },
    );
  });
});
