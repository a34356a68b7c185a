// A server that gives every request the same short answer, as cheaply as it can; every other one calls a command first, if one is given.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { renderStream, turn } from "@lathe/testkit";

export async function modelServer({ command }: { readonly command?: string } = {}) {
  let arrived: () => void = () => {};
  let requests = 0;
  let largest = 0;
  const answer = renderStream(turn.text("ok"), "responses");
  const call = renderStream(turn.calls([{ name: "shell", args: { command: command ?? "" } }]), "responses");
  const server = createServer((request, response) => {
    arrived();
    const body = command !== undefined && requests++ % 2 === 0 ? call : answer;
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      largest = Math.max(largest, bytes);
    });
    request.once("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    next: () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
      }),
    /** Bytes of the largest request so far. */
    largest: () => largest,
    close: () => server.close(),
  };
}
