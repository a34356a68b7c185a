// Real bytes of every dialect's stream, recorded from the scripted server once, to be cut and mutated without sockets.

import { request as httpRequest } from "node:http";
import { call, startModelServer, text, thinking, turn } from "@lathe/testkit";
import { createAdapter } from "../../src/adapter.ts";
import type { Transport } from "../../src/types/adapter.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import { Message } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";
import { adapterFor, type DialectCase, testDeps } from "./support.ts";

const CONVERSATION: Request = {
  model: "m",
  messages: [Message.user("hi")],
  tools: [
    { name: "write", description: "w", parameters: { type: "object", properties: { text: { type: "string" } } } },
  ],
};

/** A turn with everything in it: thinking, text with wide characters, two calls. */
const RICH = turn.blocks(
  [
    thinking("first I think — 思考"),
    text("Then I say: naïve café 😀 done."),
    call({ name: "write", args: { text: 'quotes " and \\ and ünï 😀' } }),
    call({ name: "write", args: { text: "second" } }),
  ],
  { deltaChars: 5, usage: { input: 12, output: 34, cacheRead: 5, reasoning: 6 } },
);

export interface Recording {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

export async function record(one: DialectCase): Promise<Recording> {
  await using server = await startModelServer({ strict: false, auth: "none", script: [RICH] });
  let recording: Recording | undefined;
  const capture: Transport = (sent) =>
    new Promise((resolve, reject) => {
      const outgoing = httpRequest(sent.url, { method: "POST", headers: sent.headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const headers = { "content-type": answer.headers["content-type"] ?? "" };
          recording = { headers, bytes: Uint8Array.from(Buffer.concat(chunks)) };
          resolve({ status: 200, headers, body: chunksOf([recording.bytes]) });
        });
      });
      outgoing.on("error", reject);
      outgoing.end((sent.body ?? []).join(""));
    });
  const adapter = adapterFor(one, server, { deps: testDeps({ fetch: capture }) });
  for await (const _ of adapter.stream({ ...CONVERSATION, model: one.model }, {}));
  if (recording === undefined) throw new Error("nothing was sent");
  return recording;
}

/** The events that an adapter makes from these chunks; an error before the first event counts as one. */
export async function play(
  one: DialectCase,
  headers: Recording["headers"],
  chunks: readonly Uint8Array[],
): Promise<StreamEvent[]> {
  const adapter = createAdapter({
    name: one.provider,
    protocol: one.protocol,
    endpoint: one.endpoint,
    baseUrl: "http://127.0.0.1:9",
    auth: async (request) => request,
    deps: testDeps({ fetch: async () => ({ status: 200, headers, body: chunksOf(chunks) }) }),
  });
  const events: StreamEvent[] = [];
  for await (const event of adapter.stream({ ...CONVERSATION, model: one.model }, {})) events.push(event);
  return events;
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
