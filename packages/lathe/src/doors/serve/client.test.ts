// The client over real connections: a small server that breaks them the way networks do.

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { LatheClient, LatheServerError } from "./client.ts";
import { serverEvents } from "./server-events.ts";

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

async function listen(handle: (url: URL, response: ServerResponse) => void): Promise<string> {
  server = createServer((request, response) => handle(new URL(request.url ?? "", "http://localhost"), response));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const frame = (seq: number, kind: object): string => `id: ${seq}\ndata: ${JSON.stringify({ seq, ...kind })}\n\n`;
const clients = { kind: "clients", clients: [] };

it("M1: a client whose connection is cut again and again, also within a frame, misses nothing and sees nothing twice", async () => {
  const asked: (string | null)[] = [];
  const url = await listen((address, response) => {
    const after = address.searchParams.get("after");
    asked.push(after);
    const from = Number(after ?? 0);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hello\n\n");
    if (from >= 6) return void response.end(frame(7, { kind: "closed" }));
    response.write(frame(from + 1, clients) + frame(from + 2, clients));
    response.write(frame(from + 3, clients).slice(0, -9), () => response.destroy());
  });
  const seen: number[] = [];
  const connections: boolean[] = [];
  const client = new LatheClient({ url });
  for await (const { seq } of client.follow("s", { onConnection: (is) => connections.push(is) })) seen.push(seq);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(asked).toEqual([null, "2", "4", "6"]);
  expect(connections).toEqual([true, false, true, false, true, false, true]);
});

it("M1: a client that is refused says what the server said, and does not try for ever", async () => {
  const url = await listen((_address, response) => {
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: "wrong_scope", message: "This token may only read." }));
  });
  const client = new LatheClient({ url, token: "t" });
  const refusal = new LatheServerError(403, "wrong_scope", "This token may only read.");
  await expect(client.follow("s").next()).rejects.toEqual(refusal);
  await expect(client.command("s", "abort")).rejects.toEqual(refusal);
});

it("M1: a client whose answer came second hears whose was first", async () => {
  const url = await listen((_address, response) => {
    response.writeHead(409, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: "settled", by: "phone" }));
  });
  expect(await new LatheClient({ url }).answer("s", "q", { confirmed: true })).toEqual({
    status: "settled",
    by: "phone",
  });
});

it("M1: events are read wherever the bytes are cut, with any line ends", async () => {
  const text = 'retry: 5\r\nid: 1\r\ndata: "ä"\r\n\r\n: ping\n\nid:2\ndata: a\ndata:  b\n\nid: 3\ndata: cut';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size < 12; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    const read = [];
    for await (const event of serverEvents(streamOf(pieces))) read.push(event);
    expect(read).toEqual([
      { id: "1", data: '"ä"' },
      { id: "2", data: "a\n b" },
    ]);
  }
});

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}
