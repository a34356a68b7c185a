// A session with the real client and the scripted server, in each of the three native dialects.

import { Client, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { commonPrefix, type ModelServer, type Script, startModelServer } from "@lathe/testkit";
import { expect } from "vitest";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/types.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { grammarError } from "./event-grammar.ts";
import { echo, testProfile } from "./session.ts";

export const DIALECTS = ["openai", "anthropic", "gemini"] as const;
export type Dialect = (typeof DIALECTS)[number];

const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};

export interface Wired {
  readonly session: Session;
  readonly server: ModelServer;
  readonly client: Client;
  readonly events: SessionEvent[];
  of<K extends SessionEvent["kind"]>(kind: K): Extract<SessionEvent, { kind: K }>[];
  /** Text of a tool result in the n-th request; Gemini knows calls by name only. */
  result(index: number, callId: string, name: string): { text: string; isError: boolean };
  /** Closes, checks the event grammar and that nothing was refused. */
  finish(): Promise<void>;
}

export function clientFor(dialect: Dialect, server: ModelServer): Client {
  const deps = defaultDeps({ env: {} });
  const provider = createProvider(dialect, { apiKey: "key", baseUrl: server.baseUrl(dialect), deps });
  return new Client({ providers: { [dialect]: provider }, deps });
}

export function profileFor(dialect: Dialect, tools = [echo], overrides: Parameters<typeof testProfile>[1] = {}) {
  return testProfile(tools, { id: dialect, model: MODELS[dialect], ...overrides });
}

export async function wire(
  dialect: Dialect,
  script: Script,
  options: Partial<SessionOptions> = {},
  serverOptions: { auth?: { key: string } } = {},
): Promise<Wired> {
  const server = await startModelServer({ script, ...serverOptions });
  const client = clientFor(dialect, server);
  const session = new Session({
    profile: profileFor(dialect),
    env: new MemoryEnvironment(),
    client,
    deps: defaultDeps({ env: {} }),
    ...options,
    config: { prefixBug: "throw", retry: { baseDelay: 0.001 }, ...options.config },
  });
  const events: SessionEvent[] = [];
  const reader = session.events();
  const done = (async () => {
    for await (const event of reader) events.push(event);
  })();
  return {
    session,
    server,
    client,
    events,
    of: (kind) => events.filter((event) => event.kind === kind) as never,
    result(index, callId, name) {
      const results = server.requests[index]!.view.messages.flatMap((message) => message.results);
      const found = results.find((result) => result.id === callId) ?? results.find((result) => result.id === name);
      if (!found) throw new Error(`no result of ${name} in request ${index}`);
      return found;
    },
    async finish() {
      await session.close();
      await done;
      await client.close();
      await server.close();
      expect(grammarError(events, { ended: true })).toBeUndefined();
      expect(server.requests.flatMap((request) => request.refused ?? [])).toEqual([]);
      expect(unexplainedLoss(server, events)).toEqual([]);
    },
  };
}

/** Requests that lost messages of the previous one without a stated change. Each conversation is checked separately. */
function unexplainedLoss(server: ModelServer, events: readonly SessionEvent[]): string[] {
  const stated = events.some(
    (event) =>
      event.kind === "prefix_changed" || (event.kind === "entry" && event.data.type === "thinking_level_change"),
  );
  if (stated) return [];
  const conversations = new Map<string, ModelServer["requests"][number][]>();
  for (const request of server.requests) {
    const key = request.view.messages[0]?.text ?? "";
    conversations.set(key, [...(conversations.get(key) ?? []), request]);
  }
  const steps = [...conversations.values()].flatMap((requests) => commonPrefix(requests));
  return steps
    .filter((step) => /"role"|"call_id"/.test(step.lostTail))
    .map((step) => `${step.index}: ${step.lostTail}`);
}

/**
 * The part of each request's body that was not the beginning of the next one's, except for closing brackets and
 * parameters.
 */
export function lostMessages(server: ModelServer): string[] {
  return commonPrefix(server.requests).map((step) => step.lostTail);
}
