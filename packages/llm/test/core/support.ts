// Shared by the cross-provider tests: one row per dialect of the scripted server, a clock that only tests move, and the
// grammar that every stream must follow.

import type { BaseUrlKind, DialectName, ModelServer } from "@lathe/testkit";
import { type AdapterOptions, createAdapter } from "../../src/adapter.ts";
import { Client } from "../../src/client/client.ts";
import type { ClientOptions } from "../../src/client/routing-client.ts";
import { defaultDeps } from "../../src/deps.ts";
import { anthropicEndpoint } from "../../src/protocols/anthropic/endpoint.ts";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { bedrockEndpoint } from "../../src/protocols/bedrock/endpoint.ts";
import { bedrockConverse } from "../../src/protocols/bedrock/index.ts";
import { geminiEndpoint } from "../../src/protocols/gemini/endpoint.ts";
import { googleGenerativeAi } from "../../src/protocols/gemini/index.ts";
import { ollamaEndpoint } from "../../src/protocols/ollama/endpoint.ts";
import { ollamaChat } from "../../src/protocols/ollama/index.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { createFetchTransport } from "../../src/transport/fetch.ts";
import type { BodyPiece, ClientDeps, ProviderAdapter } from "../../src/types/adapter.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { Endpoint, Protocol } from "../../src/types/protocol.ts";
import type { Some } from "../../src/types/some.ts";
import { watched } from "./secrets-watch.ts";

export const KEY = "sk-test-4242-secret";

export function bodyText(pieces: readonly BodyPiece[]): string {
  return Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece))).toString();
}

export interface DialectCase {
  /** The letter in the contract's matrix, if it has one. */
  readonly letter: string;
  readonly dialect: DialectName;
  readonly provider: string;
  readonly baseKind: BaseUrlKind;
  readonly model: string;
  readonly protocol: Protocol;
  readonly endpoint: Endpoint;
  readonly keyHeader: string;
  /** The transport; Node's sockets when absent. */
  readonly transport?: "fetch";
}

const under =
  (path: string): Endpoint =>
  ({ baseUrl }) =>
    baseUrl + path;

export const OPENAI: DialectCase = {
  letter: "O",
  dialect: "responses",
  provider: "openai",
  baseKind: "openai",
  model: "gpt-5.2",
  protocol: openaiResponses,
  endpoint: under("/responses"),
  keyHeader: "authorization",
};
export const ANTHROPIC: DialectCase = {
  letter: "A",
  dialect: "anthropic",
  provider: "anthropic",
  baseKind: "anthropic",
  model: "claude-sonnet-4-5",
  protocol: anthropicMessages,
  endpoint: anthropicEndpoint,
  keyHeader: "x-api-key",
};
export const GEMINI: DialectCase = {
  letter: "G",
  dialect: "gemini",
  provider: "gemini",
  baseKind: "gemini",
  model: "gemini-2.5-pro",
  protocol: googleGenerativeAi,
  endpoint: geminiEndpoint,
  keyHeader: "x-goog-api-key",
};
export const CHAT: DialectCase = {
  letter: "C",
  dialect: "chat",
  provider: "compatible",
  baseKind: "chat",
  model: "qwen3-coder",
  protocol: openaiChat,
  endpoint: under("/chat/completions"),
  keyHeader: "authorization",
};
export const OLLAMA: DialectCase = {
  letter: "L",
  dialect: "ollama",
  provider: "ollama",
  baseKind: "ollama",
  model: "llama3.2",
  protocol: ollamaChat,
  endpoint: ollamaEndpoint,
  keyHeader: "authorization",
};

export const BEDROCK: DialectCase = {
  letter: "B",
  dialect: "bedrock",
  provider: "amazon-bedrock",
  baseKind: "bedrock",
  model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
  protocol: bedrockConverse,
  endpoint: bedrockEndpoint,
  keyHeader: "authorization",
};

/** The three of the parity matrix, and all that exist. */
export const THREE: readonly DialectCase[] = [OPENAI, ANTHROPIC, GEMINI];
export const ALL: readonly DialectCase[] = [OPENAI, ANTHROPIC, GEMINI, CHAT, OLLAMA, BEDROCK];
export const OVER_FETCH: readonly DialectCase[] = ALL.map((one) => ({ ...one, transport: "fetch" }));

export function adapterFor(
  one: DialectCase,
  server: Pick<ModelServer, "baseUrl">,
  options: Partial<AdapterOptions> = {},
): ProviderAdapter {
  const value = one.keyHeader === "authorization" ? `Bearer ${KEY}` : KEY;
  const deps = options.deps ?? testDeps();
  const adapter = createAdapter({
    name: one.provider,
    protocol: one.protocol,
    endpoint: one.endpoint,
    baseUrl: server.baseUrl(one.baseKind),
    auth: async (request) => ({ ...request, headers: { ...request.headers, [one.keyHeader]: value } }),
    ...options,
    deps: one.transport === "fetch" ? { ...deps, fetch: createFetchTransport() } : deps,
  });
  return watched(adapter, [KEY]);
}

export function clientFor(
  one: DialectCase,
  server: Pick<ModelServer, "baseUrl">,
  options: Partial<AdapterOptions> & Pick<ClientOptions, "middleware"> = {},
): Client {
  const { middleware, ...adapterOptions } = options;
  const deps = options.deps ?? testDeps();
  return new Client({
    providers: { [one.provider]: adapterFor(one, server, { ...adapterOptions, deps }) },
    deps,
    ...(middleware === undefined ? {} : { middleware }),
  });
}

/** The machine without its environment; sleeps take no time. */
export function testDeps(overrides: Some<ClientDeps> = {}): ClientDeps {
  let serial = 0;
  return defaultDeps({ env: {}, uuid: () => `id${++serial}`, sleep: async () => {}, random: () => 0.5, ...overrides });
}

export interface TestClock extends Pick<ClientDeps, "now" | "setTimer" | "sleep"> {
  /** Moves time and runs what is due, in order. */
  advance(ms: number): void;
  readonly sleeps: readonly number[];
  /** Timers that are set but not due yet. */
  readonly pending: number;
  /** Resolves when a timer of this length is set, or at once if it is set already. */
  waitForTimer(ms: number): Promise<void>;
  /** Resolves when a timer of this length is set that was not set when time last moved. */
  waitForNewTimer(ms: number): Promise<void>;
}

export function testClock(): TestClock {
  let time = 0;
  const timers = new Set<{ at: number; ms: number; run: () => void }>();
  const sleeps: number[] = [];
  const waiters: { ms: number; resolve: () => void }[] = [];
  const fresh = new Set<number>();
  const setTimer: ClientDeps["setTimer"] = (run, ms) => {
    const timer = { at: time + ms, ms, run };
    timers.add(timer);
    fresh.add(ms);
    for (const waiter of waiters) if (waiter.ms === ms) waiter.resolve();
    return { cancel: () => timers.delete(timer) };
  };
  return {
    now: () => time,
    setTimer,
    sleeps,
    sleep: async (ms) => {
      sleeps.push(ms);
      time += ms;
    },
    get pending() {
      return timers.size;
    },
    advance(ms) {
      const target = time + ms;
      fresh.clear();
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= target).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        time = Math.max(time, due.at);
        timers.delete(due);
        due.run();
      }
      time = target;
    },
    waitForTimer: (ms) =>
      new Promise((resolve) => {
        if ([...timers].some((timer) => timer.ms === ms)) resolve();
        else waiters.push({ ms, resolve });
      }),
    waitForNewTimer: (ms) =>
      new Promise((resolve) => {
        if (fresh.has(ms)) resolve();
        else waiters.push({ ms, resolve });
      }),
  };
}

/** Reads a stream to its end and checks the grammar on the way. */
export async function collect(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const seen: StreamEvent[] = [];
  for await (const event of events) seen.push(event);
  const broken = grammarViolation(seen);
  if (broken !== undefined) throw new Error(`${broken} in: ${seen.map((event) => event.type).join(" ")}`);
  return seen;
}

/** DM-11 as a state machine. Undefined if the events follow the grammar. */
export function grammarViolation(events: readonly StreamEvent[]): string | undefined {
  let open = new Set<string>();
  let used = new Set<string>();
  let state: "before" | "inside" | "over" = "before";
  for (const event of events) {
    if (state === "over") return `${event.type} after the terminal event`;
    if (event.type === "stream_start") {
      if (state === "inside") return "a second stream_start";
      state = "inside";
      continue;
    }
    if (state === "before") return `${event.type} before stream_start`;
    if (event.type === "stream_restart") {
      state = "before";
      open = new Set();
      used = new Set();
    } else if (event.type === "finish" || event.type === "error") {
      if (open.size > 0) return `${event.type} with open blocks ${[...open].join(", ")}`;
      state = "over";
    } else if (event.type !== "provider_event") {
      const id = blockId(event);
      const phase = event.type.slice(event.type.lastIndexOf("_") + 1);
      if (phase === "start") {
        if (used.has(id)) return `block ${id} started twice`;
        used.add(id);
        open.add(id);
      } else if (!open.has(id)) return `${event.type} for block ${id}, which is not open`;
      if (phase === "end") open.delete(id);
    }
  }
  return state === "over" ? undefined : "no terminal event";
}

function blockId(event: StreamEvent): string {
  if ("textId" in event) return event.textId;
  if ("reasoningId" in event) return event.reasoningId;
  return "callKey" in event ? `call ${event.callKey}` : "";
}
