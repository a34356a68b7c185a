// How long a stream's socket outlives the abort of its request.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Bench } from "../../../scripts/bench-types.ts";
import { defaultDeps } from "../src/deps.ts";
import { createProvider } from "../src/providers/index.ts";
import { Message } from "../src/types/message.ts";

const START = {
  type: "message_start",
  message: { id: "m", model: "m", role: "assistant", content: [], usage: { input_tokens: 1 } },
};

export const benches: readonly Bench[] = [
  {
    name: "abort of a running stream until the server sees its socket closed",
    async run() {
      let opened: (response: ServerResponse) => void = () => {};
      const server = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`event: message_start\ndata: ${JSON.stringify(START)}\n\n`);
        opened(response);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const deps = defaultDeps({ env: {} });
      const adapter = createProvider("anthropic", { apiKey: "none", baseUrl, deps });
      let worst = 0;
      for (let round = 0; round < 40; round++) {
        const controller = new AbortController();
        const response = new Promise<ServerResponse>((resolve) => {
          opened = resolve;
        });
        const request = { model: "m", messages: [Message.user("x")] };
        const events = adapter.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
        await events.next();
        const closed = response.then((one) => new Promise<void>((resolve) => one.once("close", resolve)));
        const pending = events.next();
        const began = performance.now();
        controller.abort();
        await closed;
        worst = Math.max(worst, performance.now() - began);
        await pending;
      }
      server.close();
      return { value: worst, unit: "ms", budget: 50, note: "the slowest of 40" };
    },
  },
];
