// Streaming: the adapter against a bare loop that parses the same bytes, and arguments that arrive in many pieces.

import { createParser } from "eventsource-parser";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { createAdapter } from "../src/adapter.ts";
import { defaultDeps } from "../src/deps.ts";
import { anthropicEndpoint } from "../src/protocols/anthropic/endpoint.ts";
import { anthropicMessages } from "../src/protocols/anthropic/index.ts";
import type { StreamEvent } from "../src/types/events.ts";
import { Message } from "../src/types/message.ts";
import { fastest } from "./measure.ts";

const DELTAS = 20_000;
const CHUNK = 16 * 1024;

type Event = { readonly type: string; readonly [key: string]: unknown };

function anthropicStream(block: Event, deltas: readonly Event[]): Uint8Array {
  const events: Event[] = [
    {
      type: "message_start",
      message: { id: "m", model: "m", role: "assistant", content: [], usage: { input_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

async function bareLoop(bytes: Uint8Array): Promise<number> {
  let length = 0;
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = JSON.parse(data) as { delta?: { text?: string } };
      length += event.delta?.text?.length ?? 0;
    },
  });
  for await (const chunk of chunks(bytes)) parser.feed(decoder.decode(chunk, { stream: true }));
  return length;
}

async function throughAdapter(bytes: Uint8Array, onEvent: (event: StreamEvent) => void): Promise<void> {
  const adapter = createAdapter({
    name: "anthropic",
    protocol: anthropicMessages,
    endpoint: anthropicEndpoint,
    baseUrl: "http://localhost",
    auth: async (request) => request,
    deps: defaultDeps({
      env: {},
      fetch: async () => ({ status: 200, headers: { "content-type": "text/event-stream" }, body: chunks(bytes) }),
    }),
  });
  for await (const event of adapter.stream({ model: "m", messages: [Message.user("x")] }, {})) onEvent(event);
}

const words = anthropicStream(
  { type: "text", text: "" },
  Array.from({ length: DELTAS }, (_, index) => ({ type: "text_delta", text: ` word${index}` })),
);

function argumentStream(deltas: number, bytes: number): Uint8Array {
  const json = JSON.stringify({ text: "x".repeat(bytes) });
  const size = Math.ceil(json.length / deltas);
  const pieces = Array.from({ length: deltas }, (_, index) => ({
    type: "input_json_delta",
    partial_json: json.slice(index * size, (index + 1) * size),
  }));
  return anthropicStream({ type: "tool_use", id: "t", name: "write", input: {} }, pieces);
}

export const benches: readonly Bench[] = [
  {
    name: "20,000 deltas over a bare loop on the same bytes",
    async run() {
      // In turns, so that a busy moment of the machine hits both.
      let bare = Number.POSITIVE_INFINITY;
      let ours = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 5; turn++) {
        bare = Math.min(bare, await fastest(6, () => bareLoop(words)));
        ours = Math.min(ours, await fastest(6, () => throughAdapter(words, () => {})));
      }
      return ratio(ours, bare, { budget: 1.5, unit: "ms" });
    },
  },
  {
    name: "1 MB of tool arguments in 10,000 deltas, per byte against 100 KB in 1,000",
    async run() {
      const [large, small] = [argumentStream(10_000, 1_000_000), argumentStream(1000, 100_000)];
      let slow = Number.POSITIVE_INFINITY;
      let quick = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 5; turn++) {
        slow = Math.min(slow, await fastest(4, () => throughAdapter(large, () => {})));
        quick = Math.min(quick, await fastest(12, () => throughAdapter(small, () => {})));
      }
      return { value: slow / quick / 10, unit: "x", budget: 1.5, note: `${slow.toFixed(1)} ms for 1 MB` };
    },
  },
];
