// Served formats: an answer of 20,000 deltas decoded and written anew, against a bare loop that does the least a translating server
// must: find the events, parse each, and write it again.

import { createParser } from "eventsource-parser";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { createAdapter } from "../src/adapter.ts";
import { unknownModel } from "../src/catalog/assumed.ts";
import { defaultDeps } from "../src/deps.ts";
import { anthropicEndpoint } from "../src/protocols/anthropic/endpoint.ts";
import { anthropicMessages } from "../src/protocols/anthropic/index.ts";
import { servedFormats } from "../src/serve/index.ts";
import type { ServedFormat } from "../src/serve/types.ts";
import type { StreamEvent, StreamEventIterator } from "../src/types/events.ts";
import { Message } from "../src/types/message.ts";
import { fastest } from "./measure.ts";

const DELTAS = 20_000;
const CHUNK = 16 * 1024;
const REQUEST = { model: "m", messages: [Message.user("x")] };

const answer = Buffer.from(
  [
    {
      type: "message_start",
      message: { id: "m", model: "m", role: "assistant", content: [], usage: { input_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...Array.from({ length: DELTAS }, (_, index) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: ` word${index}` },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(""),
);

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < answer.length; at += CHUNK) yield answer.subarray(at, at + CHUNK);
}

async function bareLoop(): Promise<number> {
  let written = 0;
  let text = "";
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      text += `event: ${event}\ndata: ${JSON.stringify(JSON.parse(data))}\n\n`;
    },
  });
  for await (const chunk of chunks()) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    written += Buffer.from(text).length;
    text = "";
  }
  return written;
}

async function translated(format: ServedFormat): Promise<number> {
  const deps = defaultDeps({
    env: {},
    fetch: async () => ({ status: 200, headers: { "content-type": "text/event-stream" }, body: chunks() }),
  });
  const adapter = createAdapter({
    name: "anthropic",
    protocol: anthropicMessages,
    endpoint: anthropicEndpoint,
    baseUrl: "http://localhost",
    auth: async (request) => request,
    deps,
  });
  const model = unknownModel("m", "anthropic");
  const encoder = format.encoder({
    served: { request: REQUEST, stream: true, wishes: {}, dropped: [] },
    target: { provider: "anthropic", api: "anthropic-messages", model },
    now: () => 0,
    newId: () => "n",
  });
  const events = adapter.stream(REQUEST, {})[Symbol.asyncIterator]() as StreamEventIterator;
  let written = 0;
  for (let next = await events.next(); !next.done; next = await events.next()) {
    let text = "";
    for (let event: StreamEvent | undefined = next.value; event !== undefined; event = events.takeArrived?.())
      text += encoder.push(event);
    written += Buffer.from(text).length;
  }
  return written;
}

export const benches: readonly Bench[] = servedFormats.map((format) => ({
  name: `20,000 deltas served as ${format.name} over a bare loop that parses and writes the same events`,
  async run() {
    let bare = Number.POSITIVE_INFINITY;
    let ours = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 4; turn++) {
      bare = Math.min(bare, await fastest(5, bareLoop));
      ours = Math.min(ours, await fastest(5, () => translated(format)));
    }
    return ratio(ours, bare, { budget: 1.5, unit: "ms" });
  },
}));
