// A server of twenty lines over the served formats, and the vendors' official clients in front of it.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { type ModelServer, type ModelServerOptions, startModelServer } from "@lathe/testkit";
import OpenAI from "openai";
import { fitRequest, servedFormats, warningHeaders } from "../../src/serve/index.ts";
import type { AnswerContext, Refusal, ServedFormat, Target } from "../../src/serve/types.ts";
import { SDKError } from "../../src/types/errors.ts";
import type { Api, ModelInfo } from "../../src/types/model.ts";
import {
  ALL,
  ANTHROPIC,
  adapterFor,
  BEDROCK,
  CHAT,
  type DialectCase,
  GEMINI,
  OLLAMA,
  OPENAI,
} from "../core/support.ts";
import { modelRow } from "../protocols/support.ts";

const APIS: ReadonlyMap<DialectCase, Api> = new Map([
  [OPENAI, "openai-responses"],
  [ANTHROPIC, "anthropic-messages"],
  [GEMINI, "google-generative-ai"],
  [CHAT, "openai-completions"],
  [OLLAMA, "ollama-chat"],
  [BEDROCK, "bedrock-converse-stream"],
]);
const MODELS: ReadonlyMap<DialectCase, Partial<ModelInfo>> = new Map([
  [OPENAI, { thinking: { mode: "effort" } }],
  [ANTHROPIC, { thinking: { mode: "budget" }, maxOutput: 32_000 }],
  [GEMINI, { thinking: { mode: "budget" } }],
  [CHAT, { thinking: { mode: "effort" }, compat: { reasoningContentField: "reasoning_content" } }],
  [OLLAMA, { thinking: { mode: "toggle" } }],
  [BEDROCK, { thinking: { mode: "budget" }, maxOutput: 32_000 }],
]);

export { ALL as PROVIDERS };

export function targetOf(one: DialectCase): Target {
  const api = APIS.get(one);
  if (api === undefined) throw new Error(`no API for ${one.dialect}`);
  const model = modelRow(one.model, { ...MODELS.get(one), provider: one.provider, api, supportsVision: true });
  return { provider: one.provider, api, model };
}

export interface Gateway {
  readonly url: string;
  readonly server: ModelServer;
  /** The client left the last answer before its end, and the upstream request was dropped too. */
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  /** Warning header of the last answer. */
  readonly dropped: string | undefined;
  post(path: string, body: unknown): Promise<{ status: number; headers: Headers; text: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startGateway(one: DialectCase, options: ModelServerOptions): Promise<Gateway> {
  const server = await startModelServer(options);
  const target = targetOf(one);
  const adapter = adapterFor(one, server, { model: () => target.model });
  const state: { dropped: string | undefined } = { dropped: undefined };
  let ids = 0;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const format = servedFormats.find(({ path }) => path === incoming.url?.split("?")[0]);
    if (format === undefined) throw new Error(`no format for ${incoming.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const refuse = (failure: SDKError | Refusal): void => {
      const { status, headers, body } = format.error(failure, "req_1");
      outgoing.writeHead(status, headers).end(body);
    };
    const decoded = format.decode(JSON.parse(Buffer.concat(chunks).toString()));
    if (decoded.kind === "refused") return refuse(decoded.refusal);
    const fitted = fitRequest(decoded.served, format, target);
    if (fitted.kind === "refused") return refuse(fitted.refusal);
    const warnings = warningHeaders(fitted.served.dropped);
    state.dropped = warnings["x-lathe-dropped"];
    const leave = new AbortController();
    outgoing.on("close", () => leave.abort());
    const context = { served: fitted.served, target, now: () => 1_700_000_000_000, newId: () => `id${++ids}` };
    await run(adapter, format, context, { outgoing, warnings, leave, refuse });
  };
  const http = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(599);
      outgoing.end(String(error instanceof Error ? error.stack : error));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    server,
    get dropped() {
      return state.dropped;
    },
    openai: new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey: "k", authToken: null, baseURL: url, maxRetries: 0 }),
    async post(path, body) {
      const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await adapter.close?.();
      await server.close();
    },
  };
}

interface Exchange {
  readonly outgoing: ServerResponse;
  readonly warnings: Readonly<Record<string, string>>;
  readonly leave: AbortController;
  refuse(failure: SDKError | Refusal): void;
}

async function run(
  adapter: ReturnType<typeof adapterFor>,
  format: ServedFormat,
  context: AnswerContext,
  { outgoing, warnings, leave, refuse }: Exchange,
): Promise<void> {
  const { served } = context;
  const encoder = format.encoder(context);
  try {
    if (!served.stream) {
      const body = encoder.whole(await adapter.complete(served.request, { signal: leave.signal }));
      outgoing.writeHead(200, { "content-type": "application/json", ...warnings }).end(body);
      return;
    }
    for await (const event of adapter.stream(served.request, { signal: leave.signal })) {
      if (!outgoing.headersSent) outgoing.writeHead(200, { "content-type": "text/event-stream", ...warnings });
      outgoing.write(encoder.push(event));
    }
    outgoing.end();
  } catch (error) {
    if (!(error instanceof SDKError)) throw error;
    if (leave.signal.aborted) return;
    refuse(error);
  }
}
